//! A reader of the narrow HTML that copies are written in. Whatever it passes, every reader of HTML
//! reads in the same way; and it passes nothing that runs, loads or sends.

/// Elements that may be there.
#[rustfmt::skip]
const ELEMENTS: [&str; 94] = [
    "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote",
    "body", "br", "button", "caption", "center", "cite", "code", "col", "colgroup", "dd", "del",
    "details", "dfn", "dialog", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure",
    "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html",
    "i", "input", "ins", "kbd", "label", "legend", "li", "main", "mark", "menu", "meta", "meter",
    "nav", "nobr", "ol", "optgroup", "option", "output", "p", "pre", "progress", "q", "rp", "rt",
    "ruby", "s", "samp", "search", "section", "select", "small", "span", "strike", "strong",
    "style", "sub", "summary", "sup", "table", "tbody", "td", "textarea", "tfoot", "th", "thead",
    "time", "title", "tr",
];
/// The rest of them.
const MORE_ELEMENTS: [&str; 5] = ["tt", "u", "ul", "var", "wbr"];

/// Attributes that may be there; none of them names anything that a browser would load.
#[rustfmt::skip]
const ATTRIBUTES: [&str; 54] = [
    "abbr", "align", "bgcolor", "border", "cellpadding", "cellspacing", "charset", "checked",
    "class", "clear", "color", "cols", "colspan", "compact", "content", "datetime", "dir",
    "disabled", "face", "for", "headers", "height", "hidden", "high", "href", "id", "label", "lang",
    "low", "max", "min", "multiple", "name", "noshade", "nowrap", "open", "optimum", "placeholder",
    "reversed", "role", "rows", "rowspan", "scope", "selected", "size", "span", "start", "style",
    "target", "title", "type", "valign", "value", "width",
];

/// Metas of ours.
const METAS: [&str; 2] = ["<meta charset=\"utf-8\">", "<meta name=\"robots\" content=\"noindex\">"];

/// Fails unless a document is written so.
#[track_caller]
pub(crate) fn check(document: &str, name: &str) {
    let mut rest = document.strip_prefix("<!DOCTYPE html>").unwrap_or(document);
    let mut is_style = false;
    while let Some(at) = rest.find('<') {
        let (text, from) = rest.split_at(at);
        if is_style {
            check_style(text, name);
        }
        let end = from.find('>').expect("a tag ends");
        let tag = &from[..=end];
        is_style = check_tag(tag, name) == "style";
        rest = &from[end + 1..];
    }
    if is_style {
        check_style(rest, name);
    }
    assert!(!document.contains('\0'), "{name}");
}

/// The name of the element that a tag begins; empty where it ends one.
#[track_caller]
fn check_tag<'a>(tag: &'a str, name: &str) -> &'a str {
    let inside = &tag[1..tag.len() - 1];
    let is_known = |element: &str| ELEMENTS.contains(&element) || MORE_ELEMENTS.contains(&element);
    if let Some(element) = inside.strip_prefix('/') {
        assert!(is_known(element), "{name}: {tag}");
        return "";
    }
    let (element, mut rest) = inside.split_at(inside.find(' ').unwrap_or(inside.len()));
    assert!(is_known(element), "{name}: {tag}");
    assert!(element != "meta" || METAS.contains(&tag), "{name}: {tag}");
    let mut met = Vec::new();
    while !rest.is_empty() {
        let pair = rest.strip_prefix(' ').and_then(|rest| rest.split_once("=\""));
        let (attribute, after) = pair.expect("a value is in quotation marks");
        let (value, after) = after.split_once('"').expect("its quotation marks end");
        assert!(ATTRIBUTES.contains(&attribute), "{name}: {tag}");
        assert!(!met.contains(&attribute), "{name}: {tag}");
        check_value(element, attribute, value, name);
        met.push(attribute);
        rest = after;
    }
    let is_control = matches!(element, "input" | "button" | "select" | "textarea");
    assert!(!is_control || met.contains(&"disabled"), "{name}: {tag}");
    element
}

#[track_caller]
fn check_value(element: &str, attribute: &str, value: &str, name: &str) {
    match attribute {
        "href" => {
            let is_ours = value.starts_with('#')
                || value.starts_with("/copy?url=http%3A%2F%2F")
                || value.starts_with("/copy?url=https%3A%2F%2F");
            assert!(element == "a" && is_ours, "{name}: {value}");
        }
        "target" => assert!(["_top", "_self"].contains(&value), "{name}: {value}"),
        "style" => check_style(value, name),
        "type" if element == "input" => {
            assert!(!["file", "hidden", "image", "password"].contains(&value), "{name}: {value}");
        }
        _ => {}
    }
}

/// Rules of style name nothing from outside.
#[track_caller]
fn check_style(rules: &str, name: &str) {
    let rules = rules.to_ascii_lowercase();
    for word in
        ["url(", "src(", "image-set(", "cross-fade(", "@import", "expression(", "&#", "image("]
    {
        assert!(!rules.contains(word), "{name}: {word} in {rules}");
    }
    for (at, _) in rules.match_indices('\\') {
        let after = &rules[at + 1..];
        let is_harmless =
            after.starts_with("3c ") || after.starts_with(|c: char| c.is_ascii_punctuation());
        assert!(is_harmless, "{name}: an escape in {rules}");
    }
}

#[test]
fn what_is_not_written_so_is_found() {
    let fails =
        |document: &'static str| std::panic::catch_unwind(|| check(document, "it")).is_err();
    for good in ["", "<p title=\"x\">a</p>", "<style>p{}</style>", "<!DOCTYPE html>a &lt;"] {
        assert!(!fails(good), "{good}");
    }
    for bad in [
        "<script>",
        "<p onclick=\"x\">",
        "<p title=x>",
        "<a href=\"javascript:x\">",
        "<p",
        "<!-- x -->",
        "<style>@import 'x'</style>",
        "<p style=\"a:url(x)\">",
        "<svg>",
        "<p title=\"a\" title=\"b\">",
        "<input type=\"text\">",
    ] {
        assert!(fails(bad), "{bad}");
    }
}
