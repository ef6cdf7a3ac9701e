//! The table of planted bugs: each must turn a test red, or that test proves nothing.
//!
//! To add one: copy a line of product code as it stands (it must occur exactly once in its file),
//! break it the way a tired person would, and name the test that must notice.

/// A bug, and the test that notices it.
pub(crate) struct Plant {
    /// What it breaks, in a word or two.
    pub(crate) name: &'static str,
    /// The file, from the root.
    pub(crate) file: &'static str,
    /// The text as it stands there, once.
    pub(crate) before: &'static str,
    /// The bug.
    pub(crate) after: &'static str,
    /// The package whose tests must notice.
    pub(crate) package: &'static str,
    /// A part of the name of the test that must notice.
    pub(crate) filter: &'static str,
    /// Left to `cargo x test --full` and `cargo x plants`: many crates are built for it.
    pub(crate) full: bool,
}

/// All of them.
pub(crate) const PLANTS: &[Plant] = &[
    Plant {
        name: "escapes keep their case",
        file: "crates/web/src/url/escapes.rs",
        before: "rest[..3].to_ascii_uppercase()",
        after: "rest[..3]",
        package: "rhumb-web",
        filter: "spellings_of_one_page_become_one_text",
        full: false,
    },
    Plant {
        name: "tracking parameters are kept",
        file: "crates/web/src/url/mod.rs",
        before: "!parameters::is_dropped(name)",
        after: "!parameters::is_dropped(name) || !name.is_empty()",
        package: "rhumb-web",
        filter: "tracking_and_session_parameters_go",
        full: false,
    },
    Plant {
        name: "the shorter robots rule wins",
        file: "crates/rules/src/robots/view.rs",
        before: "(Reverse(rule.pattern.weight()), Reverse(rule.allow))",
        after: "(rule.pattern.weight(), Reverse(rule.allow))",
        package: "rhumb-rules",
        filter: "a_longer_rule_beats_a_shorter_one",
        full: false,
    },
    Plant {
        name: "image maps have no links",
        file: "crates/page/src/scan/gatherer.rs",
        before: "b\"area\" => self.link(tag, LinkKind::Area, \"href\", \"alt\"),",
        after: "b\"area\" => {}",
        package: "rhumb-page",
        filter: "every_kind_of_link_is_found",
        full: false,
    },
    Plant {
        name: "the gap by min instead of max",
        file: "crates/frontier/src/manner.rs",
        before: "self.delay.max(by_load)",
        after: "self.delay.min(by_load)",
        package: "rhumb-frontier",
        filter: "the_gap_is_the_longest",
        full: false,
    },
    Plant {
        name: "a busy site is on turn",
        file: "crates/frontier/src/site.rs",
        before: "if self.in_flight {",
        after: "if self.in_flight && self.visits > u64::MAX / 2 {",
        package: "rhumb-frontier",
        filter: "a_site_is_never_on_turn",
        full: false,
    },
    Plant {
        name: "simulated: the gap by min instead of max",
        file: "crates/frontier/src/manner.rs",
        before: "self.delay.max(by_load)",
        after: "self.delay.min(by_load)",
        package: "rhumb-simulate",
        filter: "no_host_can_complain",
        full: false,
    },
    Plant {
        name: "simulated: Retry-After is ignored",
        file: "crates/frontier/src/manner.rs",
        before: "asked.unwrap_or(Span(doubled.0 + jitter.0)).min(DAY)",
        after: "asked.map_or(doubled, |_| doubled).min(DAY)",
        package: "rhumb-simulate",
        filter: "no_host_can_complain",
        full: true,
    },
    Plant {
        name: "simulated: crawl-delay is ignored",
        file: "crates/frontier/src/manner.rs",
        before: ".max(robots_gap.unwrap_or(Span::ZERO))",
        after: ".max(robots_gap.map_or(Span::ZERO, |_| Span::ZERO))",
        package: "rhumb-simulate",
        filter: "no_host_can_complain",
        full: true,
    },
    Plant {
        name: "simulated: the ticket that is out is forgotten",
        file: "crates/frontier/src/frontier.rs",
        before: "state.in_flight = true;",
        after: "state.in_flight = false;",
        package: "rhumb-simulate",
        filter: "no_host_can_complain",
        full: true,
    },
    Plant {
        name: "simulated: a new crawl-delay waits for the next visit",
        file: "crates/crawl/src/partition/settle.rs",
        before: "manner = manner.not_before(now + gap + Span(1));",
        after: "manner = manner.not_before(now + Span(gap.0.min(1)));",
        package: "rhumb-simulate",
        filter: "no_host_can_complain",
        full: true,
    },
    Plant {
        name: "private addresses are visited",
        file: "crates/fetch/src/address.rs",
        before: "is_public(address) ||",
        after: "!is_public(address) || is_public(address) ||",
        package: "rhumb-fetch",
        filter: "a_private_address_is_refused_before_anything_is_sent",
        full: false,
    },
    Plant {
        name: "the digest of a payload counts its chunks",
        file: "crates/archive/src/encode.rs",
        before: "let (digest, is_empty) = payload_digest(&message);",
        after: "let (digest, is_empty) = (Digest::of(message.body), message.body.is_empty());",
        package: "rhumb-archive",
        filter: "the_payload_digest_is_over_the_body_without_its_chunks",
        full: false,
    },
];
