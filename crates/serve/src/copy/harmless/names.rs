//! What may stay of a page: elements and attributes, by name. Everything else goes.

/// Elements that stay, sorted. None of them loads, runs or sends anything by itself.
#[rustfmt::skip]
const KEPT: [&str; 97] = [
    "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote",
    "body", "br", "button", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del",
    "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure",
    "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html",
    "i", "input", "ins", "kbd", "label", "legend", "li", "main", "mark", "menu", "meter", "nav",
    "nobr", "ol", "optgroup", "option", "output", "p", "pre", "progress", "q", "rp", "rt", "ruby",
    "s", "samp", "search", "section", "select", "small", "span", "strike", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "title",
    "tr", "tt", "u", "ul", "var", "wbr",
];

/// Elements that go with all that is in them, sorted.
#[rustfmt::skip]
const DROPPED: [&str; 6] = ["fencedframe", "noembed", "noframes", "portal", "script", "template"];

/// Elements of foreign languages that HTML may begin in, sorted.
#[rustfmt::skip]
const INTEGRATING: [&str; 9] = [
    "annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "title",
];

/// Attributes that stay, whatever their value is, sorted.
#[rustfmt::skip]
const ATTRIBUTES: [&str; 48] = [
    "abbr", "align", "bgcolor", "border", "cellpadding", "cellspacing", "checked", "class", "clear",
    "color", "cols", "colspan", "compact", "datetime", "dir", "face", "for", "headers", "height",
    "hidden", "high", "id", "label", "lang", "low", "max", "min", "multiple", "name", "noshade",
    "nowrap", "open", "optimum", "placeholder", "reversed", "role", "rows", "rowspan", "scope",
    "selected", "size", "span", "start", "title", "type", "valign", "value", "width",
];

/// Elements that a page often ends in the wrong order; one that is left open would go on to the end
/// of the page.
#[rustfmt::skip]
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];

/// What a control may be; any other is one for text.
const CONTROLS: [&str; 7] = ["button", "checkbox", "number", "radio", "range", "reset", "submit"];

/// What becomes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays, by this name.
    Kept(&'static str),
    /// Its tags go, what is in it stays.
    Unwrapped,
    /// It goes with all that is in it.
    Dropped,
    /// It goes with what is in it up to the next element of HTML.
    Foreign,
    /// For browsers that run nothing, as ours here: what is in it is a page of its own.
    NoScript,
    /// A picture: its text stays.
    Picture,
    /// A place on a picture: it becomes a link.
    Area,
    /// A page within the page: it becomes a link.
    Frame,
    /// Rules of style: they stay as far as they load nothing.
    Style,
}

impl Fate {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "img" | "image" => return Self::Picture,
            "area" => return Self::Area,
            "frame" | "iframe" => return Self::Frame,
            "style" => return Self::Style,
            "math" | "svg" => return Self::Foreign,
            "noscript" => return Self::NoScript,
            "listing" | "plaintext" | "xmp" => return Self::Kept("pre"),
            // There is nothing that it could be sent to.
            "form" => return Self::Kept("div"),
            _ => {}
        }
        if let Ok(at) = KEPT.binary_search(&name) {
            Self::Kept(KEPT[at])
        } else if DROPPED.binary_search(&name).is_ok() {
            Self::Dropped
        } else {
            Self::Unwrapped
        }
    }
}

/// The attribute of this name, if it stays as it is.
pub(super) fn attribute(name: &str) -> Option<&'static str> {
    ATTRIBUTES.binary_search(&name).ok().map(|at| ATTRIBUTES[at])
}

/// Whether an element within a foreign language still belongs to it, by its name alone.
pub(super) fn is_integrating(name: &str) -> bool {
    INTEGRATING.contains(&name)
}

/// Whether an element changes only how letters look.
pub(super) fn is_formatting(name: &str) -> bool {
    FORMATTING.contains(&name)
}

/// Whether people could use an element to enter something.
pub(super) fn is_control(name: &str) -> bool {
    matches!(name, "button" | "fieldset" | "input" | "optgroup" | "option" | "select" | "textarea")
}

/// The kind of an `input` that has this type; none for one that nobody sees.
pub(super) fn control(kind: &str) -> Option<&'static str> {
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(kind.trim_ascii());
    if "hidden".eq_ignore_ascii_case(kind.trim_ascii()) {
        return None;
    }
    Some(CONTROLS.iter().find(is_it).map_or("text", |known| *known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_have_nothing_in_common() {
        assert!(KEPT.is_sorted() && DROPPED.is_sorted() && ATTRIBUTES.is_sorted());
        assert!(INTEGRATING.is_sorted());
        assert!(KEPT.iter().all(|name| DROPPED.binary_search(name).is_err()));
        assert!(ATTRIBUTES.iter().all(|name| !name.starts_with("on")));
        assert!(FORMATTING.iter().all(|name| KEPT.binary_search(name).is_ok()));
    }

    #[test]
    fn what_is_unknown_loses_its_tags() {
        assert_eq!(Fate::of("my-element"), Fate::Unwrapped);
        assert_eq!(Fate::of("script"), Fate::Dropped);
        assert_eq!(Fate::of("xmp"), Fate::Kept("pre"));
        assert_eq!(control("PASSWORD"), Some("text"));
        assert_eq!(control(" Hidden"), None);
    }
}
