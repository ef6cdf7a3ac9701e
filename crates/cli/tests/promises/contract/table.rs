//! The contract as one table: every key that `--json` prints, and what may stand there.

/// What a value may be.
pub(super) enum Shape {
    Text,
    /// A canonical URL.
    Url,
    /// Always null.
    Null,
    /// RFC 3339, in UTC.
    Time,
    /// A whole number, from 0.
    Count,
    /// Any number from 0.
    Number,
    /// Any number.
    Signed,
    Flag,
    /// A word of one of these lists.
    Word(&'static [&'static Words]),
    OrNull(&'static Shape),
    List(&'static Shape),
    /// Names of a set, as many of them as there is something to tell of.
    By(&'static Words, &'static Shape),
    Object(&'static [Key]),
}

/// A closed list of words; `http-NNN` stands for every status.
pub(super) struct Words {
    /// How the document calls it; none where it lists the words in place.
    pub(super) name: Option<&'static str>,
    pub(super) words: &'static [&'static str],
}

pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// It goes beyond the design's contract.
    pub(super) is_ours: bool,
}

/// One kind of line.
pub(super) struct Output {
    /// Its heading in the document.
    pub(super) name: &'static str,
    pub(super) keys: &'static [&'static [Key]],
}

use super::pages::{EXPORT, PAGE};
use super::results::{FOUND as FOUND_ALL, GRAPH, PART, SEARCH, SIMULATE};
use Shape::{By, Count, Flag, List, Null, Number, Object, OrNull, Text, Time, Url, Word};

pub(super) const fn key(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_ours: false }
}

pub(super) const fn ours(name: &'static str, shape: Shape) -> Key {
    Key { name, shape, is_ours: true }
}

pub(super) const fn named(name: &'static str, words: &'static [&'static str]) -> Words {
    Words { name: Some(name), words }
}

pub(super) const fn of(words: &'static [&'static str]) -> Words {
    Words { name: None, words }
}

/// Why a link or a URL is refused.
pub(super) const REASON: Words = named(
    "reason",
    &[
        "out-of-scope",
        "excluded",
        "not-included",
        "too-deep",
        "too-many-hops",
        "trap-long-url",
        "trap-many-segments",
        "trap-tandem-segments",
        "trap-repeated-segment",
        "trap-repeated-page",
        "trap-calendar",
        "trap-growing-query",
        "trap-session-id",
        "trap-template",
        "trap-relative-link",
        "trap-deep",
        "robots",
        "nofollow",
        "private-address",
        "not-http",
        "bad-url",
        "too-many-links",
        "forgotten",
    ],
);
/// How a URL ends that brings no page.
pub(super) const FAILURE: Words = named(
    "failure",
    &[
        "http-NNN",
        "no-such-host",
        "dns",
        "connect",
        "tls",
        "timeout-dns",
        "timeout-connect",
        "timeout-headers",
        "timeout-body",
        "too-slow",
        "reset",
        "stale",
        "not-http",
        "headers-too-large",
        "proxy",
    ],
);
/// How a page came.
pub(super) const SUCCESS: Words = named(
    "success",
    &["ok", "redirect", "unchanged", "cut-length", "cut-time", "cut-disconnect", "cut-encoding"],
);
const CUT: Words = of(&["cut-length", "cut-time", "cut-disconnect", "cut-encoding"]);
/// What holds a site back.
const HOLD: Words = named("hold", &["site", "address", "backoff", "robots", "budget", "block"]);
const PHASE: Words = named(
    "phase",
    &[
        "dns",
        "connect",
        "tls",
        "write",
        "first_byte",
        "read",
        "parse",
        "digest",
        "archive",
        "log",
        "links",
        "refill",
        "index",
    ],
);
const VIOLATION: Words = named("violation", &["gap", "in-flight", "robots", "no-robots", "hours"]);
const BRAKE: Words = named(
    "brake",
    &[
        "politeness",
        "cpu",
        "disk",
        "memory",
        "connections",
        "outage",
        "pause",
        "servers",
        "robots",
        "backoff",
        "address",
        "budget",
        "block",
        "stopped",
        "nothing",
    ],
);
/// What a page is although its status does not say so.
pub(super) const MARK: Words =
    named("mark", &["soft-404", "parked", "challenge", "spam", "doorway", "cloaked"]);
/// The lists that have a name.
pub(super) const WORDS: [&Words; 9] =
    [&REASON, &FAILURE, &SUCCESS, &HOLD, &PHASE, &VIOLATION, &BRAKE, &MARK, &PART];

const EVENT: Words = of(&["fetched", "refused", "failed"]);
const ENDED: Words = of(&["fetched", "refused", "failed", "retried"]);
const LAST: Words = of(&["summary"]);
const ACTIVITY: Words = of(&["running", "stopped", "done"]);
const STATE: Words = of(&["fetched", "queued", "refused", "duplicate", "failed", "unknown"]);
/// The design's own words, without ours for a site that the user blocked.
const CLOCK: Words = of(&["site", "address", "backoff", "robots", "budget"]);
const ROBOTS_STATE: Words =
    of(&["unknown", "known", "unreachable", "no-such-host", "private-address"]);
const CODING: Words = of(&["gzip", "plain"]);
const BOTTLENECK: Words = of(&["cpu", "disk", "memory", "server", "others", "none"]);
const SITE_STATE: Words = of(&["fetching", "waiting", "idle", "asleep"]);
const MEMORY_PART: Words = of(&["bodies", "seen", "frontier", "changed", "likeness", "other"]);
const DISK_PART: Words =
    of(&["archive", "log", "seen", "backlog", "likeness", "tables", "index", "other"]);
pub(super) const LIKENESS: Words = of(&["same", "near", "canonical"]);
const ALIKE: Words = of(&["same", "near", "different"]);
const TRIED: Words = of(&["fetched", "redirect", "address-busy"]);
const ANSWERED: Words = of(&["answered", "interrupted", "forgotten"]);
const ERRAND: Words = of(&["page", "sitemap", "robots"]);
const SCOPE: Words = of(&["page", "prefix", "host", "domain", "any"]);
const SETTING: Words = of(&["delay", "connections", "scope", "budget", "block"]);
const TARGET: Words = of(&["host", "url"]);
const SOURCE: Words = of(&["sample", "sitemap"]);
const FOUND: Words = of(&["found", "absent"]);

/// A line of a crawl: the end of one URL.
pub(super) const CRAWL: Output = Output {
    name: "crawl",
    keys: &[&[
        key("event", Word(&[&EVENT])),
        key("time", Time),
        key("url", Url),
        key("site", Text),
        key("status", OrNull(&Count)),
        key("outcome", OrNull(&Word(&[&SUCCESS, &FAILURE]))),
        key("reason", OrNull(&Word(&[&REASON]))),
        key("bytes", Count),
        key("depth", Count),
        key("took_ms", OrNull(&Count)),
    ]],
};

/// The last line of a crawl.
pub(super) const SUMMARY: Output = Output {
    name: "crawl: the last line",
    keys: &[&[
        key("event", Word(&[&LAST])),
        key("fetched", Count),
        key("refused", By(&REASON, &Count)),
        key("failed", By(&FAILURE, &Count)),
        key("duplicates", Count),
        ours("near_duplicates", Count),
        ours("marked", By(&MARK, &Count)),
        key("queued", Count),
        key("waiting", Count),
        key("bytes", Count),
        key("elapsed_ms", Count),
        key("pages_per_s", Number),
        key("exit", Count),
    ]],
};

pub(super) const URL: Output = Output {
    name: "url",
    keys: &[&[
        key("input", Text),
        key("canonical", OrNull(&Url)),
        key("site", OrNull(&Text)),
        key("pld", OrNull(&Text)),
        key("key", OrNull(&Text)),
        key("error", OrNull(&Text)),
    ]],
};

pub(super) const ROBOTS: Output = Output {
    name: "robots",
    keys: &[&[
        key("url", Text),
        key("allowed", Flag),
        key("line", OrNull(&Count)),
        key("rule", OrNull(&Text)),
        key("group", OrNull(&Text)),
        key("agent", Text),
        key("crawl_delay_ms", OrNull(&Count)),
    ]],
};

const RECENT: Shape = Object(&[
    ours("url", Url),
    ours("time", Time),
    ours("what", Word(&[&ENDED])),
    ours("outcome", Word(&[&SUCCESS, &FAILURE, &REASON])),
    ours("status", OrNull(&Count)),
    ours("bytes", Count),
    ours("took_ms", OrNull(&Count)),
]);

const SITE_STANDING: Shape = Object(&[
    ours("site", Text),
    ours("visits", Count),
    ours("queued", Count),
    ours("takes_ms", Count),
    ours("state", Word(&[&SITE_STATE])),
    ours("held_by", OrNull(&Word(&[&HOLD]))),
    ours("for_ms", Count),
]);

const PERCENTILES: Shape = Object(&[
    ours("count", Count),
    ours("sum_ms", Number),
    ours("p50_ms", Number),
    ours("p90_ms", Number),
    ours("p99_ms", Number),
    ours("max_ms", Number),
]);

pub(super) const STATUS: Output = Output {
    name: "status",
    keys: &[&[
        key("state", Word(&[&ACTIVITY])),
        ours("paused", Flag),
        ours("verdict", Text),
        ours("held_back_by", Word(&[&BRAKE])),
        key("fetched", Count),
        ours("pages", Count),
        ours("redirects", Count),
        ours("sitemaps", Count),
        ours("robots", Count),
        ours("duplicates", Count),
        ours("near_duplicates", Count),
        ours("marked", By(&MARK, &Count)),
        ours("mirrors", List(&MIRROR)),
        key("queued", Count),
        key("waiting", Count),
        ours("waiting_by", By(&HOLD, &Count)),
        key("refused", By(&REASON, &Count)),
        key("failed", By(&FAILURE, &Count)),
        ours("cut", By(&CUT, &Count)),
        key("sites", Count),
        ours("sites_by_state", By(&SITE_STATE, &Count)),
        ours("in_flight", Count),
        ours("connections", Count),
        key("bytes", Count),
        key("memory_bytes", Count),
        ours("memory", By(&MEMORY_PART, &Count)),
        key("disk_bytes", Count),
        ours("disk", By(&DISK_PART, &Count)),
        key("pages_per_s", Number),
        ours("bytes_per_s", Number),
        ours("cpu_cores", Number),
        ours("elapsed_ms", Count),
        ours("phases", By(&PHASE, &PERCENTILES)),
        ours("dns_failures", Count),
        ours("outage", Flag),
        ours("forgotten", Count),
        ours("busiest", List(&SITE_STANDING)),
        ours("slowest", List(&SITE_STANDING)),
        ours("recent", List(&RECENT)),
    ]],
};

/// A line of `status --traps`.
pub(super) const TRAPS: Output = Output {
    name: "status --traps",
    keys: &[&[
        ours("site", Text),
        ours("template", Text),
        ours("kind", Word(&[&REASON])),
        ours("pages", Count),
        ours("new", Count),
        ours("refused", Count),
    ]],
};

const MIRROR: Shape = Object(&[ours("site", Text), ours("of", Text), ours("pages", Count)]);

const ROBOTS_LINE: Shape = Object(&[
    ours("state", Word(&[&ROBOTS_STATE])),
    key("line", OrNull(&Count)),
    key("rule", OrNull(&Text)),
]);

const TRY: Shape = Object(&[
    key("time", Time),
    key("outcome", Word(&[&TRIED, &FAILURE, &REASON])),
    key("status", OrNull(&Count)),
]);

pub(super) const WHY: Output = Output {
    name: "why",
    keys: &[&[
        key("url", Text),
        key("canonical", OrNull(&Url)),
        ours("changes", List(&Text)),
        key("state", Word(&[&STATE])),
        key("reason", OrNull(&Text)),
        key("found_on", OrNull(&Url)),
        ours("depth", OrNull(&Count)),
        key("scope", OrNull(&Text)),
        key("robots", ROBOTS_LINE),
        key("seen_at", OrNull(&Time)),
        key("duplicate_of", OrNull(&Url)),
        ours("likeness", OrNull(&Word(&[&LIKENESS]))),
        ours("mark", OrNull(&Word(&[&MARK]))),
        ours("document", OrNull(&Text)),
        ours("redirected_from", List(&Url)),
        ours("redirects_to", OrNull(&Url)),
        key("tries", List(&TRY)),
        key("queue_position", OrNull(&Count)),
        key("held_by", OrNull(&Word(&[&CLOCK]))),
        ours("held_until", OrNull(&Time)),
        key("next_visit", OrNull(&Time)),
        ours("judged_now", Flag),
        ours("advice", OrNull(&Text)),
    ]],
};

const VIOLATION_KEYS: Shape = Object(&[
    ours("kind", Word(&[&VIOLATION])),
    ours("time", Time),
    ours("url", Url),
    ours("what", Text),
]);

const FIGURES: &[Key] = &[
    key("requests", Count),
    ours("interrupted", Count),
    ours("attempts", Count),
    ours("robots_requests", Count),
    ours("disguised", Count),
    key("min_gap_ms", OrNull(&Count)),
    ours("tightest_gap_ms", OrNull(&Count)),
    ours("tightest_asked_ms", OrNull(&Count)),
    key("max_in_flight", Count),
    key("delay_ms", OrNull(&Count)),
    key("crawl_delay_ms", OrNull(&Count)),
    ours("first", OrNull(&Time)),
    ours("last", OrNull(&Time)),
    key("violations", Count),
    ours("violation_list", List(&VIOLATION_KEYS)),
];

pub(super) const AUDIT: Output = Output { name: "audit", keys: &[&[key("host", Text)], FIGURES] };

pub(super) const TOTAL: Output = Output {
    name: "audit: the last line",
    keys: &[
        &[key("host", Null)],
        FIGURES,
        &[
            ours("hosts", Count),
            ours("files", Count),
            ours("records", Count),
            ours("unreadable", Count),
            ours("untold", Count),
        ],
    ],
};

const IN_FORCE: Shape = Object(&[
    ours("line", OrNull(&Count)),
    ours("rule", OrNull(&Text)),
    ours("group", OrNull(&Text)),
    ours("fetched", Time),
]);

pub(super) const REQUEST: Output = Output {
    name: "audit --requests",
    keys: &[&[
        ours("time", Time),
        ours("site", Text),
        ours("url", Url),
        ours("errand", Word(&[&ERRAND])),
        ours("disguised", Flag),
        ours("status", OrNull(&Count)),
        ours("outcome", Word(&[&ANSWERED, &FAILURE])),
        ours("took_ms", OrNull(&Count)),
        ours("gap_ms", OrNull(&Count)),
        ours("asked_ms", Count),
        ours("robots", OrNull(&IN_FORCE)),
        ours("violations", List(&Word(&[&VIOLATION]))),
    ]],
};

pub(super) const FORGET: Output = Output {
    name: "forget",
    keys: &[&[
        ours("target", Text),
        ours("kind", Word(&[&TARGET])),
        ours("records", Count),
        ours("urls", Count),
        ours("queued", Count),
        ours("seeds", Count),
        ours("files", Count),
        ours("time", Time),
    ]],
};

pub(super) const SITE: Output = Output {
    name: "site",
    keys: &[&[
        ours("site", Text),
        ours("delay_ms", OrNull(&Count)),
        ours("connections", Count),
        ours("scope", Word(&[&SCOPE])),
        ours("budget", OrNull(&Count)),
        ours("block", Flag),
        ours("own", List(&Word(&[&SETTING]))),
    ]],
};

pub(super) const PLAN: Output = Output {
    name: "plan",
    keys: &[&[
        ours("url", Url),
        ours("pages", Count),
        ours("pages_from", Word(&[&SOURCE])),
        ours("disallowed", Count),
        ours("delay_ms", Count),
        ours("time_ms", Count),
        ours("bytes", Count),
        ours("disk_bytes", Count),
        ours("sitemaps", Count),
        ours("robots", Word(&[&FOUND])),
    ]],
};

pub(super) const BENCH: Output = Output {
    name: "bench",
    keys: &[&[
        ours(
            "machine",
            Object(&[
                ours("cpu", Text),
                ours("cores", Count),
                ours("memory_bytes", OrNull(&Count)),
                ours("disk_free_bytes", Count),
                ours("disk_bytes_per_s", Number),
                ours("sync_ms", Number),
            ]),
        ),
        ours(
            "web",
            Object(&[
                ours("hosts", Count),
                ours("pages", Count),
                ours("page_bytes", Count),
                ours("received_bytes", Count),
                ours("coding", Word(&[&CODING])),
            ]),
        ),
        ours(
            "parts",
            List(&Object(&[
                ours("part", Text),
                ours("what", Text),
                ours("within", OrNull(&Text)),
                ours("per_page", Number),
                ours("page_ms", Number),
                ours("page_least_ms", Number),
                ours("page_most_ms", Number),
            ])),
        ),
        ours("parts_ms", Number),
        ours(
            "crawl",
            Object(&[
                ours("pages", Count),
                ours("missing", Count),
                ours("repeats", Count),
                ours("elapsed_ms", Count),
                ours("pages_per_s", Number),
                ours("bytes_per_s", Number),
                ours("cpu_ms", Count),
                ours("page_cpu_ms", Number),
                ours("pages_per_cpu_s", Number),
                ours("memory_bytes", Count),
                ours("written_bytes", Count),
                ours("cores", Count),
                ours("busy", Number),
                ours("server_busy", Number),
                ours("others_busy", Number),
                ours("shared_core", Flag),
            ]),
        ),
        ours("bottleneck", Word(&[&BOTTLENECK])),
        ours("verdict", Text),
    ]],
};

pub(super) const SIMILAR: Output = Output {
    name: "similar",
    keys: &[&[
        key("jaccard", Number),
        ours("estimate", OrNull(&Number)),
        key("simhash_distance", OrNull(&Count)),
        key("verdict", Word(&[&ALIKE])),
    ]],
};

/// Every kind of line that `--json` prints.
pub(super) const OUTPUTS: [&Output; 21] = [
    &CRAWL, &SUMMARY, &STATUS, &TRAPS, &WHY, &AUDIT, &TOTAL, &REQUEST, &EXPORT, &FORGET, &SITE,
    &PLAN, &URL, &ROBOTS, &PAGE, &SIMILAR, &BENCH, &SIMULATE, &SEARCH, &FOUND_ALL, &GRAPH,
];
