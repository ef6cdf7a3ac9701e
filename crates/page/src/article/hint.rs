//! What the name, the role and the class of an element say of its place in a page.

use crate::scan::{Name, Tag};

/// The most words of one class or id that are looked at.
const WORDS_MAX: usize = 24;

/// An id with more words is made of a heading's.
const ID_WORDS_MAX: usize = 3;

/// What an element is there for, as far as its start tag tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Role {
    /// Nobody sees it.
    Hidden,
    /// It leads elsewhere or belongs to the site: navigation, footers, shares, notices.
    Clutter,
    /// The same by a word that a document can have as well: it depends on what is in it.
    Doubtful,
    /// What a blog says of a post around it: date, author, tags.
    Label,
    #[default]
    Plain,
    /// A word says that this is the document.
    Content,
    /// An article.
    Article,
    /// The main part of the page.
    Main,
}

/// What a start tag says. Only a container can be more than hidden.
pub(super) fn role(tag: &Tag<'_, '_>, is_container: bool) -> Role {
    if is_hidden(tag) {
        return Role::Hidden;
    }
    if !is_container {
        let is_out = tag.raw("class").is_some_and(|class| words(class).any(is_sign));
        return if is_out { Role::Hidden } else { Role::Plain };
    }
    let by_words = by_words(tag);
    let is_large = matches!(tag.name.known(), b"div" | b"section" | b"article" | b"main");
    let by_words = if is_large && by_words == Role::Hidden { Role::Plain } else { by_words };
    let by_role = tag.raw("role").map_or(Role::Plain, by_role);
    match (by_role, tag.name.known()) {
        (Role::Main, _) | (_, b"main") => Role::Main,
        (Role::Clutter, _) | (_, b"nav" | b"dialog") => Role::Clutter,
        (_, b"article") if by_words != Role::Clutter => Role::Article,
        _ if tag.lists("itemprop", "articleBody") => Role::Article,
        (_, b"footer" | b"menu") => Role::Clutter,
        (_, b"header" | b"aside") if by_words != Role::Clutter => match by_words {
            Role::Content => Role::Plain,
            _ => Role::Doubtful,
        },
        (Role::Doubtful, _) if by_words == Role::Plain => Role::Doubtful,
        _ => by_words,
    }
}

fn is_hidden(tag: &Tag<'_, '_>) -> bool {
    let style = |style: &str| {
        let mut rules = style.split(';').filter_map(|rule| rule.split_once(':'));
        rules.any(|(name, value)| {
            name.trim_ascii().eq_ignore_ascii_case("display")
                && value.trim_ascii().eq_ignore_ascii_case("none")
        })
    };
    tag.attributes.iter().any(|(name, value)| match name.len() {
        5 => name.eq_ignore_ascii_case("style") && style(value),
        6 => name.eq_ignore_ascii_case("hidden") && !value.eq_ignore_ascii_case("until-found"),
        11 => name.eq_ignore_ascii_case("aria-hidden") && value.eq_ignore_ascii_case("true"),
        _ => false,
    })
}

fn by_role(role: &str) -> Role {
    match Name::of(role.trim_ascii()).known() {
        b"main" => Role::Main,
        b"navigation" | b"banner" | b"contentinfo" | b"search" | b"menu" | b"menubar"
        | b"toolbar" | b"dialog" | b"alertdialog" | b"tablist" => Role::Clutter,
        b"complementary" | b"doc-toc" => Role::Doubtful,
        _ => Role::Plain,
    }
}

/// What the words of class and id say; those of an id are weaker, because an id can be made of a
/// heading's words.
fn by_words(tag: &Tag<'_, '_>) -> Role {
    let class = tag.raw("class").map_or(Role::Plain, by_class);
    if class != Role::Plain {
        return class;
    }
    let is_short =
        |id: &&str| id.split(|char: char| !char.is_ascii_alphanumeric()).count() <= ID_WORDS_MAX;
    match tag.raw("id").filter(is_short).map_or(Role::Plain, by_class) {
        Role::Clutter => Role::Doubtful,
        Role::Hidden => Role::Plain,
        other => other,
    }
}

fn by_class(class: &str) -> Role {
    let mut found = Role::Plain;
    for word in words(class) {
        if is_sign(word) {
            return Role::Hidden;
        }
        match by_word(Name::of(word).known()) {
            Role::Clutter => found = Role::Clutter,
            role @ (Role::Doubtful | Role::Label) if found != Role::Clutter => found = role,
            Role::Content if found == Role::Plain => found = Role::Content,
            _ => {}
        }
    }
    found
}

/// The words of a class or an id.
fn words(class: &str) -> impl Iterator<Item = &str> {
    let words = class.split(|char: char| !char.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).take(WORDS_MAX)
}

/// Whether a word is that of signs and numbers beside the text. The length tells most others.
fn is_sign(word: &str) -> bool {
    const SIGNS: [&str; 10] = [
        "headerlink",
        "permalink",
        "editsection",
        "lineno",
        "linenos",
        "linenumber",
        "linenumbers",
        "gutter",
        "noprint",
        "skiplink",
    ];
    (6..=11).contains(&word.len()) && SIGNS.iter().any(|sign| word.eq_ignore_ascii_case(sign))
}

fn by_word(word: &[u8]) -> Role {
    match word {
        b"navy" | b"naval" => Role::Plain,
        b"menu" | b"menubar" | b"submenu" | b"dropdown" | b"toc" | b"tableofcontents"
        | b"footer" | b"pagefooter" | b"cookie" | b"cookies" | b"consent" | b"gdpr" | b"share"
        | b"sharing" | b"sharebar" | b"social" | b"related" | b"recommended" | b"pagination"
        | b"pager" | b"paginator" | b"prevnext" | b"skip" | b"ad" | b"ads" | b"sponsor"
        | b"sponsored" | b"promo" | b"newsletter" | b"subscribe" | b"popup" | b"modal"
        | b"toolbar" | b"comment" | b"comments" | b"respond" | b"disqus" | b"login"
        | b"searchbox" | b"searchform" | b"masthead" | b"copyright" | b"colophon" | b"widget"
        | b"widgets" | b"tagcloud" => Role::Clutter,
        b"header" | b"banner" | b"search" | b"reply" | b"overlay" | b"links" | b"bottom"
        | b"top" | b"side" | b"rail" | b"path" | b"archive" | b"archives" => Role::Doubtful,
        b"meta" | b"tags" | b"categories" | b"author" | b"bio" | b"byline" | b"vcard" | b"date"
        | b"dateline" | b"published" | b"timestamp" | b"postinfo" | b"tools" | b"actions"
        | b"buttons" | b"info" => Role::Label,
        b"content" | b"contents" | b"main" | b"article" | b"post" | b"entry" | b"story"
        | b"document" | b"documentation" | b"body" | b"docbook" | b"text" | b"primary" => {
            Role::Content
        }
        _ if word.starts_with(b"nav")
            || word.starts_with(b"breadcrumb")
            || word.starts_with(b"sidebar")
            || word.ends_with(b"sidebar")
            || word.starts_with(b"advert")
            || word.starts_with(b"inherit") =>
        {
            Role::Clutter
        }
        _ => Role::Plain,
    }
}
