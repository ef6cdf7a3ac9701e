//! The HTML of an even web: articles between a menu and a list of further reading.

use std::fmt::Write as _;

use super::{href, word};
use crate::chance::Chance;
use crate::truth::{Lexicon, Link, PageId, Web};

/// Links in the menu, and in the list at the end; the others stand in the text.
const MENU_LINKS: usize = 6;
const READING_LINKS: usize = 10;
/// What follows the article takes about this much of a page.
const END_BYTES: usize = 2_600;
/// Every second word is one of so few: a page keeps to its subject, which is why text compresses.
const SUBJECT_WORDS: usize = 120;
const SUBJECT_PERCENT: usize = 50;

pub(super) fn page(web: &Web, lexicon: &Lexicon, id: PageId, port: u16) -> Vec<u8> {
    let wish = web.spec.body_bytes;
    let mut chance = Chance::new(web.spec.seed, 0x9205_0000_0000 + u64::from(id.0));
    let subject = (0..SUBJECT_WORDS).map(|_| lexicon.word(&mut chance)).collect();
    let html = String::with_capacity(wish * 3 / 2);
    let mut writer = Writer { web, lexicon, subject, id, port, chance, html };
    let size = wish * 5 / 7 + writer.chance.below((wish * 4 / 7).max(1));
    writer.write(size);
    writer.html.into_bytes()
}

struct Writer<'a> {
    web: &'a Web,
    lexicon: &'a Lexicon,
    subject: Vec<&'a str>,
    id: PageId,
    port: u16,
    chance: Chance,
    html: String,
}

impl Writer<'_> {
    fn write(&mut self, size: usize) {
        let links = &self.web.page(self.id).links;
        let (menu, rest) = links.split_at(links.len().min(MENU_LINKS));
        let (inline, reading) = rest.split_at(rest.len().saturating_sub(READING_LINKS));
        self.head();
        self.menu(menu);
        self.article(inline, size.saturating_sub(END_BYTES));
        self.reading(reading);
        self.html.push_str(
            "<footer class=\"site-footer\"><p class=\"small\">Printed on the quay. \
             All soundings in fathoms.</p></footer>\n</body>\n</html>\n",
        );
    }

    fn head(&mut self) {
        let name = word(self.id);
        let _ = write!(self.html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<title>{name} ");
        self.words(6);
        self.html.push_str(
            "</title>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\">\n<meta name=\"description\" \
             content=\"",
        );
        self.words(18);
        self.html.push_str(
            "\">\n<style>body { margin: 0 auto; max-width: 44em; font: 1em/1.5 serif } \
             .menu li { display: inline; margin-right: 1em }</style>\n</head>\n",
        );
    }

    fn menu(&mut self, links: &[Link]) {
        self.html.push_str("<body class=\"page\">\n<header class=\"site-header\">\n");
        self.list("menu", links);
        self.html.push_str("</header>\n");
    }

    fn reading(&mut self, links: &[Link]) {
        self.html.push_str("<aside class=\"related\">\n<h2>Further reading</h2>\n");
        self.list("reading", links);
        self.html.push_str("</aside>\n");
    }

    fn list(&mut self, class: &str, links: &[Link]) {
        let _ = writeln!(self.html, "<nav><ul class=\"{class}\">");
        for link in links {
            self.html.push_str(
                "<li class=\"menu-item menu-item-page\"><span class=\"icon\" \
                 aria-hidden=\"true\"></span>",
            );
            self.anchor(*link);
            self.html.push_str("</li>\n");
        }
        self.html.push_str("</ul></nav>\n");
    }

    /// Sections of paragraphs, a link in each until none is left, then on to the wished size.
    fn article(&mut self, links: &[Link], size: usize) {
        self.html.push_str("<main>\n<article class=\"post\">\n<h1>");
        self.words(5);
        self.html.push_str("</h1>\n");
        let mut links = links.iter();
        let mut paragraphs = 0;
        while self.html.len() < size || links.len() > 0 {
            if paragraphs % 5 == 4 {
                let _ = write!(self.html, "<h2 id=\"part-{paragraphs}\">");
                self.words(4);
                self.html.push_str("</h2>\n");
            }
            if paragraphs % 7 == 5 {
                self.points();
            }
            let _ =
                writeln!(self.html, "<div class=\"block block-text\" data-part=\"{paragraphs}\">");
            self.paragraph(links.next());
            self.html.push_str("</div>\n");
            paragraphs += 1;
        }
        self.html.push_str("</article>\n</main>\n");
    }

    fn points(&mut self) {
        self.html.push_str("<ul class=\"points\">\n");
        for _ in 0..4 {
            self.html.push_str("<li><strong>");
            self.words(2);
            self.html.push_str("</strong> ");
            self.words(8);
            self.html.push_str("</li>\n");
        }
        self.html.push_str("</ul>\n");
    }

    fn paragraph(&mut self, link: Option<&Link>) {
        self.html.push_str("<p class=\"text\">");
        self.sentence();
        if let Some(link) = link {
            self.html.push_str(" See ");
            self.anchor(*link);
            self.html.push('.');
        }
        for _ in 0..2 + self.chance.below(4) {
            self.html.push(' ');
            self.sentence();
        }
        self.html.push_str("</p>\n");
    }

    fn sentence(&mut self) {
        let start = self.html.len();
        let clauses = 1 + self.chance.below(3);
        for clause in 0..clauses {
            if clause > 0 {
                self.html.push_str(", ");
            }
            let count = 4 + self.chance.below(7);
            self.words(count);
        }
        self.html.push('.');
        if let Some(first) = self.html.get_mut(start..=start) {
            first.make_ascii_uppercase();
        }
    }

    fn anchor(&mut self, link: Link) {
        let url = href::href(self.web, self.id, link, self.port);
        let _ = write!(self.html, "<a class=\"link\" href=\"{url}\">");
        self.words(3);
        self.html.push_str("</a>");
    }

    fn words(&mut self, count: usize) {
        for n in 0..count {
            if n > 0 {
                self.html.push(' ');
            }
            let word = if self.chance.percent(SUBJECT_PERCENT) {
                let first = self.chance.below(self.subject.len());
                self.subject[self.chance.below(first + 1)]
            } else {
                self.lexicon.word(&mut self.chance)
            };
            self.html.push_str(word);
        }
    }
}
