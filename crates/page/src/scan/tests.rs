use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16LE, WINDOWS_1252};
use rhumb_web::{Canon, CanonUrl, UrlError};

use super::{LINKS_MAX, Scan, TEXT_BYTES_MAX, URLS_BYTES_MAX, scan};

fn scanned(html: &str) -> Scan {
    let url = CanonUrl::parse("http://h.test/dir/page").expect("a URL");
    scan(html, &url, Canon::Full, UTF_8)
}

/// Links as `kind path text` with `!` for nofollow; the host is left out where it is the page's.
fn links(html: &str) -> Vec<String> {
    let shown = |link: &rhumb_web::Link| {
        let url = link.url.as_str();
        let url = url.strip_prefix("http://h.test").unwrap_or(url);
        let mark = if link.nofollow { "!" } else { "" };
        format!("{:?} {url} {}{mark}", link.kind, link.text).trim_end().to_owned()
    };
    scanned(html).links.iter().map(shown).collect()
}

fn check_links(html: &str, expect: &[&str]) {
    assert_eq!(links(html), expect, "{html}");
}

fn check_text(html: &str, expect: &str) {
    assert_eq!(scanned(html).text, expect, "{html}");
}

#[test]
fn every_kind_of_link_is_found() {
    check_links("<a href=x>one</a> <A HREF='/y'>two</A>", &["A /dir/x one", "A /y two"]);
    check_links("<map><area href=x alt='an area'></map>", &["Area /dir/x an area"]);
    check_links("<frameset><frame src=x title=f></frameset>", &["Frame /dir/x f"]);
    check_links("<iframe src=x>no <a href=y>link</a></iframe>", &["Iframe /dir/x"]);
    check_links("<svg><a xlink:href=x>s</a></svg>", &["A /dir/x s"]);
    check_links("<a name=top>no link</a>", &[]);
    check_links("<a href>self</a>", &["A /dir/page self"]);
}

#[test]
fn a_link_element_counts_by_its_relation() {
    check_links("<link rel=canonical href=/c>", &["Canonical /c"]);
    check_links("<link rel='alternate' hreflang=de href=/de>", &["Hreflang /de"]);
    check_links("<link rel=NEXT href=/n><link rel=prev href=/p>", &["Link /n", "Link /p"]);
    let feed = "<link rel=alternate type=application/rss+xml title=News href=/rss>";
    check_links(feed, &["Link /rss News"]);
    check_links("<link rel=alternate type=application/json+oembed href=/o>", &[]);
    for rel in ["stylesheet", "'shortcut icon'", "preload", "'alternate stylesheet'", "me", "x"] {
        check_links(&format!("<link rel={rel} href=/no>"), &[]);
    }
    check_links("<link href=/no>", &[]);
}

#[test]
fn a_base_rules_the_whole_page_and_only_the_first_counts() {
    let html = "<a href=x>1</a><base target=_top><base href=/b/><base href=/c/><a href=y>2</a>";
    check_links(html, &["A /b/x 1", "A /b/y 2"]);
    let base = scanned(html).base.map(String::from);
    assert_eq!(base.as_deref(), Some("http://h.test/b/"));
    check_links("<base href='data:,x'><base href=/c/><a href=y>1</a>", &["A /dir/y 1"]);
}

#[test]
fn anchor_text_is_what_a_reader_sees() {
    check_links("<a href=x> a <b>b</b>\n &amp; c<br>d </a>e", &["A /dir/x a b & c d"]);
    check_links("<a href=x><img src=i alt='the &quot;alt&quot;'></a>", &["A /dir/x the \"alt\""]);
    check_links("<a href=x>a<script>b</script><!-- c --></a>", &["A /dir/x a"]);
    let long = format!("<a href=x>{}</a>", "ä".repeat(300));
    assert_eq!(scanned(&long).links[0].text, "ä".repeat(128));
}

#[test]
fn a_new_anchor_ends_the_one_before() {
    check_links("<a href=x>1<a href=y>2</a>3</a>4", &["A /dir/x 1", "A /dir/y 2"]);
    check_links("<p><a href=x>1</p>2<a href=y>3", &["A /dir/x 1", "A /dir/y 3"]);
    check_links("<a href=x>1<a name=n>2</a>", &["A /dir/x 1"]);
}

#[test]
fn nofollow_comes_from_the_relation_or_from_around() {
    check_links("<a rel='x NoFollow' href=x>1</a>", &["A /dir/x 1!"]);
    check_links("<a rel='ugc sponsored' href=x>1</a>", &["A /dir/x 1"]);
    let around = "<div class='a robots-nofollow'><p><a href=x>1</a></div><a href=y>2</a>";
    check_links(around, &["A /dir/x 1!", "A /dir/y 2"]);
    check_links(
        "<area class=robots-nofollow href=x><a href=y>2</a>",
        &["Area /dir/x !", "A /dir/y 2"],
    );
}

#[test]
fn text_that_asks_not_to_be_indexed_is_left_out() {
    check_text("a<div class=robots-noindex>b<p>c</div>d", "a\nd");
    check_text("a <i class='x robots-nocontent'>b</i> c", "a c");
    check_text("a <!--googleoff: index-->b<!-- googleon: index --> c", "a c");
    check_text("a <!--googleoff: all-->b<!--googleon: all--> c", "a c");
    check_text("a <!--googleoff: anchor-->b<!--googleon: anchor--> c", "a b c");
    let html = "<!--googleoff: anchor--><a href=x>1</a><!--googleon: anchor--><a href=y>2</a>";
    check_links(html, &["A /dir/x", "A /dir/y 2"]);
    check_links("<!--googleoff: index--><a href=x>1</a>", &["A /dir/x 1"]);
}

#[test]
fn what_is_no_content_has_no_links_and_no_text() {
    for html in [
        "<script>'<a href=x>1</a>'</script>",
        "<style><a href=x>1</a></style>",
        "<template><p>t<a href=x>1</a></p></template>",
        "<textarea><a href=x>1</a></textarea>",
        "<xmp><a href=x>1</a></xmp>",
        "<noembed><a href=x>1</a></noembed>",
        "<title><a href=x>1</a></title>",
        "<!-- <a href=x>1</a> -->",
        "<svg><![CDATA[<a href=x>1</a>]]></svg>",
        "<a href=x",
        "<a href='x>1</a>",
    ] {
        check_links(html, &[]);
        check_text(html, "");
    }
    check_text("a <template>b</template>c", "a c");
}

#[test]
fn a_script_ends_where_a_browser_ends_it() {
    let check = |script: &str, expect: &[&str]| {
        check_links(&format!("<script>{script}</script><a href=x>1</a>"), expect);
    };
    check("<!-- <script> </script> --> '", &["A /dir/x 1"]);
    check("<!-- </script><a href=y>2</a>", &["A /dir/y 2", "A /dir/x 1"]);
    check("<!--> <script> </script><a href=y>2</a>", &["A /dir/y 2", "A /dir/x 1"]);
    check("<!-- <script> <a href=y>2</a>", &[]);
    check("</scripts></script\n x><a href=y>2</a>", &["A /dir/y 2", "A /dir/x 1"]);
}

#[test]
fn a_comment_ends_where_a_browser_ends_it() {
    for comment in ["<!-->", "<!--->", "<!---->", "<!-- > -> -- > --!>", "<!x>", "<?x>", "</ x>"] {
        check_links(&format!("{comment}<a href=x>1</a>"), &["A /dir/x 1"]);
    }
    check_links("<!--!> <a href=x>1</a>", &[]);
}

#[test]
fn foreign_content_ends_with_a_tag_that_cannot_stand_in_it() {
    check_links("<svg><path/><area href=no><p><area href=x>", &["Area /dir/x"]);
    check_links("<svg><font><area href=no><font color=red><area href=x>", &["Area /dir/x"]);
    check_links("<svg><path></svg><area href=x>", &["Area /dir/x"]);
    check_links("<svg/><area href=x>", &["Area /dir/x"]);
    check_links("<svg></p><area href=x>", &["Area /dir/x"]);
    check_links("<svg><desc><area href=x></desc><area href=no></svg>", &["Area /dir/x"]);
    check_links("<math><mi><area href=x></mi><area href=no>", &["Area /dir/x"]);
    let annotation = "<math><annotation-xml encoding=Text/HTML><area href=x></annotation-xml>";
    check_links(annotation, &["Area /dir/x"]);
    assert_eq!(scanned("<svg><title>no</title></svg><title>yes</title>").title.unwrap(), "yes");
}

#[test]
fn an_end_tag_ends_everything_in_its_element() {
    check_links("<span><a href=x>1</span>2<a href=y>3</a>", &["A /dir/x 1", "A /dir/y 3"]);
    check_text("<div class=robots-noindex><p><b>a</div>b", "b");
    check_text("<long-name-of-an-element class=robots-noindex>a</long-name-of-an-Element>b", "b");
    // However deep: what was opened last is known best.
    let deep = "<p>a<b>".repeat(2_000);
    check_links(&format!("{deep}<a href=x>1</a>2"), &["A /dir/x 1"]);
}

#[test]
fn fallback_content_has_links_and_no_text() {
    check_links(
        "<a href=x>1</a><noscript>t<a href=y>2</a></noscript><a href=z>3</a>",
        &["A /dir/x 1", "A /dir/y 2", "A /dir/z 3"],
    );
    check_text("a <noscript>t<a href=y>2</a></noscript>b", "a b");
    check_links("<noframes><body><a href=x>1</a></noframes>", &["A /dir/x 1"]);
    check_links("<noscript><a href=x>1", &["A /dir/x 1"]);
    check_links("<a href=x><noscript><img alt=i></noscript></a>", &["A /dir/x i"]);
    let leaky = "<noscript><template><a href=x>1</noscript>t<a href=y>2</a>";
    check_links(leaky, &["A /dir/y 2"]);
    check_text("<noscript><i class=robots-noindex><a href=x></noscript>t", "t");
}

#[test]
fn a_meta_refresh_is_a_link() {
    let html = "<META HTTP-EQUIV=Refresh CONTENT='0; URL=/n?a=1&amp;b=2'>\
        <meta http-equiv=refresh content='0;url=/second'>";
    check_links(html, &["Refresh /n?a=1&b=2"]);
    let refresh = scanned(html).refresh.map(String::from);
    assert_eq!(refresh.as_deref(), Some("http://h.test/n?a=1&b=2"));
    check_links("<meta http-equiv=refresh content=5>", &[]);
    check_links("<noscript><meta http-equiv=refresh content='0;/n'></noscript>", &["Refresh /n"]);
}

#[test]
fn head_matter_is_kept() {
    let scan = scanned(
        "<!doctype html><html lang=' de-CH '><head><title> A &amp;\n B </title><title>C</title>\
        <meta name=Robots content=' NoIndex '><meta name=rhumb content=none><meta name=x>\
        <link rel=canonical href='https://h.test/c'><link rel=canonical href=/d></head>",
    );
    assert_eq!(scan.title.as_deref(), Some("A & B"));
    assert_eq!(scan.language.as_deref(), Some("de-CH"));
    assert_eq!(scan.canonical.as_ref().map(CanonUrl::as_str), Some("https://h.test/c"));
    let pair = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    assert_eq!(scan.metas, [pair("robots", "NoIndex"), pair("rhumb", "none")]);
    assert_eq!(scanned("<svg><title>no</title></svg><title></title>").title, None);
}

#[test]
fn text_has_a_line_for_each_block() {
    check_text("<h1>a</h1><p>b\n  c <b>d</b>e<br>f<ul><li>g<li>h</ul>i", "a\nb c de\nf\ng\nh\ni");
    check_text("<table><tr><td>a<td>b<tr><td>c</table>", "a b\nc");
    check_text("a&nbsp;b &lt;c&gt; &euro;", "a b <c> €");
    check_text("a < b <3 c", "a < b <3 c");
    check_text("<plaintext>a <b>", "a <b>");
}

#[test]
fn links_that_cannot_be_crawled_are_kept_apart() {
    let scan = scanned("<a href='mailto:a@b'>m</a><a href='http://['>b</a><a href=x>1</a>");
    assert_eq!(scan.links.len(), 1);
    assert_eq!(scan.bad_links[0], ("mailto:a@b".to_owned(), UrlError::Scheme));
    assert!(matches!(scan.bad_links[1].1, UrlError::Syntax(_)));
}

#[test]
fn references_in_an_address_are_decoded_by_the_rule_for_attributes() {
    check_links("<a href='?a=1&copy=2&amp;b=3'>1</a>", &["A /dir/page?a=1&copy=2&b=3 1"]);
    check_links("<a href='&#47;x&sol;y'>1</a>", &["A /x/y 1"]);
    check_links("<a href=' x\n '>1</a>", &["A /dir/x 1"]);
}

#[test]
fn broken_markup_yields_what_can_be_read() {
    check_links("<a href=x<b>1</a><a href=y>2</a>", &["A /dir/x%3Cb 1", "A /dir/y 2"]);
    check_links("<a href=x href=y>1</a>", &["A /dir/x 1"]);
    check_links("</a></div><a href=x>1</b></a>", &["A /dir/x 1"]);
    check_links("<a\0 href=x>1</a><a href=y>2</a>", &["A /dir/y 2"]);
    check_links("<a href=x>1<", &["A /dir/x 1<"]);
    check_text("a\0b", "a\0b");
    check_text("", "");
}

#[test]
fn maxima_cut_a_page_and_say_so() {
    let many = "<a href=x>1</a>".repeat(LINKS_MAX + 1);
    let scan = scanned(&many);
    assert_eq!((scan.links.len(), scan.cut), (LINKS_MAX, true));
    let long = "word ".repeat(TEXT_BYTES_MAX / 4);
    let scan = scanned(&long);
    assert!(scan.text.len() <= TEXT_BYTES_MAX && scan.text.len() > TEXT_BYTES_MAX - 8 && scan.cut);
    assert!(!scanned("<a href=x>1</a>").cut);
}

#[test]
fn a_megabyte_of_open_tags_is_survived_and_its_first_link_found() {
    for piece in ["<b>", "<div>", "<a href=x>", "<noscript><a></noscript>", "<x y='", "</", "<!--"]
    {
        let html = format!("<a href=first>1</a>{}", piece.repeat(1024 * 1024 / piece.len()));
        assert_eq!(scanned(&html).links[0].url.as_str(), "http://h.test/dir/first", "{piece}");
    }
}

fn check_query(encoding: &'static Encoding, href: &str, expect: &str) {
    let url = CanonUrl::parse("http://h.test/").expect("a URL");
    let html = format!("<a href=\"{href}\">1</a>");
    let scan = scan(&html, &url, Canon::Full, encoding);
    assert_eq!(scan.links[0].url.as_str(), format!("http://h.test{expect}"), "{}", encoding.name());
}

#[test]
fn a_query_is_written_in_the_charset_of_its_page_and_a_path_in_utf_8() {
    check_query(UTF_8, "/s?q=café", "/s?q=caf%C3%A9");
    check_query(UTF_16LE, "/s?q=café", "/s?q=caf%C3%A9");
    check_query(WINDOWS_1252, "/s?q=café", "/s?q=caf%E9");
    check_query(WINDOWS_1252, "/café/s?q=é", "/caf%C3%A9/s?q=%E9");
    check_query(WINDOWS_1252, "/café", "/caf%C3%A9");
}

#[test]
fn a_character_that_the_charset_lacks_is_an_escaped_numeric_reference() {
    check_query(WINDOWS_1252, "/s?q=中é&amp;r=1", "/s?q=%26%2320013%3B%E9&r=1");
    // The reference stands in ASCII, so the shift is taken back first.
    check_query(ISO_2022_JP, "/s?q=中☃x", "/s?q=%1B$BCf%1B(B%26%239731%3Bx");
    let many = "☃".repeat(400);
    check_query(WINDOWS_1252, &format!("/?{many}"), &format!("/?{}", "%26%239731%3B".repeat(400)));
}

#[test]
fn many_refreshes_behind_many_links_are_not_searched_for_the_first() {
    // The list is full before the first refresh: a search would go through all of it each time.
    let refreshes = "<meta http-equiv=refresh content='0;/n'>".repeat(20_000);
    let html = format!("{}{refreshes}", "<a href=x>1</a>".repeat(LINKS_MAX));
    assert_eq!(scanned(&html).links.len(), LINKS_MAX);
    assert_eq!(scanned(&refreshes).links.len(), 1);
}

#[test]
fn a_long_base_does_not_multiply_into_more_than_the_maximum() {
    let base = format!("<base href='/{}/'>", "a".repeat(16_000));
    let scan = scanned(&format!("{base}{}", "<a href=x>1</a>".repeat(LINKS_MAX)));
    assert_eq!(scan.links.len(), URLS_BYTES_MAX / scan.links[0].url.as_str().len());
    assert!(scan.cut);
}

#[test]
fn what_hides_is_remembered_however_deep_its_inside_is() {
    let deep = "<b><i>".repeat(1_000);
    let check = |open: &str, close: &str, expect: &[&str]| {
        let html = format!("{open}{deep}<area href=x>{close}<area href=y>");
        assert_eq!(links(&html), expect, "{open}");
    };
    check("<div><template>", "</template>", &["Area /dir/y"]);
    check("<div class=robots-nofollow>", "</div>", &["Area /dir/x !", "Area /dir/y"]);
    let groups = "<g>".repeat(1_000);
    check_links(&format!("<svg>{groups}</svg><area href=y>"), &["Area /dir/y"]);
    // Where all of them hide, the outermost end early, and none hides the rest of the page.
    let templates = "<template>".repeat(1_000);
    let ends = "</template>".repeat(1_000);
    check_links(&format!("{templates}<area href=x>{ends}<area href=y>"), &["Area /dir/y"]);
    check_text(&format!("<p>a{}b<u>c", "<b>".repeat(1_000)), "abc");
}

#[test]
fn an_element_ends_where_the_next_of_its_kind_starts() {
    for (first, next) in
        [("li", "li"), ("dt", "dd"), ("p", "p"), ("td", "th"), ("th", "tr"), ("option", "option")]
    {
        let html = format!("<{first} class=robots-nofollow><a href=x>1</a><{next}><a href=y>2</a>");
        check_links(&html, &["A /dir/x 1!", "A /dir/y 2"]);
    }
    let paragraph = "<li class=robots-nofollow><p><a href=x>1</a><li><a href=y>2</a>";
    check_links(paragraph, &["A /dir/x 1!", "A /dir/y 2"]);
    let nested = "<li class=robots-nofollow><ul><li><a href=x>1</a></ul><li><a href=y>2</a>";
    check_links(nested, &["A /dir/x 1!", "A /dir/y 2"]);
}

#[test]
fn scripts_and_styles_of_svg_are_no_text() {
    for name in ["style", "script"] {
        let html = format!("a <a href=x>1<svg><{name}>b{{}}</{name}><{name}/></svg>2</a>");
        check_text(&html, "a 12");
        check_links(&html, &["A /dir/x 12"]);
    }
    check_text("<svg><style>a{}</svg>b", "b");
}

#[test]
fn an_end_tag_in_a_template_ends_nothing_around_it() {
    let html = "<div><template><p></div><a href=x>1</a></template><a href=y>2</a></div>";
    check_links(html, &["A /dir/y 2"]);
    let outer = "<i class=robots-noindex><template></i></template>a</i>b";
    check_text(outer, "b");
}

#[test]
fn a_shadow_root_is_drawn_unless_a_template_is_around_it() {
    let root = "<template shadowrootmode=Open>t<a href=x>1</a></template>";
    check_links(root, &["A /dir/x 1"]);
    check_text(root, "t1");
    check_links("<template shadowrootmode=closed><a href=x>1</a>", &["A /dir/x 1"]);
    check_links("<template shadowrootmode=none><a href=x>1</a>", &[]);
    check_links(&format!("<template>{root}</template>"), &[]);
}

#[test]
fn every_fallback_counts_and_what_is_nested_in_it() {
    let many = "<noscript><a href=x>1</a></noscript>".repeat(1_000);
    let scan = scanned(&many);
    assert_eq!((scan.links.len(), scan.cut), (1_000, false));
    let nested = "<noscript><noscript><a href=x>1</a></noscript><a href=y>2</a>";
    check_links(nested, &["A /dir/x 1", "A /dir/y 2"]);
    check_links("<noframes><noscript><a href=x>1</a></noscript></noframes>", &["A /dir/x 1"]);
}

#[test]
fn pictures_are_told_apart_by_their_file_names() {
    let pictures = |html: &str| scanned(html).pictures;
    assert_eq!(pictures("<img src=/a/1.jpg>"), pictures("<p><img alt=x src='b/1.jpg?w=9'>"));
    assert_ne!(pictures("<img src=1.jpg>"), pictures("<img src=2.jpg>"));
    assert_eq!(pictures("<img src=data:image/gif;base64,x>text"), 0);
}
