//! A status in Prometheus' text format 0.0.4, under the same names.
//!
//! A field is the metric `rhumb_<field>`, and a map has a label with its key. What has no
//! bound stays out: the verdict's sentence (its word is `rhumb_held_back_by`), URLs and the names
//! of sites. Counters are not called `_total`: a name is the same wherever a user meets it.

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};

use rhumb_crawl::ask::{Activity, Percentiles, Status};

const STATES: [Activity; 3] = [Activity::Running, Activity::Stopped, Activity::Done];

/// The metrics of a crawl that stands so.
pub fn text(status: &Status) -> String {
    let mut page = Page(String::with_capacity(8_192));
    page.standing(status);
    page.counts(status);
    page.resources(status);
    page.0
}

/// How a metric behaves over time.
#[derive(Clone, Copy)]
enum Kind {
    /// It only grows, as long as nothing is forgotten.
    Counter,
    Gauge,
    Summary,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Summary => "summary",
        }
    }
}

struct Page(String);

impl Page {
    fn standing(&mut self, status: &Status) {
        self.head("state", Kind::Gauge, "1 for the state in which the crawl is");
        for state in STATES {
            self.labelled("state", &[("state", state.word())], u8::from(state == status.state));
        }
        let paused = u8::from(status.paused);
        self.single("paused", Kind::Gauge, "1 if the user has paused it", paused);
        self.head("held_back_by", Kind::Gauge, "1 for what holds the crawl back");
        self.labelled("held_back_by", &[("reason", &status.held_back_by)], 1);
        let outage = u8::from(status.outage);
        self.single("outage", Kind::Gauge, "1 if our own connection seems to be down", outage);
        let elapsed = status.elapsed_ms;
        self.single("elapsed_ms", Kind::Gauge, "Since the start of this run", elapsed);
    }

    fn counts(&mut self, status: &Status) {
        use Kind::{Counter, Gauge};
        self.single("fetched", Counter, "Answers below 400", status.fetched);
        self.single("pages", Counter, "Pages among them", status.pages);
        self.single("redirects", Counter, "Redirects among them", status.redirects);
        self.single("sitemaps", Counter, "Sitemaps among them", status.sitemaps);
        self.single("robots", Counter, "Robots.txt files asked for", status.robots);
        let duplicates = "Pages that another page had before";
        self.single("duplicates", Counter, duplicates, status.duplicates);
        let near = "Those of them whose text is nearly that of the other";
        self.single("near_duplicates", Counter, near, status.near_duplicates);
        let marked = "Pages that are not what their status says";
        self.by("marked", "mark", Counter, marked, &status.marked);
        self.by("refused", "reason", Counter, "Links and URLs refused", &status.refused);
        self.by("failed", "outcome", Counter, "URLs given up", &status.failed);
        self.by("cut", "reason", Counter, "Bodies that are not whole", &status.cut);
        let dns_failures = "Names that could not be looked up in this run";
        self.single("dns_failures", Counter, dns_failures, status.dns_failures);
        let forgotten = "Hosts and URLs that were forgotten";
        self.single("forgotten", Counter, forgotten, status.forgotten);
        self.single("bytes", Counter, "Bytes of bodies", status.bytes);
        self.single("queued", Gauge, "URLs that wait for their turn", status.queued);
        self.single("waiting", Gauge, "Sites with work that are held back", status.waiting);
        let waiting_by = "The same by what holds them";
        self.by("waiting_by", "held_by", Gauge, waiting_by, &status.waiting_by);
        self.single("sites", Gauge, "Sites met", status.sites);
        self.by("sites_by_state", "state", Gauge, "The same by state", &status.sites_by_state);
    }

    fn resources(&mut self, status: &Status) {
        use Kind::Gauge;
        self.single("in_flight", Gauge, "Fetches under way", status.in_flight);
        let connections = "Fetches that may be under way at once";
        self.single("connections", Gauge, connections, status.connections);
        let pages_per_s = "Pages a second over the last ten seconds";
        self.single("pages_per_s", Gauge, pages_per_s, status.pages_per_s);
        let bytes_per_s = "Bytes of bodies a second over the last ten seconds";
        self.single("bytes_per_s", Gauge, bytes_per_s, status.bytes_per_s);
        let cpu_cores = "Cores kept busy over the last ten seconds";
        self.single("cpu_cores", Gauge, cpu_cores, status.cpu_cores);
        self.single("memory_bytes", Gauge, "Memory of the process", status.memory_bytes);
        let memory = "Bytes of memory by part, as far as they are counted";
        self.by("memory", "part", Gauge, memory, &status.memory);
        self.single("disk_bytes", Gauge, "Bytes of the folder on disk", status.disk_bytes);
        self.by("disk", "part", Gauge, "The same by part", &status.disk);
        let help = "How long the parts of the work take in this run; quantile 1 is the longest";
        self.head("phase_seconds", Kind::Summary, help);
        for (phase, times) in &status.phases {
            self.phase(phase, times);
        }
    }

    fn phase(&mut self, phase: &str, times: &Percentiles) {
        let quantiles = [
            ("0.5", times.p50_ms),
            ("0.9", times.p90_ms),
            ("0.99", times.p99_ms),
            ("1", times.max_ms),
        ];
        for (quantile, ms) in quantiles {
            let labels = [("phase", phase), ("quantile", quantile)];
            self.labelled("phase_seconds", &labels, ms / 1_000.0);
        }
        self.labelled("phase_seconds_sum", &[("phase", phase)], times.sum_ms / 1_000.0);
        self.labelled("phase_seconds_count", &[("phase", phase)], times.count);
    }

    /// A metric that is one number.
    fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.labelled(name, &[], value);
    }

    /// A metric that is one number for each value of a label.
    fn by(
        &mut self,
        name: &str,
        label: &str,
        kind: Kind,
        help: &str,
        counts: &BTreeMap<String, u64>,
    ) {
        self.head(name, kind, help);
        for (key, count) in counts {
            self.labelled(name, &[(label, key)], count);
        }
    }

    fn head(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = kind.word();
        self.put(format_args!("# HELP rhumb_{name} {help}\n# TYPE rhumb_{name} {kind}\n"));
    }

    fn labelled(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.put(format_args!("rhumb_{name}"));
        for (at, (label, word)) in labels.iter().enumerate() {
            let open = if at == 0 { '{' } else { ',' };
            self.put(format_args!("{open}{label}=\"{}\"", escaped(word)));
        }
        let close = if labels.is_empty() { "" } else { "}" };
        self.put(format_args!("{close} {value}\n"));
    }

    fn put(&mut self, piece: std::fmt::Arguments<'_>) {
        self.0.write_fmt(piece).expect("a string takes all");
    }
}

/// A label's value as the format wants it.
fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
