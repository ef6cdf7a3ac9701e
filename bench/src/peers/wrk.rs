//! The ceiling: how many answers a second the server gives to a client that does nothing with them.

use std::fmt::Write as _;
use std::process::Command;

use rhumb_testweb::Served;

/// Connections kept open: enough that the server is never idle.
const CONNECTIONS: &str = "64";
/// Pages that are asked for in turn.
const PAGES_MAX: usize = 1_000;

/// What follows the list of requests.
const TURNS: &str = "}
local at = 0
request = function()
  at = at % #requests + 1
  return requests[at]
end
";

/// Answers a second over connections that stay open, all of them to the first host, since `wrk`
/// knows one address; the caller pins it. Forget afterwards what the server saw.
pub fn wrk(served: &Served, seconds: u32) -> Result<f64, String> {
    let host = served.web().hosts.first().ok_or("the web has no host")?;
    let origin = host.origin(served.port());
    let folder = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let path = folder.path().join("requests.lua");
    let pages = served.expected().pages;
    super::write(&path, &script(&origin, pages.keys()))?;
    let output = Command::new("wrk")
        .args(["--threads", "1", "--connections", CONNECTIONS, "--duration"])
        .arg(format!("{seconds}s"))
        .arg("--script")
        .arg(&path)
        .arg(format!("http://{}:{}/", host.address, served.port()))
        .output()
        .map_err(|e| format!("cannot start wrk: {e}\n  try: apt-get install wrk"))?;
    rate(&String::from_utf8_lossy(&output.stdout))
}

/// Asks for the pages of one origin in turn.
fn script<'a>(origin: &str, urls: impl Iterator<Item = &'a String>) -> String {
    let authority = origin.trim_start_matches("http://");
    let mut script = "local requests = {\n".to_owned();
    let paths = urls
        .filter_map(|url| url.strip_prefix(origin))
        .filter(|path| path.starts_with('/'))
        .take(PAGES_MAX);
    for path in paths {
        let fields = format!("Host: {authority}\\r\\nAccept-Encoding: gzip\\r\\n\\r\\n");
        writeln!(script, "\"GET {path} HTTP/1.1\\r\\n{fields}\",")
            .expect("a string can be written to");
    }
    script.push_str(TURNS);
    script
}

/// The rate in what `wrk` prints, unless some answers were no pages.
fn rate(report: &str) -> Result<f64, String> {
    let after = |label: &str| {
        report.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim)
    };
    for wrong in ["Non-2xx or 3xx responses:", "Socket errors:"] {
        if let Some(count) = after(wrong) {
            return Err(format!("wrk saw {} {count}", wrong.trim_end_matches(':')));
        }
    }
    let rate = after("Requests/sec:").ok_or("wrk gave no rate")?;
    rate.parse().map_err(|_| format!("wrk gave {rate} as its rate"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_other_hosts_are_left_out() {
        let urls = ["http://a.test:1/x", "http://a.test:12/x", "http://b.test:1/y"];
        let script = script("http://a.test:1", urls.map(str::to_owned).iter());
        assert_eq!(script.matches("GET ").count(), 1, "{script}");
        assert!(script.contains(r#""GET /x HTTP/1.1\r\nHost: a.test:1\r\n"#), "{script}");
    }

    #[test]
    fn a_rate_counts_only_where_all_answers_were_pages() {
        let good = "Running 4s test\n  72000 requests in 4.00s\nRequests/sec:  18090.66\n";
        assert_eq!(rate(good), Ok(18090.66));
        let bad = format!("  Non-2xx or 3xx responses: 12\n{good}");
        assert_eq!(rate(&bad), Err("wrk saw Non-2xx or 3xx responses 12".to_owned()));
        assert!(rate("").is_err());
    }
}
