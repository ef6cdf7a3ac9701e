//! Serves a test web until Ctrl-C, then says what it saw.

use std::process::ExitCode;

use rhumb_testweb::{Addresses, Served, Spec};

const USAGE: &str = "usage: testweb [--hosts N] [--pages N] [--seed N] [--shared ADDRESSES]";

#[expect(clippy::print_stderr, reason = "a wrong flag is answered on stderr")]
fn main() -> ExitCode {
    let spec = match spec(std::env::args().skip(1)) {
        Ok(spec) => spec,
        Err(wrong) => {
            eprintln!("error: {wrong}\n  try: {USAGE}");
            return ExitCode::from(2);
        }
    };
    match serve(&spec) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot serve the web: {error}");
            ExitCode::FAILURE
        }
    }
}

fn spec(mut arguments: impl Iterator<Item = String>) -> Result<Spec, String> {
    let mut spec = Spec::demo();
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or(format!("{flag} needs a number"))?;
        let number: usize = value.parse().map_err(|_| format!("{value} is no number"))?;
        match flag.as_str() {
            "--hosts" => spec.hosts = number,
            "--pages" => spec.pages = number,
            "--seed" => spec.seed = number as u64,
            "--shared" => spec.addresses = Addresses::Shared(number),
            _ => return Err(format!("unknown flag {flag}")),
        }
    }
    Ok(spec)
}

#[expect(clippy::print_stdout, reason = "the summary is this program's data")]
fn serve(spec: &Spec) -> std::io::Result<()> {
    let served = Served::start_on_thread(spec)?;
    let ca = std::env::temp_dir().join(format!("testweb-{}.pem", served.port()));
    std::fs::write(&ca, served.ca_pem())?;
    let (seeds, expected) = (served.seeds(), served.expected());
    println!("dns    {}", served.dns());
    println!("port   {} on every host, http and https", served.port());
    println!("ca     {}", ca.display());
    println!("seeds  {}", seeds.join(" "));
    println!("truth  {} pages on {} hosts", expected.pages.len(), expected.hosts.len());
    println!(
        "\nSSL_CERT_FILE={} rhumb crawl {} -o testweb-crawl --scope any --allow-private \
         --contact crawl@example.test --dns {} --delay 0s --ip-delay 0s --tries 1\n",
        ca.display(),
        seeds.join(" "),
        served.dns()
    );
    let waiting = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    waiting.block_on(tokio::signal::ctrl_c())?;
    let witness = served.witness();
    println!("{witness}");
    println!("{} pages missing", expected.missing(&witness).len());
    println!("{} pages too many", expected.extra(&witness).len());
    std::fs::remove_file(&ca)
}
