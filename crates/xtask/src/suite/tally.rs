//! What the tests' own lines say: how many passed, which were slow, what was skipped.

/// How many of the slowest tests are named.
const SLOWEST: usize = 10;

/// Lines shown of a program that died without a list of failures.
const LAST_WORDS: usize = 60;

/// The sum over all test programs.
#[derive(Default)]
pub(crate) struct Tally {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, and programs that did not end well.
    pub(crate) failed: u64,
    times: Vec<(f64, String)>,
}

impl Tally {
    /// Counts one program's output; returns its closing lines, a line for each crate of doctests.
    pub(crate) fn read<'a>(&mut self, room: &str, log: &'a str) -> Vec<&'a str> {
        let mut closing = Vec::new();
        for line in log.lines() {
            if let Some(counts) = line.strip_prefix("test result: ") {
                self.passed += count(counts, "passed");
                self.failed += count(counts, "failed");
                closing.push(line);
            } else if let Some((name, seconds)) = timed(line) {
                self.times.push((seconds, format!("{room} {name}")));
            }
        }
        closing
    }

    /// The slowest tests, slowest first, a line each.
    pub(crate) fn slowest(mut self) -> Vec<String> {
        self.times.sort_by(|a, b| b.0.total_cmp(&a.0));
        let line = |(seconds, name): &(f64, String)| format!("{seconds:>8.3} s  {name}");
        self.times.iter().take(SLOWEST).map(line).collect()
    }
}

/// The number before `word` in `ok. 3 passed; 0 failed; …`.
fn count(counts: &str, word: &str) -> u64 {
    let mut words = counts.split([' ', ';']).filter(|word| !word.is_empty()).peekable();
    while let Some(number) = words.next() {
        if words.peek() == Some(&word) {
            return number.parse().unwrap_or(0);
        }
    }
    0
}

/// Name and seconds of `test NAME ... ok <0.030s>`.
fn timed(line: &str) -> Option<(&str, f64)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let seconds = rest.rsplit_once('<')?.1.strip_suffix("s>")?;
    Some((name, seconds.parse().ok()?))
}

/// The part of a log that says what failed.
pub(crate) fn failures(log: &str) -> String {
    if let Some(start) = log.find("\nfailures:\n") {
        return log.get(start..).unwrap_or_default().to_owned();
    }
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "
running 3 tests
test slow ... ok <0.030s>
test tests::it_works ... ok <0.000s>
test bad ... FAILED <0.146s>

failures:

---- bad stdout ----
it broke

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.15s
";

    #[test]
    fn passed_failed_and_times_are_read() {
        let mut tally = Tally::default();
        let closing = tally.read("web", LOG);
        assert_eq!(closing.len(), 1);
        assert_eq!((tally.passed, tally.failed), (2, 1));
        let slowest = tally.slowest();
        assert_eq!(slowest[0], "   0.146 s  web bad");
        assert_eq!(slowest.len(), 3);
    }

    #[test]
    fn a_log_without_a_closing_line_counts_nothing() {
        let mut tally = Tally::default();
        assert!(tally.read("web", "running 2 tests\nmemory allocation failed").is_empty());
        assert_eq!((tally.passed, tally.failed), (0, 0));
    }

    #[test]
    fn failures_are_shown_whole_and_last_words_where_there_are_none() {
        assert!(failures(LOG).contains("it broke"));
        assert!(!failures(LOG).contains("running 3"));
        assert_eq!(failures("a\nb"), "a\nb");
    }
}
