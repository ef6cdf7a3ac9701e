//! The bytes say what the model says.

use std::io::Write as _;

use super::href::{BASE_DIR, href};
use super::{location, page, word};
use crate::serve::canonical;
use crate::spec::Spec;
use crate::truth::{Kind, PageId, Web};

const PORT: u16 = 4_321;

fn ids(web: &Web) -> impl Iterator<Item = PageId> + use<> {
    (0..u32::try_from(web.pages.len()).unwrap()).map(PageId)
}

/// Resolves as browsers do, then asks the server's own idea of canonical form.
fn resolved(base: &str, reference: &str) -> String {
    let url = url::Url::parse(base).unwrap().join(reference).unwrap();
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    assert_eq!(url.port(), Some(PORT), "{base} {reference}");
    format!("{}://{}:{PORT}{}", url.scheme(), url.host_str().unwrap(), canonical(&target))
}

#[test]
fn every_spelling_of_a_link_means_its_page_wherever_the_body_lies() {
    check_links(&Web::generate(&Spec::sized(5, 150, 2_000)));
    check_links(&Web::generate(&Spec::bench(30, 200)));
}

fn check_links(web: &Web) {
    let mut links = 0;
    for id in ids(web) {
        let from = web.page(id);
        let body = from.body_of;
        let mut base = web.url(id, PORT);
        if from.base {
            base = resolved(&base, BASE_DIR);
        }
        let written = web.page(body).links.iter().map(|link| href(web, body, *link, PORT));
        if matches!(from.kind, Kind::Html) {
            for (link, reference) in from.links.iter().zip(written) {
                let meant = web.url(link.to, PORT);
                assert_eq!(resolved(&base, &reference), meant, "{base} {reference}");
                links += 1;
            }
        }
        if let Kind::Redirect { to, .. } = from.kind {
            let reference = location(web, from, PORT).unwrap();
            assert_eq!(resolved(&web.url(id, PORT), &reference), web.url(to, PORT));
        }
    }
    assert!(links > 5_000, "{links} links");
}

#[test]
fn the_same_spec_gives_the_same_bytes_and_another_seed_others() {
    let bytes = |seed| {
        let web = Web::generate(&Spec::sized(seed, 60, 500));
        ids(&web).map(|id| page(&web, id, PORT)).collect::<Vec<_>>()
    };
    let first = bytes(1);
    assert_eq!(first, bytes(1));
    assert_ne!(first, bytes(2));
}

#[test]
fn only_copies_share_their_bytes() {
    let web = Web::generate(&Spec::sized(1, 60, 500));
    let html = |id: &PageId| web.page(*id).kind == Kind::Html;
    let mut by_bytes = std::collections::HashMap::new();
    for id in ids(&web).filter(html) {
        let body = web.page(id).body_of;
        assert_eq!(*by_bytes.entry(page(&web, id, PORT)).or_insert(body), body);
    }
    assert!(ids(&web).filter(html).any(|id| web.page(id).body_of != id));
}

#[test]
fn a_page_to_be_timed_is_as_large_as_linked_and_as_dense_as_pages_are() {
    let web = Web::generate(&Spec::bench(50, 400));
    let (mut bytes, mut gzipped, mut links) = (0, 0, 0);
    for id in ids(&web) {
        let html = page(&web, id, PORT);
        assert!((14_000..29_000).contains(&html.len()), "{} bytes", html.len());
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        gzip.write_all(&html).unwrap();
        gzipped += gzip.finish().unwrap().len();
        bytes += html.len();
        let text = String::from_utf8(html).unwrap();
        assert_eq!(text.matches("href=").count(), web.page(id).links.len());
        assert!(text.contains(&word(id)));
        links += web.page(id).links.len();
    }
    let (mean, percent) = (bytes / web.pages.len(), gzipped * 100 / bytes);
    println!("{mean} bytes a page, {percent} % in gzip, {links} links");
    assert!((20_500..21_500).contains(&mean), "{mean} bytes a page");
    assert!((25..=35).contains(&percent), "gzip leaves {percent} %");
    assert!((30..=32).contains(&(links / web.pages.len())), "{links} links");
}
