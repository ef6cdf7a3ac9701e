//! What benchmarks compare with, and how it is installed.

use crate::needs::{self, Source};
use crate::workspace;

/// Installs the programs of these names that are not there yet, and says so: `wget2` and `wrk` from
/// Debian, `scrapy` and `warcio` from the Python index, `spider` by building its driver.
pub(crate) fn install(names: &[&str]) -> Result<(), String> {
    for name in names {
        let source = match *name {
            "wget2" | "wrk" => Source::Debian(name),
            "scrapy" | "warcio" => Source::PyPi(name),
            "spider" | "spider-links" => {
                build_spider()?;
                continue;
            }
            _ => {
                return Err(format!(
                    "no peer is called {name}: wget2, scrapy, spider, spider-links"
                ));
            }
        };
        needs::ensure(name, source).map_err(|why| format!("cannot install {name}: {why}"))?;
    }
    Ok(())
}

/// Builds the driver of the spider crate, outside of our own builds since it is large.
fn build_spider() -> Result<(), String> {
    println!("building the driver of spider");
    let built = workspace::cargo()
        .args(["build", "--release", "--locked", "--manifest-path", "bench/spider/Cargo.toml"])
        .args(["--target-dir", "target/spider"])
        .status()
        .map_err(|e| format!("cannot start cargo: {e}"))?;
    if built.success() { Ok(()) } else { Err(format!("building spider ended with {built}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_peer_is_named() {
        let why = install(&["nutch"]).unwrap_err();
        assert!(why.contains("nutch"), "{why}");
    }
}
