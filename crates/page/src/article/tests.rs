use super::main_text;
use super::tree::NODES_MAX;
use crate::scan::TEXT_BYTES_MAX;

fn check(html: &str, expect: &str) {
    assert_eq!(main_text(html), expect, "{html}");
}

#[test]
fn a_block_is_a_line_and_space_collapses() {
    check(
        "<p>one <b>two</b>\n three</p>four<br>five<div>six</div>",
        "one two three\nfour\nfive\nsix",
    );
}

#[test]
fn lists_have_a_dash_and_cells_a_tab() {
    check("<ul><li>a<li><p>b</p><p>c</p></ul>d", "- a\n- b\nc\nd");
    check("<ul><li></li><li>a</li></ul><p>b", "- a\nb");
    check("<ol><li>a<ol><li>b</ol></ol>", "- a\n- b");
    check("<table><tr><th>a<th>b<tr><td><p>c</p><p>d</p><td>e</table>", "a\tb\nc d\te");
    check("<table><tr><td><h2>a</h2><p>b</p><td>c</table>", "a\nb\nc");
    check("<dl><dt>a<dd>b<dt>c<dd><p>d</dl>", "a\nb\nc\nd");
}

#[test]
fn code_stays_as_it_is_written() {
    check(
        "<p>x</p><pre>\n<code>fn  a() {\n\n    <b>b</b>();\n}\n\n</code></pre><p>y</p>",
        "x\nfn  a() {\n\n    b();\n}\ny",
    );
    check("<ul><li><pre>  a\n  b</pre></ul>", "-   a\n  b");
    check("<pre>a<br>b</pre>", "a\nb");
}

#[test]
fn what_the_site_puts_around_a_document_is_left_out() {
    let text = "A sentence that is long enough to be read, and that says something. ".repeat(4);
    let text = text.trim_end();
    for clutter in [
        "<nav><a href=/>Home</a></nav>",
        "<div class='site-footer'>Made by somebody</div>",
        "<div role=navigation>Home</div>",
        "<ul id=menu><li><a href=/a>Ours</a></ul>",
        "<header><a href=/>The site</a></header>",
        "<div class=cookie-banner><p>We use cookies.</p></div>",
        "<aside class=sidebar><p>Buy this.</p></aside>",
        "<div hidden>Secret</div>",
        "<div style='color: red; display: none'>Secret</div>",
        "<form><select><option>English</select><button>Go</button></form>",
        "<script>var a = '<p>no</p>';</script><style>p {}</style><svg><text>no</text></svg>",
        "<div class='nav-bar'><div><div>Deep</div></div></div>",
    ] {
        check(&format!("{clutter}<p>{text}</p>"), text);
        check(&format!("<main><p>{text}</p></main>{clutter}"), text);
        check(&format!("<div><p>{text}</p></div>{clutter}"), text);
    }
}

#[test]
fn a_heading_outside_of_the_document_is_its_first_line() {
    let html = "<title>Maps - The manual</title><div class=header><a href=/>The manual</a>\
        <div class=title>Maps<div>of all kinds</div></div></div>\
        <div class=contents><p>A map is a picture of a country, or of the world.</p></div>";
    check(html, "Maps\nA map is a picture of a country, or of the world.");
    let own = "<title>Maps</title><header><h1>Maps</h1></header><main><h1>Maps</h1><p>Text</main>";
    check(own, "Maps\nText");
}

#[test]
fn signs_behind_headings_and_numbers_of_lines_are_left_out() {
    check("<h2>A<a class=headerlink href=#a>¶</a></h2><p>b <a href=#n>#</a>", "A\nb");
    check("<pre><span class=lineno>1 </span>a\n<span class=lineno>2 </span>b</pre>", "a\nb");
    check("<pre><span class=comment># kept</span></pre>", "# kept");
    check("<p>a<span class=sr-only></span><a class=headerlink href=#x>link</a></p>", "a");
}

#[test]
fn lists_of_methods_stay_however_many_links_they_have() {
    let row = "<tr><td><a href=a>int</a><td><a href=b>length</a>()</tr>".repeat(20);
    let html = format!("<nav>Home</nav><main><h1>String</h1><table>{row}</table></main>");
    check(&html, &format!("String\n{}", ["int\tlength()"; 20].join("\n")));
}

#[test]
fn a_page_that_is_all_clutter_still_has_its_text() {
    check("<nav>Home</nav>", "Home");
    check("<div class=footer><p>Only this</p></div>", "Only this");
    check("<nav>a</nav><nav>b</nav>", "a\nb");
    check("<div style='display:none'>Wait</div>", "Wait");
    check("only text", "only text");
    check("", "");
    check("<a href=/a>one</a> <a href=/b>two</a>", "one two");
}

#[test]
fn broken_nesting_harms_nothing() {
    check("<p><b>a<p>b</b>c<div>d</p>e", "a\nbc\nd\ne");
    check("</div></p></li>a<table><td>b</div>c</table>d", "a\nbc\nd");
    check("<a href=x><div>a</a>b</div><p>c", "ab\nc");
    check("<div class=nav><p>menu</div><p>text that stays here", "text that stays here");
    check("<svg><title>no</title><p>yes</p></svg><p>too", "yes\ntoo");
}

#[test]
fn what_a_page_can_make_large_is_bounded() {
    let deep = format!("{}deep{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    check(&deep, "deep");
    let unclosed = format!("{}<p>end", "<ul><li><a href=x>".repeat(30_000));
    assert!(main_text(&unclosed).ends_with("end"));
    let long = format!("<p>{}", "word ".repeat(TEXT_BYTES_MAX / 4));
    assert!(main_text(&long).len() <= TEXT_BYTES_MAX);
    let many = "<p>a".repeat(NODES_MAX);
    assert_eq!(main_text(&many).lines().count(), NODES_MAX / 2 - 1);
}
