//! The story of one URL in words: the same for `rhumb why` and for `/why`.

use std::time::SystemTime;

use rhumb_crawl::ask::{Held, UrlState, Why};
use rhumb_web::Span;
use rhumb_web::words::counted;

/// Bytes of a URL that are shown; no server takes a longer one.
pub const SHOWN_BYTES_MAX: usize = 8 << 10;

/// A line of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// What it is about.
    pub name: &'static str,
    /// What there is to say.
    pub text: String,
    /// Another URL that the text names.
    pub url: Option<String>,
}

/// What became of a URL, after the word for it.
pub fn headline(why: &Why, now: SystemTime) -> String {
    let reason = why.reason.clone();
    match why.state {
        UrlState::Fetched => match (&why.redirects_to, why.tries.last()) {
            (None, None) => reason.unwrap_or_else(|| "once".to_owned()),
            (Some(to), _) => format!("it redirects to {to}"),
            (None, Some(last)) => format!("at {}", when(&last.time, now)),
        },
        UrlState::Duplicate => {
            let like = if why.likeness.as_deref() == Some("same") {
                "the same as"
            } else {
                "nearly the same as"
            };
            format!("{like} {}", why.duplicate_of.as_deref().unwrap_or("an earlier page"))
        }
        UrlState::Queued => reason.unwrap_or_else(|| "it is next of its site".to_owned()),
        UrlState::Refused => reason.unwrap_or_else(|| "by a rule".to_owned()),
        UrlState::Failed => reason.unwrap_or_else(|| "given up".to_owned()),
        UrlState::Unknown => "no page of this crawl linked to it".to_owned(),
    }
}

/// Why that is so: all but what would change it, which whoever shows it says in his own way.
pub fn lines(why: &Why, now: SystemTime) -> Vec<StoryLine> {
    let mut story = Story::default();
    story.say("URL", Some(short(why.canonical.as_ref().unwrap_or(&why.url))));
    if !why.changes.is_empty() {
        story.say("asked as", Some(short(&why.url)));
        story.say("spelling", Some(why.changes.join("; ")));
    }
    story.name("found on", why.found_on.as_ref(), why.depth.map(|depth| found(why, depth)));
    story.say("seen", why.seen_at.as_deref().map(|at| when(at, now)));
    for from in &why.redirected_from {
        story.name("redirected", Some(from), Some(format!("from {from}")));
    }
    let to = why.redirects_to.as_ref();
    story.name("redirects", to, to.map(|to| format!("to {to}")));
    let of = why.duplicate_of.as_ref();
    story.name("same as", of, of.map(|of| alike(why, of)));
    story.say("marked", why.mark.as_deref().map(mark_words));
    story.say("document", why.document.clone());
    story.say("scope", why.scope.clone());
    story.say("robots.txt", robots_words(why));
    for one in &why.tries {
        let status = one.status.map_or_else(String::new, |status| format!("  status {status}"));
        story.say("tried", Some(format!("{}  {}{status}", one.time, one.outcome)));
    }
    // The headline says it, unless it has something else to say.
    let is_told = why.reason.as_ref().is_some_and(|reason| reason.ends_with("before it"));
    if let Some(before @ 1..) = why.queue_position.filter(|_| !is_told) {
        let go = if before == 1 { "goes" } else { "go" };
        story.say("queue", Some(format!("{} of its site {go} before it", counted(before, "URL"))));
    }
    story.say(
        "held by",
        why.held_by.map(|held| {
            let until = why.held_until.as_deref();
            let until = until.map(|until| format!(" until {}", when(until, now)));
            format!("{}{}", held_words(held), until.unwrap_or_default())
        }),
    );
    story.say("next visit", why.next_visit.as_deref().map(|at| format!("about {}", when(at, now))));
    if why.judged_now && why.state == UrlState::Refused && why.canonical.is_some() {
        story.say("judged", Some("now: refused links are counted, not kept one by one".to_owned()));
    }
    story.0
}

#[derive(Default)]
struct Story(Vec<StoryLine>);

impl Story {
    fn say(&mut self, name: &'static str, text: Option<String>) {
        self.name(name, None, text);
    }

    fn name(&mut self, name: &'static str, url: Option<&String>, text: Option<String>) {
        self.0.extend(text.map(|text| StoryLine { name, text, url: url.cloned() }));
    }
}

/// By what a page is taken for another.
fn alike(why: &Why, of: &str) -> String {
    match why.likeness.as_deref() {
        Some("near") => format!("{of}  (nearly the same text)"),
        Some("canonical") => {
            format!("{of}  (which it calls its canonical form, and the texts agree)")
        }
        _ => of.to_owned(),
    }
}

fn mark_words(mark: &str) -> String {
    match mark {
        "soft-404" => "soft-404: it says that there is nothing there".to_owned(),
        "parked" => "parked: its domain has no site of its own".to_owned(),
        "challenge" => "challenge: it wants a proof that a person is looking".to_owned(),
        "spam" => "spam: it is made to be found, and not to be read".to_owned(),
        "doorway" => "doorway: it leads to another domain at once".to_owned(),
        "cloaked" => "cloaked: it shows a browser something else than us".to_owned(),
        other => other.to_owned(),
    }
}

fn found(why: &Why, depth: u16) -> String {
    match &why.found_on {
        Some(page) => format!("{page}  (depth {depth})"),
        None if depth == 0 => "a seed".to_owned(),
        None => format!("not known  (depth {depth})"),
    }
}

/// What is known of its robots.txt; none if it is no URL.
fn robots_words(why: &Why) -> Option<String> {
    why.canonical.as_ref()?;
    if let (Some(line), Some(rule)) = (why.robots.line, &why.robots.rule) {
        return Some(format!("line {line}: {rule}"));
    }
    let words = match why.robots.state.as_str() {
        "known" => "no line speaks of it, so it may be fetched",
        "unknown" => "not known yet",
        "unreachable" => "out of reach, which closes its site",
        "no-such-host" => "not asked for: there is no such host",
        "private-address" => "not asked for: its address is private",
        other => other,
    };
    Some(words.to_owned())
}

fn held_words(held: Held) -> &'static str {
    match held {
        Held::Site => "the gap between two visits of its site",
        Held::Address => "its address, which other sites share",
        Held::Backoff => "back-off: it failed, or the site asked for quiet",
        Held::Robots => "robots.txt",
        Held::Budget => "the budget of its site",
    }
}

/// A moment in RFC 3339, and how far away it is.
pub fn when(text: &str, now: SystemTime) -> String {
    let Ok(at) = humantime::parse_rfc3339(text) else { return text.to_owned() };
    match (at.duration_since(now), now.duration_since(at)) {
        (Ok(to_come), _) => format!("{text}, in {}", Span::from(to_come)),
        (_, Ok(gone)) => format!("{text}, {} ago", Span::from(gone)),
        _ => text.to_owned(),
    }
}

/// A text that fills no screen.
fn short(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES_MAX)];
    if shown.len() == text.len() {
        return text.to_owned();
    }
    let all = u64::try_from(text.len()).expect("a length fits 64 bits");
    format!("{shown}… ({})", counted(all, "byte"))
}
