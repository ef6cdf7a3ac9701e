//! The text of a link: one page, many spellings.

use crate::truth::{Kind, Link, Page, PageId, Spelling, Variant, Web};

/// Where relative links of pages with a base are resolved.
pub(super) const BASE_DIR: &str = "/people/";

/// Writes the link of a body, before HTML escapes; `from` is the page that the body was made for.
pub(super) fn href(web: &Web, from: PageId, link: Link, port: u16) -> String {
    let salt = from.0.wrapping_add(link.to.0);
    let target = vary(&web.page(link.to).target, link.variant, salt);
    let host = web.host_of(link.to);
    match link.spelling {
        _ if link.variant == Variant::CapitalHost => {
            format!("{}{target}", host.origin(port).to_uppercase())
        }
        Spelling::Absolute => format!("{}{target}", host.origin(port)),
        Spelling::ProtocolRelative => format!("//{}:{port}{target}", host.name),
        Spelling::Root => target,
        Spelling::Relative => relative(base_dir(web.page(from)), &target, salt),
    }
}

/// The Location of a redirect.
pub(crate) fn location(web: &Web, page: &Page, port: u16) -> Option<String> {
    let Kind::Redirect { to, spelling, .. } = page.kind else { return None };
    let target = &web.page(to).target;
    Some(match spelling {
        Spelling::Relative => relative(dir(&page.target), target, to.0),
        Spelling::Root => target.clone(),
        Spelling::Absolute | Spelling::ProtocolRelative => web.url(to, port),
    })
}

fn base_dir(page: &Page) -> &str {
    if page.base { BASE_DIR } else { dir(&page.target) }
}

/// The path up to its last slash.
fn dir(target: &str) -> &str {
    let path = target.split('?').next().unwrap_or_default();
    &path[..=path.rfind('/').unwrap_or(0)]
}

fn vary(target: &str, variant: Variant, salt: u32) -> String {
    match variant {
        Variant::Plain | Variant::CapitalHost | Variant::References => target.to_owned(),
        Variant::Fragment => format!("{target}#part-{}", salt % 7),
        Variant::EmptyQuery if target.contains('?') => target.to_owned(),
        Variant::EmptyQuery => format!("{target}?"),
        Variant::Tracking => {
            let extra = ["utm_source=feed&utm_medium=rss", "fbclid=IwAR0", "gclid=Cj0K"];
            with_parameter(target, extra[salt as usize % extra.len()], salt)
        }
        Variant::Session => {
            let name = if salt.is_multiple_of(2) { "PHPSESSID" } else { "jsessionid" };
            with_parameter(target, &format!("{name}={salt:08x}"), salt / 2)
        }
        Variant::Dots => {
            let (head, tail) = target.split_at(dir(target).len());
            let detour = if salt.is_multiple_of(2) { "./" } else { "skip/../" };
            format!("{head}{detour}{tail}")
        }
        Variant::Escapes => escape(target),
    }
}

fn with_parameter(target: &str, parameter: &str, salt: u32) -> String {
    match target.split_once('?') {
        None => format!("{target}?{parameter}"),
        Some((path, query)) if salt.is_multiple_of(3) => format!("{path}?{parameter}&{query}"),
        Some(_) => format!("{target}&{parameter}"),
    }
}

/// Escapes that mean the same octets: lower-case hex, and unreserved characters escaped.
fn escape(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let lower = path.replace("%C3%BC", "%c3%bc").replace("%C3%A9", "%c3%a9").replace('~', "%7e");
    let (head, tail) = lower.split_at(dir(&lower).len());
    let tail = match tail.as_bytes().first() {
        Some(first) if first.is_ascii_alphanumeric() => format!("%{first:02x}{}", &tail[1..]),
        _ => tail.to_owned(),
    };
    format!("{head}{tail}{query}")
}

fn relative(from: &str, target: &str, salt: u32) -> String {
    let to = dir(target);
    let same = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
    let shared = from[..same].rfind('/').map_or(0, |slash| slash + 1);
    let ups = from[shared..].matches('/').count();
    let rest = format!("{}{}", "../".repeat(ups), &target[shared..]);
    let bare = rest.is_empty() || rest.starts_with(['?', '#']);
    if bare || (ups == 0 && salt.is_multiple_of(4)) { format!("./{rest}") } else { rest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_climb_only_as_far_as_needed() {
        for (from, target, expect) in [
            ("/a/b/", "/a/c/d.html", "../c/d.html"),
            ("/a/", "/a/x.html", "x.html"),
            ("/a/", "/", "../"),
            ("/", "/", "./"),
            ("/a/", "/a/?utm_source=x", "./?utm_source=x"),
            ("/ab/", "/ac/x", "../ac/x"),
        ] {
            assert_eq!(relative(from, target, 1), expect);
        }
    }

    #[test]
    fn variants_keep_real_parameters_in_their_order() {
        for (variant, salt, expect) in [
            (Variant::Tracking, 1, "/l?b=1&a=2&fbclid=IwAR0"),
            (Variant::Tracking, 3, "/l?utm_source=feed&utm_medium=rss&b=1&a=2"),
            (Variant::Dots, 1, "/skip/../l?b=1&a=2"),
            (Variant::Escapes, 0, "/%6c?b=1&a=2"),
        ] {
            assert_eq!(vary("/l?b=1&a=2", variant, salt), expect);
        }
    }
}
