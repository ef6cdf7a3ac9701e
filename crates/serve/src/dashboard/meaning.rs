//! What every number and word means, in a sentence each: numbers that explain themselves.

use axum::http::StatusCode;
use maud::{Markup, html};

/// Numbers of a status by their field, as they are called and what they count.
const NUMBERS: [(&str, &str, &str); 35] = [
    ("fetched", "Fetched", "Answers below 400, over all runs of this crawl."),
    ("pages", "Pages", "Of the answers, those that are pages."),
    ("redirects", "Redirects", "Of the answers, those that point elsewhere."),
    ("sitemaps", "Sitemaps", "Of the answers, those that list the URLs of a site."),
    ("other", "Other files", "Of the answers, those that are none of the others."),
    ("robots", "robots.txt", "Robots.txt files asked for; no page is asked for before its own."),
    (
        "duplicates",
        "Duplicates",
        "Pages that another page had before, in the same or nearly the same words.",
    ),
    (
        "near_duplicates",
        "Nearly same",
        "Of the duplicates, those whose text is only nearly that of the other.",
    ),
    ("queued", "Queued", "URLs that wait for their turn."),
    (
        "waiting",
        "Waiting sites",
        "Sites with work that are held back, by politeness most of the time.",
    ),
    ("sites", "Sites", "Hosts met, each with a clock of its own."),
    ("in_flight", "In flight", "Fetches under way, and how many may be at once."),
    ("bytes", "Received", "Bytes of bodies, over all runs."),
    ("memory_bytes", "Memory", "Memory of the process that crawls."),
    ("disk_bytes", "Disk", "What the folder of the crawl takes on disk."),
    ("pages_per_s", "Pages", "Pages a second, in the mean of ten seconds or more."),
    ("bytes_per_s", "Received", "Bytes of bodies a second, in the mean of ten seconds or more."),
    (
        "cpu_cores",
        "Busy cores",
        "Cores that the process keeps busy, in the mean of ten seconds or more.",
    ),
    ("dns_failures", "DNS failures", "Names that could not be looked up, in this run."),
    ("dns_failures_per_min", "DNS failures", "Names a minute that could not be looked up."),
    ("forgotten", "Forgotten", "Hosts and URLs that were forgotten on demand."),
    ("load", "Fetches and sites", "Fetches under way, and sites with work that are held back."),
    ("refill", "Load of queues", "Reading the queue of a site from disk, when it comes on turn."),
    (
        "dns",
        "DNS",
        "From asking for a name to its addresses; names that are known are not counted.",
    ),
    ("connect", "Connect", "From the first packet to the connection."),
    ("tls", "TLS", "From the connection to the end of the handshake."),
    ("write", "Write", "From the first byte of a request to its last."),
    ("first_byte", "First byte", "From the end of a request to the first byte of the answer."),
    ("read", "Read", "From the first byte of an answer to its last."),
    ("parse", "Parse", "From a body to its links, directives and text."),
    ("digest", "Digest", "From a body to its digest, by which copies are known."),
    ("archive", "Archive", "From records to compressed ones in the file of the archive."),
    ("log", "Log", "From facts to the file of the log."),
    ("links", "Push links", "From the links of a page to all of them queued, known or refused."),
    ("index", "Index", "Taking one page into the index."),
];

/// Why a link or a URL is refused.
const REASONS: [(&str, &str); 23] = [
    ("out-of-scope", "it lies outside of what this crawl is about"),
    ("excluded", "it matches what you have excluded"),
    ("not-included", "it does not match what you have included"),
    ("too-deep", "it is too many links away from a seed"),
    ("too-many-hops", "it lies behind too many redirects"),
    ("trap-long-url", "its URL is too long for a page"),
    ("trap-many-segments", "its path has too many parts for a page"),
    ("trap-tandem-segments", "parts of its path follow each other again and again"),
    ("trap-repeated-segment", "a part of its path comes too often"),
    ("trap-repeated-page", "its neighbours were all the same page"),
    ("trap-calendar", "its calendar is empty"),
    ("trap-growing-query", "its query grows from link to link"),
    ("trap-session-id", "its page is known under another session id"),
    ("trap-template", "URLs like it had nothing new to say"),
    ("trap-relative-link", "the same page leads to itself, one folder deeper"),
    ("trap-deep", "it lies much deeper than anything that its site says"),
    ("robots", "robots.txt of its site forbids it"),
    ("nofollow", "the link says that it should not be followed"),
    ("private-address", "its address is of a private network"),
    ("not-http", "it is no address of the web, such as mailto:"),
    ("bad-url", "it is no URL"),
    ("too-many-links", "its page had more links than are taken"),
    ("forgotten", "it was forgotten on demand"),
];

/// How a URL ends without a page.
const FAILURES: [(&str, &str); 14] = [
    ("no-such-host", "its name does not exist"),
    ("dns", "its name could not be looked up"),
    ("connect", "nobody took the connection"),
    ("tls", "no safe connection came about"),
    ("timeout-dns", "looking up its name took too long"),
    ("timeout-connect", "connecting took too long"),
    ("timeout-headers", "the answer did not begin in time"),
    ("timeout-body", "the answer did not end in time"),
    ("too-slow", "the answer came too slowly"),
    ("reset", "the server broke off"),
    ("stale", "a kept connection was closed by the server"),
    ("not-http", "what came back is not HTTP"),
    ("headers-too-large", "the head of the answer is too large"),
    ("proxy", "the proxy did not let it through"),
];

/// Other words: why bodies are not whole, and what pages are marked as.
const ODD: [(&str, &str); 10] = [
    ("cut-length", "longer than is kept"),
    ("cut-time", "the rest did not come in time"),
    ("cut-disconnect", "the server broke off"),
    ("cut-encoding", "badly encoded from some point on"),
    ("soft-404", "says that nothing is there, with a status that says otherwise"),
    ("parked", "a domain without a site of its own"),
    ("challenge", "a gate that wants a person"),
    ("spam", "made to be found, and not to be read"),
    ("doorway", "leads to another domain at once"),
    ("cloaked", "shows a browser something else than us"),
];

/// What can be done about what holds the crawl back.
const REMEDIES: [(&str, &str); 14] = [
    (
        "politeness",
        "This is how a polite crawl looks. More sites make it faster; a shorter delay only where \
         the sites are yours.",
    ),
    ("servers", "Answers are under way, and little else waits: nothing to do on our side."),
    ("connections", "More open files (ulimit -n) allow more connections at once."),
    ("address", "Many sites share few addresses. Set --ip-delay where the addresses are yours."),
    ("backoff", "Sites asked for quiet, or do not answer: time helps."),
    ("robots", "Robots.txt files are out of reach, or close their sites at this hour: time helps."),
    ("budget", "Sites have had all that they were given. Give them a larger budget on their page."),
    ("block", "You have blocked the sites that have work. Unblock them on their page."),
    ("cpu", "The cores are busy: more cores make it faster."),
    ("memory", "The share for bodies is full: more --memory makes it faster."),
    ("disk", "Writing is behind: a faster disk, or a longer --durability."),
    ("outage", "Look at the network of this machine. The crawl tries by itself and goes on."),
    ("pause", "Press Resume to go on."),
    ("stopped", "Start it with rhumb crawl -o and its folder."),
];

/// The name of a number, and what it counts.
pub(super) fn number(field: &str) -> (&'static str, &'static str) {
    let found = NUMBERS.iter().find(|(key, ..)| *key == field);
    found.map_or(("?", ""), |(_, name, about)| (name, about))
}

fn found(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(key, _)| *key == word).map(|(_, about)| *about)
}

/// A word for a refusal, a failure, a cut or a mark, in a sentence; empty if we have none.
pub(super) fn of_refusal(word: &str) -> String {
    found(&REASONS, word).unwrap_or_default().to_owned()
}

/// How a URL ended without a page, in a sentence.
pub(super) fn of_failure(word: &str) -> String {
    let code = word.strip_prefix("http-").and_then(|code| code.parse::<u16>().ok());
    match code.and_then(|code| StatusCode::from_u16(code).ok()) {
        Some(code) => format!("the server answered {code}"),
        None => found(&FAILURES, word).unwrap_or_default().to_owned(),
    }
}

/// Why a body is not whole, or what a page is marked as.
pub(super) fn of_oddity(word: &str) -> String {
    found(&ODD, word).unwrap_or_default().to_owned()
}

/// What to do about what holds the crawl back.
pub(super) fn remedy(held_back_by: &str) -> Option<&'static str> {
    found(&REMEDIES, held_back_by)
}

/// A name that explains itself under the pointer and on focus; `id` is of this place alone.
pub(super) fn explained(id: &str, name: &str, about: &str) -> Markup {
    html! {
        span.explained id=(id) tabindex="0" aria-describedby={ (id) "-about" } {
            (name)
            span.about role="tooltip" id={ (id) "-about" } { (about) }
        }
    }
}

/// The same for a number of a status.
pub(super) fn explained_number(place: &str, field: &str) -> Markup {
    let (name, about) = number(field);
    explained(&format!("{place}-{field}"), name, about)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::history::PHASES;

    #[test]
    fn every_part_of_the_work_and_every_refusal_has_a_sentence() {
        for phase in PHASES {
            assert!(number(phase).1.ends_with('.'), "{phase}");
        }
        for (key, name, about) in NUMBERS {
            assert!(!name.is_empty() && about.ends_with('.'), "{key}");
        }
        assert_eq!(of_failure("http-404"), "the server answered 404 Not Found");
        assert_eq!(of_failure("http-9"), "");
        assert_eq!(of_failure("reset"), "the server broke off");
        assert_eq!(of_refusal("<b>"), "");
        assert!(remedy("nothing").is_none() && remedy("politeness").is_some());
    }
}
