//! Serves a test web until Ctrl-C, then says what it saw.

use std::process::ExitCode;
use std::time::Duration;

use rhumb_testweb::{Addresses, Coding, Served, Spec};

const USAGE: &str = "usage: testweb [--hosts N] [--pages N] [--seed N] [--shared ADDRESSES]
               [--bench] [--gzip | --plain] [--latency MS] [--https]

  --hosts N     host names (240; 500 with --bench)
  --pages N     pages that a correct crawler fetches, at least (2500; 10000 with --bench)
  --seed N      another web of the same kind
  --shared N    all hosts on N addresses, instead of one each
  --bench       even pages of 21 KB with 31 links, made before they are asked for
  --gzip        all bodies in gzip, for clients that take it
  --plain       all bodies as they are
  --latency MS  the server thinks this long before every answer
  --https       every host speaks TLS only";

/// Size of the web that crawlers are compared on.
const BENCH_HOSTS: usize = 500;
const BENCH_PAGES: usize = 10_000;

#[expect(clippy::print_stderr, reason = "a wrong flag is answered on stderr")]
#[expect(clippy::print_stdout, reason = "help was asked for")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--help" || a == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let spec = match spec(&arguments) {
        Ok(spec) => spec,
        Err(wrong) => {
            eprintln!("error: {wrong}\n  try: testweb --help");
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

fn spec(arguments: &[String]) -> Result<Spec, String> {
    // Whatever its place: the other flags change the web that this one chooses.
    let bench = arguments.iter().any(|a| a == "--bench");
    let mut spec = if bench { Spec::bench(BENCH_HOSTS, BENCH_PAGES) } else { Spec::demo() };
    let mut arguments = arguments.iter();
    while let Some(flag) = arguments.next() {
        match flag.as_str() {
            "--bench" => {}
            "--gzip" => spec.coding = Some(Coding::Gzip),
            "--plain" => spec.coding = Some(Coding::Identity),
            "--https" => spec.only_https = true,
            _ => number(&mut spec, flag, arguments.next())?,
        }
    }
    Ok(spec)
}

/// A flag that has a number.
fn number(spec: &mut Spec, flag: &str, value: Option<&String>) -> Result<(), String> {
    let known = ["--hosts", "--pages", "--seed", "--shared", "--latency"];
    if !known.contains(&flag) {
        return Err(format!("unknown flag {flag}"));
    }
    let value = value.ok_or(format!("{flag} needs a number"))?;
    let number: usize = value.parse().map_err(|_| format!("{value} is no number"))?;
    match flag {
        "--hosts" => spec.hosts = number,
        "--pages" => spec.pages = number,
        "--seed" => spec.seed = number as u64,
        "--shared" => spec.addresses = Addresses::Shared(number),
        _ => spec.latency = Duration::from_millis(number as u64),
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the summary is this program's data")]
fn serve(spec: &Spec) -> std::io::Result<()> {
    let served = Served::start_on_thread(spec)?;
    let file = |ending| std::env::temp_dir().join(format!("testweb-{}.{ending}", served.port()));
    let (ca, hosts) = (file("pem"), file("hosts"));
    std::fs::write(&ca, served.ca_pem())?;
    std::fs::write(&hosts, served.hosts_file())?;
    let (seeds, expected) = (served.seeds(), served.expected());
    println!("dns    {}", served.dns());
    println!("port   {} on every host, http and https", served.port());
    println!("ca     {}", ca.display());
    println!("hosts  {}", hosts.display());
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
    std::fs::remove_file(&hosts)?;
    std::fs::remove_file(&ca)
}
