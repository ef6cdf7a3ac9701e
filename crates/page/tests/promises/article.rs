//! Pages in the manner of many makers: each yields its document and nothing around it.

use rhumb_page::main_text;

/// Enough prose for a page to have a document.
const FIRST: &str =
    "A map is a promise that somebody has been there before you, and came back to tell.";
const SECOND: &str =
    "Whoever draws one decides what to leave out, which is nearly everything there is.";
const THIRD: &str =
    "The rest is a matter of ink, of paper, and of the patience to look twice at a coast.";

fn check(html: &str, expect: &[&str]) {
    let fill = |text: &str| text.replace("{1}", FIRST).replace("{2}", SECOND).replace("{3}", THIRD);
    let found = main_text(&fill(html));
    assert_eq!(
        found.lines().collect::<Vec<_>>(),
        expect.iter().map(|line| fill(line)).collect::<Vec<_>>()
    );
}

#[test]
fn a_blog_post_comes_without_sidebar_comments_and_shares() {
    check(
        "<title>Maps | A blog</title><body class='single has-sidebar'>\
        <a class=skip-link href=#content>Skip to content</a>\
        <header class=site-header><h1 class=site-title><a href=/>A blog</a></h1>\
        <nav><ul><li><a href=/>Home</a><li><a href=/about>About</a></ul></nav></header>\
        <div id=content><main><article class=post><header class=entry-header>\
        <h1 class=entry-title>Maps</h1></header><div class=entry-content><p>{1}<p>{2}\
        <blockquote><p>{3}</blockquote><ul><li>ink<li>paper</ul></div>\
        <div class=sharedaddy><div class=social-share><a href=/t>Tweet</a></div></div>\
        <footer class=entry-footer><a href=/tag/maps>maps</a></footer></article>\
        <div id=comments class=comments-area><h2>2 thoughts</h2><ol class=comment-list>\
        <li><article class=comment-body><p>I like maps as well, very much so.</article></ol>\
        <div id=respond class=comment-respond><form><p>Leave a reply</form></div></div></main>\
        <aside id=secondary class=widget-area><section class=widget><h2>Recent posts</h2>\
        <ul><li><a href=/a>A</a></ul></section></aside></div>\
        <footer class=site-footer>Proudly powered by something</footer>",
        &["Maps", "{1}", "{2}", "{3}", "- ink", "- paper"],
    );
}

#[test]
fn an_article_without_landmarks_is_found_by_its_prose() {
    check(
        "<title>Maps - The Daily</title><div><div><a href=/>The Daily</a></div>\
        <div><a href=/w>World</a> <a href=/s>Sport</a> <a href=/m>Money</a></div></div>\
        <div><div><h1>Maps</h1><div><p>{1}</p><p>{2}</p><p>{3}</p></div>\
        <div><a href=/1>Ten best globes of the year</a> <a href=/2>Why seas are blue</a></div></div>\
        <div><div><b>Most read</b></div><div><a href=/3>A tax on ink is planned</a></div></div></div>\
        <div>The Daily</div>",
        &["Maps", "{1}", "{2}", "{3}"],
    );
}

#[test]
fn a_manual_of_restructured_text_keeps_notes_code_and_definitions() {
    check(
        "<title>Maps — Cartography 1.0 documentation</title>\
        <div class=related role=navigation><h3>Navigation</h3><ul><li><a href=i>index</a></ul></div>\
        <div class=document><div class=documentwrapper><div class=bodywrapper>\
        <div class=body role=main><section id=related-maps>\
        <h1>Maps<a class=headerlink href=#maps title='Link to this heading'>¶</a></h1><p>{1}</p>\
        <div class='admonition note'><p class=admonition-title>Note</p><p>{2}</p></div>\
        <div class='highlight-python notranslate'><div class=highlight><pre><span></span>\
        <span class=k>def</span> <span class=nf>draw</span>():\n    <span class=c1># a comment</span>\n\
        </pre></div></div><dl class='py function'><dt id=draw><code>draw</code>\
        <span>(</span><em>coast</em><span>)</span><a class=headerlink href=#draw>¶</a></dt>\
        <dd><p>Draws.</p></dd></dl></section></div></div></div>\
        <div class=sphinxsidebar role=navigation><h3>Table of Contents</h3></div></div>\
        <div class=footer role=contentinfo>© Copyright.</div>",
        &["Maps", "{1}", "Note", "{2}", "def draw():", "    # a comment", "draw(coast)", "Draws."],
    );
}

#[test]
fn a_book_in_chunks_comes_without_its_way_marks() {
    check(
        "<title>Chapter 2. Maps</title><body><div class=navheader><table><tr><th colspan=3>\
        Chapter 2. Maps</th></tr><tr><td><a href=p>Prev</a></td><td><a href=n>Next</a></td></table>\
        <hr></div><div class=chapter><div class=titlepage><div><div><h1 class=title>Chapter 2. Maps\
        </h1></div></div></div><div class=toc><p><b>Table of Contents</b></p><dl><dt><a href=#a>Ink\
        </a></dt></dl></div><p>{1}</p><div class=section id=error-related.options><h2>Ink</h2>\
        <p>{2}</p><div class=variablelist><dl><dt><span class=term>black</span></dt><dd><p>As night.\
        </p></dd></dl></div></div></div><div class=navfooter><hr><a href=p>Prev</a> Home</div>",
        &["Chapter 2. Maps", "{1}", "Ink", "{2}", "black", "As night."],
    );
}

#[test]
fn a_reference_of_classes_keeps_its_tables_of_links() {
    check(
        "<title>Atlas: Map Class Reference</title><div id=top><div id=titlearea>Atlas 1.0</div>\
        <div id=main-nav></div></div><div id=nav-path class=navpath><ul><li><a href=a>atlas</a></ul></div>\
        <div class=header><div class=summary><a href=#pub>Public Members</a></div>\
        <div class=headertitle><div class=title>Map Class Reference</div></div></div>\
        <div class=contents><p>{1} <a href=#details>More...</a></p><table class=memberdecls>\
        <tr><td colspan=2><h2>Public Members</h2></td></tr>\
        <tr><td><a href=c>Coast</a></td><td><a href=m>draw</a> (<a href=i>Ink</a>)</td></tr>\
        <tr class='inherit'><td>void</td><td>fold ()</td></tr></table>\
        <h2 id=details>Detailed Description</h2><div class=textblock><p>{2}</p></div></div>\
        <address class=footer>Made by a tool</address>",
        &[
            "Map Class Reference",
            "{1}",
            "Public Members",
            "Coast\tdraw (Ink)",
            "Detailed Description",
            "{2}",
        ],
    );
}

#[test]
fn an_encyclopedia_keeps_captions_tables_and_footnotes() {
    check(
        "<title>Map - Wiki</title><div id=mw-navigation><ul><li><a href=/m>Main page</a></ul></div>\
        <div id=content role=main><h1 id=firstHeading>Map</h1><div id=bodyContent>\
        <div id=mw-content-text><table class=infobox><tr><th>Made of</th><td>paper</td></tr></table>\
        <p>{1}<sup><a href=#n1>[1]</a></sup></p><div id=toc class=toc><ul><li><a href=#h>History</a></ul>\
        </div><h2><span>History</span><span class=mw-editsection>[<a href=/e>edit</a>]</span></h2><p>{2}\
        <figure><img alt=x><figcaption>An old map</figcaption></figure>\
        <ol class=references><li id=n1><a href=#r>^</a> A book of maps</ol></div></div></div>\
        <div id=footer role=contentinfo>Privacy policy</div>",
        &["Map", "Made of\tpaper", "{1}[1]", "History", "{2}", "An old map", "- ^ A book of maps"],
    );
}

#[test]
fn an_old_page_laid_out_by_tables_is_read() {
    check(
        "<title>Maps</title><center><table width=100%><tr><td width=150><a href=a>Home</a><br>\
        <a href=b>Links</a><br><a href=c>Guestbook</a></td><td><h1>Maps</h1><p>{1}<p>{2}<p>{3}\
        </td></tr></table></center>",
        &["Maps", "{1}", "{2}", "{3}"],
    );
}

#[test]
fn a_page_of_links_keeps_them() {
    check(
        "<title>Links</title><nav>Home</nav><main><h1>Links</h1><ul><li><a href=a>One</a>\
        <li><a href=b>Two</a></ul></main>",
        &["Links", "- One", "- Two"],
    );
}

#[test]
fn notices_over_the_page_are_left_out() {
    check(
        "<div class=cookie-consent role=dialog><p>{3}</p><button>Accept</button></div>\
        <div class='modal fade'><p>Subscribe to our letter</p></div>\
        <div class=article><h1>Maps</h1><p>{1}</p><p>{2}</p></div>",
        &["Maps", "{1}", "{2}"],
    );
}

#[test]
fn what_a_tag_in_capitals_or_without_an_end_holds_is_read() {
    check(
        "<HTML><BODY><DIV CLASS=Navigation><A HREF=x>Up</A></DIV><H1>Maps<P>{1}<UL><LI>{2}<LI>ink",
        &["Maps", "{1}", "- {2}", "- ink"],
    );
}

#[test]
fn writing_without_spaces_is_read_like_any_other() {
    let text = "地図は国の全体を示し、夜でも道を見つける助けとなるものであり、旅人はそれを大切に持ち歩く。";
    let html =
        format!("<nav>案内</nav><article><h1>地図</h1><p>{text}</p></article><footer>終</footer>");
    check(&html, &["地図", text]);
}

#[test]
fn headings_that_speak_of_navigation_or_footers_stay() {
    check(
        "<main><section id=navigation><h2 id=nav>Navigation</h2><p>{1}</p></section>\
        <section id=footer><h2>Footer</h2><p>{2}</p></section>\
        <section id=comments><h2>Comments</h2><p>{3}</p></section></main>",
        &["Navigation", "{1}", "Footer", "{2}", "Comments", "{3}"],
    );
}
