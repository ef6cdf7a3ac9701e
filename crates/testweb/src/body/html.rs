//! The HTML of pages.

use std::fmt::Write as _;

use super::decoys::{self, Decoy};
use super::{href, word};
use crate::chance::Chance;
use crate::truth::{Directive, Kind, Link, Markup, PageId, Variant, Web};

/// The octets of a page of a varied web.
pub(super) fn page(web: &Web, id: PageId, port: u16) -> Vec<u8> {
    let body = web.page(id).body_of;
    let page = web.page(body);
    if page.kind == Kind::Text {
        let decoy = decoys::target("plain-text", body);
        let words = filler(web, body);
        return format!("{}\n{words}\n<a href=\"{decoy}\">{decoy}</a>\n", word(body)).into_bytes();
    }
    let mut html = String::with_capacity(web.spec.body_bytes * 2 + 1_024);
    html.push_str("<!DOCTYPE html>\n<html lang=\"en\"><head>\n");
    html.push_str(&page.charset.meta());
    let decoys: Vec<Decoy> = decoys::chosen(web, body).collect();
    head(web, body, port, &decoys, &mut html);
    html.push_str("</head>\n");
    if page.frameset {
        frameset(web, body, port, &mut html);
    } else {
        main(web, body, port, &decoys, &mut html);
    }
    html.push_str("</html>\n");
    page.charset.encode(html)
}

fn head(web: &Web, body: PageId, port: u16, decoys: &[Decoy], html: &mut String) {
    let page = web.page(body);
    let _ = write!(html, "<title>Leaf {} of the log", word(body));
    for decoy in decoys.iter().filter(|d| **d == Decoy::Title) {
        html.push_str(&decoy.html(body));
    }
    html.push_str("</title>\n");
    if page.base {
        // A mirrored body must not name its host: its relative links belong to whoever serves it.
        let host = web.host_of(body);
        let origin = if host.mirrored || body.0.is_multiple_of(2) {
            String::new()
        } else {
            host.origin(port)
        };
        let _ = writeln!(html, "<base href=\"{origin}{}\">", href::BASE_DIR);
    }
    let meta = match page.directive {
        Directive::Noindex => Some(("robots", "noindex, follow")),
        Directive::OtherbotMeta => Some(("otherbot", "nofollow")),
        Directive::NofollowMeta => Some(("ROBOTS", "index, NOFOLLOW")),
        Directive::NofollowMetaRhumb => Some(("rhumb", "nofollow")),
        Directive::NoneMeta => Some(("robots", "none")),
        Directive::None
        | Directive::OtherbotHeader
        | Directive::NofollowHeader
        | Directive::NofollowHeaderRhumb => None,
    };
    if let Some((name, content)) = meta {
        let _ = writeln!(html, "<meta name=\"{name}\" content=\"{content}\">");
    }
    for link in &page.links {
        let url = || escaped(web, body, *link, port);
        let _ = match link.markup {
            Markup::Next => writeln!(html, "<link rel=\"next\" href=\"{}\">", url()),
            Markup::Refresh => {
                writeln!(html, "<meta http-equiv=\"Refresh\" content=\"0; URL={}\">", url())
            }
            _ => Ok(()),
        };
    }
    if (page.text_of != body || body.0.is_multiple_of(9)) && web.page(page.text_of).is_ordinary() {
        let canonical = web.url(page.text_of, port).replace('&', "&amp;");
        let _ = writeln!(html, "<link rel=\"canonical\" href=\"{canonical}\">");
    }
}

fn frameset(web: &Web, body: PageId, port: u16, html: &mut String) {
    html.push_str("<frameset cols=\"50%,50%\">\n");
    for link in &web.page(body).links {
        let _ = writeln!(html, "<frame src=\"{}\">", escaped(web, body, *link, port));
    }
    html.push_str("<noframes>no frames here</noframes>\n</frameset>\n");
}

fn main(web: &Web, body: PageId, port: u16, decoys: &[Decoy], html: &mut String) {
    let page = web.page(body);
    let native = page.charset.native_word().unwrap_or_default();
    let _ = writeln!(html, "<body>\n<h1>Leaf {}</h1>\n<p>{native}</p>", word(body));
    for link in &page.links {
        anchor(web, body, *link, port, html);
    }
    for decoy in decoys.iter().filter(|d| **d != Decoy::Title) {
        html.push_str(&decoy.html(body));
    }
    if page.directive.forbids_links() {
        let decoy = decoys::target("directive", body);
        let _ = writeln!(html, "<p><a href=\"{decoy}\">not for robots</a></p>");
    }
    let host = web.host_of(body);
    if host.trap && body == host.home() {
        for target in decoys::TRAPS.iter().chain([&decoys::CALENDAR]) {
            let _ = writeln!(html, "<a href=\"{target}\">more</a>");
        }
    }
    let _ = writeln!(html, "<p>{}</p>\n</body>", filler(web, page.text_of));
}

/// One link in the body; those of the head are written there.
fn anchor(web: &Web, body: PageId, link: Link, port: u16, html: &mut String) {
    let url = escaped(web, body, link, port);
    let n = link.to.0;
    let _ = match link.markup {
        Markup::Next | Markup::Refresh | Markup::Frame => Ok(()),
        Markup::Anchor => writeln!(html, "<p>To <a class=\"x\" href=\"{url}\">leaf {n}</a>.</p>"),
        Markup::SingleQuoted => writeln!(html, "<p><a title=\">\" href='{url}'>leaf {n}</a></p>"),
        Markup::Unquoted => writeln!(html, "<p><a href={url}>leaf {n}</a></p>"),
        Markup::Capitals => writeln!(html, "<P><A HREF=\"{url}\">LEAF {n}</A></P>"),
        Markup::LineEnds => {
            writeln!(html, "<p><a\nid=l{n}\nhref\n=\n\"\n  {url}\t\n\"\n>leaf\n{n}</a\n></p>")
        }
        Markup::Broken => {
            writeln!(
                html,
                "<td><<b><p><a href=\"{url}\"href2=\"x\" <i>leaf {n}</b></p></a></table>"
            )
        }
        Markup::TwiceHref => {
            let decoy = decoys::target("second-href", link.to);
            writeln!(html, "<p><a href=\"{url}\" href=\"{decoy}\">leaf {n}</a></p>")
        }
        Markup::Area => {
            writeln!(html, "<map name=m{n}><area shape=rect alt=\"leaf {n}\" href=\"{url}\"></map>")
        }
        Markup::Iframe => writeln!(html, "<iframe src=\"{url}\" title=\"leaf {n}\"></iframe>"),
        Markup::Noscript => {
            writeln!(html, "<noscript><p><a href=\"{url}\">leaf {n}</a></p></noscript>")
        }
    };
}

fn escaped(web: &Web, body: PageId, link: Link, port: u16) -> String {
    let url = href::href(web, body, link, port);
    if link.variant == Variant::References {
        return url.replace('&', "&#38;").replacen('/', "&#x2F;", 1).replacen('e', "&#101;", 1);
    }
    // Sloppy authors leave ampersands bare; no parameter of ours begins like a reference.
    if link.to.0.is_multiple_of(3) { url } else { url.replace('&', "&amp;") }
}

/// About as many words as bodies are to have bytes, the same ones for near-duplicates.
fn filler(web: &Web, text_of: PageId) -> String {
    let wish = web.spec.body_bytes;
    let spread = (text_of.0 as usize).wrapping_mul(2_654_435_761);
    let length = wish / 2 + spread % wish.max(1);
    let pool: Vec<&str> = web.filler.split_whitespace().collect();
    // In an order of its own: no two texts have much in common.
    let mut chance = Chance::new(web.spec.seed, 0xf111_0000_0000 + u64::from(text_of.0));
    let mut words = String::with_capacity(length + 16);
    while words.len() < length {
        words.push_str(pool[chance.below(pool.len())]);
        words.push(' ');
    }
    words
}

/// Pages of the calendar that robots.txt closes: long, but a crawler that walks in comes to an end.
const MONTHS: u32 = 400;

/// A page of an endless path: it always has one more. `None` where the path ends.
pub(crate) fn trap(target: &str) -> Option<String> {
    let more = if target.starts_with("/trap/deep/") {
        "more/".to_owned()
    } else if target.starts_with("/trap/loop/") {
        "a/b/".to_owned()
    } else if let Some(text) = target.strip_prefix("/trap/list?s=") {
        format!("list?s={text}{}", "y".repeat(150))
    } else if let Some(month) = target.strip_prefix("/calendar/2026/") {
        let month: u32 = month.strip_suffix(".html")?.parse().ok()?;
        format!("{}.html", month % MONTHS + 1)
    } else {
        return None;
    };
    Some(format!(
        "<!DOCTYPE html>\n<title>More</title>\n<p>{}</p>\n<a href=\"{more}\">more</a>\n",
        target.len()
    ))
}
