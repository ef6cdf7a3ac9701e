//! Sitemaps, and the lines of robots.txt that name them.

use std::fmt::Write as _;
use std::io::Write as _;

use crate::truth::{Host, PageId, Robots, Sitemap, Web};

/// A file of a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
}

fn path(sitemap: Sitemap) -> &'static str {
    match sitemap {
        Sitemap::Plain => "/sitemap.xml",
        Sitemap::Gzip => "/sitemap.xml.gz",
        Sitemap::Index => "/sitemap-index.xml",
        Sitemap::Text => "/sitemap.txt",
    }
}

/// What robots.txt says beyond its kind: the sitemap, and the calendar that it closes.
pub(crate) fn robots_lines(host: &Host, port: u16) -> String {
    let mut lines = String::new();
    if host.trap {
        lines.push_str("Disallow: /calendar/\n");
    }
    if let Some(sitemap) = host.sitemap {
        let name = if host.robots == Robots::Shouting { "SITEMAP" } else { "Sitemap" };
        let _ = writeln!(lines, "{name}: {}{}", host.origin(port), path(sitemap));
    }
    if host.robots == Robots::Crlf { lines.replace('\n', "\r\n") } else { lines }
}

/// The sitemap file at a target of the host, if there is one.
pub(crate) fn part_at(web: &Web, host: &Host, target: &str, port: u16) -> Option<Part> {
    let sitemap = host.sitemap?;
    let urls = || {
        let listed = host.pages.clone().map(PageId).filter(|p| web.page(*p).in_sitemap);
        listed.map(|p| web.url(p, port)).collect::<Vec<_>>()
    };
    let xml = |body: String| Part { content_type: "application/xml", body: body.into_bytes() };
    match (sitemap, target) {
        (Sitemap::Plain, "/sitemap.xml") => Some(xml(url_set(&urls()))),
        (Sitemap::Gzip, "/sitemap.xml.gz") => {
            let body = gzip(url_set(&urls()).as_bytes());
            Some(Part { content_type: "application/x-gzip", body })
        }
        (Sitemap::Index, "/sitemap-index.xml") => Some(xml(index(&host.origin(port)))),
        (Sitemap::Index, "/sitemap-1.xml") => {
            Some(xml(url_set(&urls().into_iter().step_by(2).collect::<Vec<_>>())))
        }
        (Sitemap::Index, "/sitemap-2.xml") => {
            Some(xml(url_set(&urls().into_iter().skip(1).step_by(2).collect::<Vec<_>>())))
        }
        (Sitemap::Text, "/sitemap.txt") => {
            let body = urls().join("\n").into_bytes();
            Some(Part { content_type: "text/plain; charset=utf-8", body })
        }
        _ => None,
    }
}

fn url_set(urls: &[String]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for url in urls {
        let loc = url.replace('&', "&amp;");
        let _ = writeln!(xml, "<url><loc>{loc}</loc><lastmod>2026-01-02</lastmod></url>");
    }
    xml.push_str("</urlset>\n");
    xml
}

fn index(origin: &str) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for n in 1..=2 {
        let _ = writeln!(xml, "<sitemap><loc>{origin}/sitemap-{n}.xml</loc></sitemap>");
    }
    xml.push_str("</sitemapindex>\n");
    xml
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes every byte")
}
