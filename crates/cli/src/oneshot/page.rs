//! `rhumb page`: what is understood of a body.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use rhumb_formats::{End, Extract, Kind};
use rhumb_page::{About, Article, Facts, OpenGraph, Page, Schema, Spam};
use rhumb_rules::of_meta;
use rhumb_web::{Canon, CanonUrl, Directive, Directives, Link};
use serde::Serialize;

use super::{line, read};
use crate::fault::Fault;
use crate::formats;
use crate::printable::printable;

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// A page, sitemap, feed, PDF or Office document, or - for stdin
    file: String,
    /// The URL at which it was found
    #[arg(long)]
    url: String,
    /// The Content-Type header that came with it
    #[arg(long = "type", value_name = "TYPE")]
    media_type: Option<String>,
    /// The robot that reads it
    #[arg(long, default_value = "rhumb")]
    agent: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct PageShown<'a> {
    url: &'a CanonUrl,
    charset: Option<&'static str>,
    charset_from: Option<&'static str>,
    title: Option<&'a str>,
    canonical: Option<&'a CanonUrl>,
    base: Option<&'a CanonUrl>,
    language: Option<&'a str>,
    language_from: Option<&'static str>,
    language_confidence: Option<f64>,
    description: Option<&'a str>,
    author: Option<&'a str>,
    published: Option<&'a str>,
    modified: Option<&'a str>,
    hreflang: Vec<Translation<'a>>,
    open_graph: &'a OpenGraph,
    schema: &'a Schema,
    directives: Vec<Directive>,
    links: &'a [Link],
    text: &'a str,
    main: Option<&'a str>,
    mark: Option<&'static str>,
    spam: SpamShown,
    document: Option<String>,
}

/// What speaks for spam.
#[derive(Default, Serialize)]
struct SpamShown {
    score: f32,
    signs: Vec<&'static str>,
}

/// The same page in another language.
#[derive(Serialize)]
struct Translation<'a> {
    language: &'a str,
    url: &'a CanonUrl,
}

pub(crate) fn page(args: &PageArgs) -> Result<ExitCode, Fault> {
    let url = CanonUrl::parse(&args.url).map_err(|error| {
        Fault::usage(format!("{:?}: {error}", args.url), "--url https://example.org/page.html")
    })?;
    let body = read(&args.file)?;
    let media_type = args.media_type.as_deref();
    let (mut told, mut mark, mut spam) = (None, None, SpamShown::default());
    let (page, article) = if let Some(kind) = Kind::of(&body, media_type, &url) {
        let extract = formats::documents()?.read(kind, body.into());
        told = Some(end_words(kind, &extract.end));
        document(extract, &url)
    } else {
        let (page, article) = web_page(&body, media_type, &url);
        let facts = facts(&url, &body);
        mark = rhumb_page::mark(&page, &facts).map(|(mark, _)| mark.word());
        let Spam { score, signs, .. } = rhumb_page::spam(&page, &facts);
        spam = SpamShown { score, signs };
        (page, article)
    };
    let mut shown = shown(&url, &args.agent, &page, article.as_ref());
    (shown.mark, shown.spam, shown.document) = (mark, spam, told);
    let mut out = std::io::stdout().lock();
    if args.json {
        line(&mut out, &shown)?;
    } else {
        show(&mut out, &shown)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What a document is, how its reading ended, and why it ended badly.
fn end_words(kind: Kind, end: &End) -> String {
    let words = format!("{}: {}", kind.word(), end.word());
    match end {
        End::Broken(what) => format!("{words} ({what})"),
        _ => words,
    }
}

/// What would be known of a page that came with the status 200.
fn facts<'a>(url: &'a CanonUrl, body: &'a [u8]) -> Facts<'a> {
    Facts { url, status: 200, headers: Vec::new(), body, redirected: false }
}

fn web_page(body: &[u8], media_type: Option<&str>, url: &CanonUrl) -> (Page, Option<Article>) {
    let page = rhumb_page::read(body, media_type, url, Canon::Full, true);
    let article = rhumb_page::read_article(body, media_type, None, url, Canon::Full);
    // A list of URLs may look like a text.
    let is_document = page.sitemaps.is_empty() && page.lastmods.is_empty();
    (page, article.filter(|_| is_document))
}

fn document(extract: Extract, url: &CanonUrl) -> (Page, Option<Article>) {
    let mut article = Article::of_text(extract.text.clone(), extract.language.as_deref(), None);
    article.about.author.clone_from(&extract.author);
    article.about.published.clone_from(&extract.created);
    article.about.modified.clone_from(&extract.modified);
    (Page::of(extract.into_scan(url, Canon::Full)), Some(article))
}

fn shown<'a>(
    url: &'a CanonUrl,
    agent: &str,
    page: &'a Page,
    article: Option<&'a Article>,
) -> PageShown<'a> {
    static NOTHING: About = About::NONE;
    let metas = page.scan.metas.iter();
    let directives = metas
        .map(|(name, content)| of_meta(agent, name, content))
        .fold(Directives::NONE, Directives::union);
    let about = article.map_or(&NOTHING, |article| &article.about);
    let language = article.and_then(|article| article.language.as_ref());
    let hreflang = about.hreflang.iter().map(|(language, url)| Translation { language, url });
    PageShown {
        url,
        charset: page.charset.map(|charset| charset.encoding.name()),
        charset_from: page.charset.map(|charset| charset.from.word()),
        title: page.scan.title.as_deref(),
        canonical: page.scan.canonical.as_ref(),
        base: page.scan.base.as_ref(),
        language: language.map(|language| language.tag.as_str()),
        language_from: language.map(|language| language.from.word()),
        language_confidence: language.and_then(|language| language.confidence),
        description: about.description.as_deref(),
        author: about.author.as_deref(),
        published: about.published.as_deref(),
        modified: about.modified.as_deref(),
        hreflang: hreflang.collect(),
        open_graph: &about.open_graph,
        schema: &about.schema,
        directives: directives.iter().collect(),
        links: &page.scan.links,
        text: &page.scan.text,
        main: article.map(|article| article.main.as_str()),
        mark: None,
        spam: SpamShown::default(),
        document: None,
    }
}

fn show(out: &mut impl Write, shown: &PageShown<'_>) -> std::io::Result<()> {
    writeln!(out, "url         {}", shown.url)?;
    let charset = shown.charset.unwrap_or("none");
    writeln!(out, "charset     {charset} (by {})", shown.charset_from.unwrap_or("nothing"))?;
    for (name, word) in [("document", shown.document.as_deref()), ("marked", shown.mark)] {
        if let Some(word) = word {
            writeln!(out, "{name:<11} {}", printable(word))?;
        }
    }
    if !shown.spam.signs.is_empty() {
        writeln!(out, "spam        {:.1} ({})", shown.spam.score, shown.spam.signs.join(", "))?;
    }
    writeln!(out, "title       {}", printable(shown.title.unwrap_or("none")))?;
    show_about(out, shown)?;
    let words: Vec<&str> = shown.directives.iter().map(|directive| directive.word()).collect();
    if !words.is_empty() {
        writeln!(out, "directives  {}", words.join(", "))?;
    }
    writeln!(out, "links       {}", shown.links.len())?;
    for link in shown.links {
        let kind = format!("{:?}", link.kind).to_lowercase();
        let nofollow = if link.nofollow { "  nofollow" } else { "" };
        writeln!(out, "  {kind:<9} {}  {}{nofollow}", link.url, printable(&link.text))?;
    }
    let (all, main) = (shown.text.len(), shown.main.map_or(0, str::len));
    writeln!(out, "text        {all} bytes, of which the document has {main}:")?;
    for line in shown.main.unwrap_or(shown.text).lines() {
        writeln!(out, "  {}", printable(&line.replace('\t', "  ")))?;
    }
    Ok(())
}

/// What a page says about itself, as far as it does.
fn show_about(out: &mut impl Write, shown: &PageShown<'_>) -> std::io::Result<()> {
    let language = shown.language.map(|tag| {
        let from = shown.language_from.unwrap_or("nothing");
        let sure = shown.language_confidence;
        let sure = sure.map_or(String::new(), |sure| format!(", the text agrees by {sure:.2}"));
        format!("{tag} (by {from}{sure})")
    });
    let graph = shown.open_graph;
    let types = shown.schema.types.join(", ");
    let said = [
        ("canonical", shown.canonical.map(CanonUrl::as_str)),
        ("base", shown.base.map(CanonUrl::as_str)),
        ("language", language.as_deref()),
        ("description", shown.description),
        ("author", shown.author),
        ("published", shown.published),
        ("modified", shown.modified),
        ("site name", graph.site_name.as_deref()),
        ("image", graph.image.as_deref()),
        ("schema", Some(types.as_str()).filter(|types| !types.is_empty())),
    ];
    for (name, value) in said {
        if let Some(value) = value {
            writeln!(out, "{name:<11} {}", printable(value))?;
        }
    }
    for translation in &shown.hreflang {
        writeln!(out, "in {:<8} {}", printable(translation.language), translation.url)?;
    }
    Ok(())
}
