//! XHTML as a reader of HTML understands it: elements that end where they begin get an end.

/// Elements that have no end in HTML.
#[rustfmt::skip]
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "source",
    "track", "wbr",
];

/// What is no element: how it begins, and how it ends.
const OTHERS: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];

/// The same page with `<x></x>` in place of `<x/>`.
pub(in crate::copy) fn with_ends(page: &str) -> String {
    let mut out = String::with_capacity(page.len() + page.len() / 8);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (text, from) = rest.split_at(at);
        let (token, after) = from.split_at(length(from));
        out.push_str(text);
        match unended(token) {
            Some((tag, name)) => {
                for part in [tag, "></", name, ">"] {
                    out.push_str(part);
                }
            }
            None => out.push_str(token),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A tag without its end, and its name, if it both begins and ends an element that is not void.
fn unended(token: &str) -> Option<(&str, &str)> {
    let tag = token.strip_suffix("/>")?;
    let inside = tag.strip_prefix('<').filter(|it| it.starts_with(|c: char| c.is_alphabetic()))?;
    let name = inside.split(|c: char| c.is_ascii_whitespace() || c == '/').next()?;
    (!VOID.contains(&name)).then_some((tag, name))
}

/// The length of what begins with `<`: one that has no end goes to the end of the page.
fn length(from: &str) -> usize {
    if let Some((begin, end)) = OTHERS.iter().find(|(begin, _)| from.starts_with(begin)) {
        let found = from[begin.len()..].find(end);
        return found.map_or(from.len(), |at| begin.len() + at + end.len());
    }
    let mut mark = None;
    for (at, sign) in from.bytes().enumerate() {
        match (mark, sign) {
            (None, b'"' | b'\'') => mark = Some(sign),
            (None, b'>') => return at + 1,
            (Some(open), sign) if open == sign => mark = None,
            _ => {}
        }
    }
    from.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expect: &str) {
        assert_eq!(with_ends(page), expect);
    }

    #[test]
    fn what_ends_where_it_begins_gets_an_end() {
        check("<title/><p>a</p>", "<title></title><p>a</p>");
        check(
            "<script src=\"x.js\" />é<a title='>/>'/>",
            "<script src=\"x.js\" ></script>é<a title='>/>'></a>",
        );
    }

    #[test]
    fn all_else_stays() {
        for page in [
            "a<br/><img src='x' />",
            "<!-- <p/> -->",
            "<![CDATA[<p/>]]>",
            "<?x <p/>?>",
            "<",
            "<a 'x>",
            "</p/>",
        ] {
            check(page, page);
        }
    }
}
