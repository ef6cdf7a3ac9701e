//! From an answer to a document: what it says, and where it leads.

use std::collections::HashSet;

use rhumb_formats::{End, Kind};
use rhumb_index::{Document, OutLink};
use rhumb_page::{Article, Format, Scan};
use rhumb_rules::of_meta;
use rhumb_web::{Directive, Directives, Link, LinkKind, UrlKey};

use crate::moment;
use crate::reading::{Answer, Reader, Unread};

/// The most links of one page that count: a longer list is made for machines.
const LINKS_MAX: usize = 10_000;
/// How much of a link's text counts.
const LINK_CHARS_MAX: usize = 100;

/// What was read of an answer, whatever it is.
struct Told {
    kind: &'static str,
    title: Option<String>,
    article: Article,
    links: Vec<Link>,
    directives: Directives,
}

impl Reader {
    /// The document in an answer; nothing where there is none, or none that may be found.
    pub(crate) fn document(&self, answer: &Answer<'_>) -> Result<Option<Document>, Unread> {
        let media_type = answer.header("content-type");
        let told = match Kind::of(&answer.body, media_type, answer.url) {
            Some(kind) => self.read_document(kind, answer)?,
            None => self.read_page(answer),
        };
        let Some(told) = told else { return Ok(None) };
        let wishes = answer.directives.union(told.directives);
        if wishes.has(Directive::NoIndex) {
            return Ok(None);
        }
        let key = self.key(answer.url);
        let links =
            if wishes.has(Directive::NoFollow) { Vec::new() } else { self.links(key, told.links) };
        let Article { main, headings, language, about, .. } = told.article;
        let dates = [about.modified, about.published];
        let mut dates = dates.iter().flatten().filter_map(|date| moment::rfc_3339(date));
        let date = dates.find_map(|date| moment::dated(date, answer.fetched_ms));
        let last_modified = || moment::of_header(answer.header("last-modified")?);
        Ok(Some(Document {
            key,
            url: answer.url.clone(),
            title: told.title,
            headings,
            description: about.description,
            main,
            language: language.map(|language| language.tag),
            kind: told.kind.to_owned(),
            fetched_ms: answer.fetched_ms,
            dated_ms: date.or_else(|| moment::dated(last_modified()?, answer.fetched_ms)),
            place: answer.place,
            digest: answer.digest.map(str::to_owned),
            no_snippet: wishes.has(Directive::NoSnippet),
            no_archive: wishes.has(Directive::NoArchive),
            original: None,
            sinks: false,
            links,
        }))
    }

    fn read_page(&self, answer: &Answer<'_>) -> Option<Told> {
        let media_type = answer.header("content-type");
        let spoken = answer.header("content-language");
        let read =
            rhumb_page::read_whole(&answer.body, media_type, spoken, answer.url, self.canon)?;
        let (page, article) = read;
        let directives = self.wishes(&page.scan);
        let Scan { title, links, .. } = page.scan;
        let kind = if page.format == Format::Text { "text" } else { "html" };
        Some(Told { kind, title, article, links, directives })
    }

    /// What a page asks of us.
    pub(crate) fn wishes(&self, scan: &Scan) -> Directives {
        let wishes = scan.metas.iter().map(|(name, content)| of_meta(&self.agent, name, content));
        wishes.fold(Directives::NONE, Directives::union)
    }

    fn read_document(&self, kind: Kind, answer: &Answer<'_>) -> Result<Option<Told>, Unread> {
        let Some(formats) = &self.formats else { return Ok(None) };
        let mut extract = formats.read(kind, answer.body.clone());
        match extract.end {
            // What nobody reads is only kept.
            End::Stored => return Ok(None),
            End::Unread(_) => return Err(Unread),
            _ => {}
        }
        let language = extract.language.take();
        let spoken = answer.header("content-language");
        let main = std::mem::take(&mut extract.text);
        let mut article = Article::of_text(main, language.as_deref(), spoken);
        article.about.modified = extract.modified.take();
        article.about.published = extract.created.take();
        let scan = extract.into_scan(answer.url, self.canon);
        let directives = Directives::NONE;
        let (kind, title, links) = (kind.word(), scan.title, scan.links);
        Ok(Some(Told { kind, title, article, links, directives }))
    }

    /// The links that count, each text to each page once.
    pub(crate) fn links(&self, own: UrlKey, links: Vec<Link>) -> Vec<OutLink> {
        let mut met = HashSet::with_capacity(links.len().min(LINKS_MAX));
        let mut found = Vec::with_capacity(links.len().min(LINKS_MAX));
        for Link { url, kind, text, nofollow } in links {
            let leads = match kind {
                LinkKind::A
                | LinkKind::Area
                | LinkKind::Frame
                | LinkKind::Iframe
                | LinkKind::Refresh => true,
                LinkKind::Link
                | LinkKind::Canonical
                | LinkKind::Hreflang
                | LinkKind::Sitemap
                | LinkKind::Feed => false,
            };
            if nofollow || !leads {
                continue;
            }
            if found.len() == LINKS_MAX {
                break;
            }
            let key = self.key(&url);
            let text = shortened(text);
            if key != own && met.insert(self.hash.hash(text.as_bytes()) ^ key.0) {
                found.push(OutLink { key, text });
            }
        }
        found
    }
}

fn shortened(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LINK_CHARS_MAX) {
        text.truncate(end);
    }
    text
}
