//! What one page costs by part, for a server that sends gzip and for one that sends pages as they
//! are.

use rhumb_measure::parts::{self, Part, Sample};
use rhumb_measure::run::Cores;
use rhumb_testweb::{Coding, Served, Spec};

use crate::seen::Outcome;

/// Enough pages to find a usual one among them.
const PAGES: usize = 100;
const HOSTS: usize = 10;

/// Measures all parts, twice.
pub fn measure() -> Outcome {
    // The last core: the first has the interrupts, and the server of this test.
    let cores = Cores::allowed()?;
    for coding in [Coding::Gzip, Coding::Identity] {
        let mut spec = Spec::bench(HOSTS, PAGES);
        spec.coding = Some(coding);
        let served = Served::start_on_thread(&spec)?;
        let urls: Vec<String> = served.expected().pages.into_keys().collect();
        let sample = Sample::fetch(&urls, served.dns())?;
        let folder = tempfile::tempdir()?;
        let (_, last) = cores.split(cores.numbers().len() - 1);
        let parts = last.on(|| parts::all(&sample, folder.path()))??;
        println!(
            "a page of {} bytes, {} as it came{}",
            sample.plain_bytes(),
            sample.received_bytes(),
            if sample.is_coded() { ", gzip" } else { "" },
        );
        print(&parts);
    }
    Ok(())
}

fn print(parts: &[Part]) {
    println!("{:<15} {:<40} {:>8}  (least – most)", "part", "", "µs");
    for part in parts {
        let indent = if part.within.is_some() { "  " } else { "" };
        let times =
            if part.per_page > 1.0 { format!(", × {:.0}", part.per_page) } else { String::new() };
        println!(
            "{:<15} {:<40} {:>8.1}  ({:.1} – {:.1})",
            format!("{indent}{}", part.name),
            format!("{}{times}", part.what),
            part.per_page_micros(),
            part.micros.least * part.per_page,
            part.micros.most * part.per_page,
        );
    }
    println!("{:<15} {:<40} {:>8.1}\n", "all parts", "", parts::sum(parts));
}
