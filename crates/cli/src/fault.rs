//! How a command fails: `error: <what, on what>`, `  try: <command or change>`, and an exit code.

use std::fmt::Display;
use std::io::ErrorKind;
use std::process::ExitCode;

use crate::tell;

/// Something failed.
pub(crate) const FAILED: u8 = 1;
/// Wrong usage or settings.
pub(crate) const USAGE: u8 = 2;
/// Nothing could be crawled.
pub(crate) const NOTHING: u8 = 3;
/// The user interrupted it.
pub(crate) const INTERRUPTED: u8 = 130;

/// What the standard library says of a letter or a sign where it wants a number.
const NO_DIGIT: &str = "invalid digit found in string";

/// Why a command ends without success.
#[derive(Debug)]
pub(crate) enum Fault {
    /// With a message, advice and a code.
    Loud { what: String, advice: String, code: u8 },
    /// All has been said.
    Quiet(ExitCode),
}

impl Fault {
    pub(crate) fn usage(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Loud { what: what.into(), advice: advice.into(), code: USAGE }
    }

    pub(crate) fn failed(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Loud { what: what.into(), advice: advice.into(), code: FAILED }
    }

    pub(crate) fn nothing(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Loud { what: what.into(), advice: advice.into(), code: NOTHING }
    }

    /// A file that could not be used.
    pub(crate) fn file(doing: &str, path: impl Display, error: &std::io::Error) -> Self {
        let advice = match error.kind() {
            ErrorKind::PermissionDenied => {
                "the same as the user who owns it, with sudo -u USER, or other rights for it"
            }
            ErrorKind::ReadOnlyFilesystem => "a copy of it where you may write",
            ErrorKind::StorageFull => "make room on that disk",
            _ => "check that the folder exists, has room and may be written to",
        };
        Self::failed(format!("cannot {doing} {path}: {error}"), advice)
    }

    pub(crate) fn tell(self) -> ExitCode {
        match self {
            Self::Loud { what, advice, code } => {
                tell(&format!("error: {what}\n  try: {advice}"));
                ExitCode::from(code)
            }
            Self::Quiet(code) => code,
        }
    }
}

/// Writing to stdout failed: a closed pipe is the reader's way of saying that it has enough.
impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe {
            return Self::Quiet(ExitCode::SUCCESS);
        }
        Self::failed(format!("cannot write: {error}"), "check where the output goes")
    }
}

/// Shows what clap found: help is data, a mistake is an error with advice.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind as Found;
    if matches!(error.kind(), Found::DisplayHelp | Found::DisplayVersion) {
        drop(error.print());
        return ExitCode::SUCCESS;
    }
    let text = error.to_string();
    if error.kind() == Found::DisplayHelpOnMissingArgumentOrSubcommand {
        tell(text.trim_end());
        return ExitCode::from(USAGE);
    }
    // What clap found ends at its first empty line; arguments and values have lines of their own.
    let mut found = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
    let first = found.next().unwrap_or_default();
    let named: Vec<&str> = found.collect();
    let what = format!("{first} {}", named.join(", "));
    let what = what.trim_end().replace(NO_DIGIT, "it is no whole number");
    let tips = text.lines().filter_map(|line| line.trim().strip_prefix("tip: "));
    let similar = tips.into_iter().find(|tip| tip.contains("similar")).map(str::to_owned);
    tell(&format!("{what}\n  try: {}", similar.unwrap_or_else(help)));
    ExitCode::from(USAGE)
}

/// The help of the command that was meant.
fn help() -> String {
    use clap::CommandFactory;
    let rhumb = crate::Cli::command();
    let word = std::env::args_os().nth(1).unwrap_or_default();
    match rhumb.find_subcommand(word) {
        Some(command) => format!("rhumb {} --help", command.get_name()),
        None => "rhumb --help".to_owned(),
    }
}
