use rhumb_page::charset;

use super::*;

const URL: &str = "http://a.test/folder/page";

fn base(page: &str) -> Base {
    let charset = charset(page.as_bytes(), None);
    Base { url: CanonUrl::parse(URL).unwrap(), canon: Canon::Full, charset }
}

/// What is written of a page, without what stands before each.
fn written(page: &str) -> String {
    let whole = harmless(page, base(page), false).expect("it is read");
    let whole = whole.strip_prefix("<!DOCTYPE html>").unwrap_or(&whole);
    whole.strip_prefix(PRELUDE).expect("it begins so").to_owned()
}

#[track_caller]
fn check(page: &str, expect: &str) {
    assert_eq!(written(page), expect, "{page}");
}

#[test]
fn what_is_harmless_stays() {
    let page = "<html lang=\"de\"><head><title>A &amp; b</title></head><body class=\"x\">\
        <h1 id=\"top\">Größe</h1><p>1 &lt; 2<br>&nbsp;</p><table><tr><td colspan=\"2\">x</td></tr>\
        </table></body></html>";
    check(page, page);
    let standard = "<!doctype html><p>x</p>";
    assert!(harmless(standard, base(standard), false).unwrap().starts_with("<!DOCTYPE html><meta"));
    assert!(harmless("<p>", base("<p>"), false).unwrap().starts_with("<meta"));
}

#[test]
fn what_could_run_or_load_is_gone() {
    check("<script>x</script>a<script src=x></script>", "a");
    check("<p onclick=x ONLOAD='y' title=z>a</p>", "<p title=\"z\">a</p>");
    check("<link rel=x href=y><meta http-equiv=refresh content=0><base href=x>a", "a");
    check("<svg><path><text>x</text></svg>a<math><mi>x</math>b", "ab");
    check("<object data=x><b>a</b></object><embed src=x>", "<b>a</b>");
    check("<iframe>x</iframe>b", "b");
    check("<template><p>x</template>a", "a");
}

#[test]
fn no_tag_begins_in_a_text() {
    check("a < b <3 </ x>", "a &lt; b &lt;3 ");
    check("<xmp><b>&lt;</xmp>", "<pre>&lt;b&gt;&amp;lt;</pre>");
    check("<textarea><b>&lt;</textarea>", "<textarea disabled=\"\">&lt;b&gt;&lt;</textarea>");
    check("<plaintext><b>&", "<pre>&lt;b&gt;&amp;");
    check("<p title='\"><b>'>", "<p title=\"&quot;&gt;&lt;b&gt;\">");
    check("<style><b></style>", "<style>\\3c b></style>");
}

#[test]
fn links_lead_to_copies_or_nowhere() {
    let to = |url: &str| format!("<a href=\"{}\" target=\"_top\">", link("/copy", &[("url", url)]));
    check("<a href=x?a=1&amp;b=2>", &to("http://a.test/folder/x?a=1&b=2"));
    check("<a href='&#x68;ttps://b.test/#c'>", &to("https://b.test/"));
    check("<a href='//b.test/\"'>", &to("http://b.test/%22"));
    check("<a href=java&Tab;script:x>", "<a>");
    check("<a href=data:x>", "<a>");
    check("<a href=#x\"y>", "<a href=\"#x&quot;y\" target=\"_self\">");
    check("<area href=/x alt=y>", &format!("{}y</a> ", to("http://a.test/x")));
    check("<frame src=/x>", &format!("{}frame</a> ", to("http://a.test/x")));
    check("<b href=x>", "<b>");
}

#[test]
fn controls_are_of_no_use() {
    check("<form action=x>a</form>", "<div>a</div>");
    check("<input type=password value=x>", "<input type=\"text\" value=\"x\" disabled=\"\">");
    check("<input type=hidden>", "");
    check("<button formaction=x>a</button>", "<button disabled=\"\">a</button>");
}

#[test]
fn pictures_become_their_texts() {
    check("<img src=x alt='a \"b\"'>", "<span class=\"rhumb-picture\">a &quot;b&quot;</span>");
    check("<img src=x><img src=x alt=' '>", "");
    let picture = "<span class=\"rhumb-picture\">picture</span>";
    let link = "<a href=\"#x\" target=\"_self\">";
    check("<a href=#x> <img src=y></a>", &format!("{link} {picture}</a>"));
    check("<a href=#x><img src=y>z</a>", &format!("{link}z</a>"));
    check("<a href=#x></a><img src=y>", &format!("{link}</a>"));
}

#[test]
fn foreign_content_ends_where_html_begins() {
    check("<p>before<svg><path d=x><p>after", "<p>before<p>after");
    check("<svg><title>x</title><path></svg>a", "a");
    check("<svg><foreignObject><p>x</p></foreignObject></svg>a", "<p>x</p>a");
    check("<math><mi>x<b>y</b></math>a", "<b>y</b>a");
    check("<svg><div></p></svg>a", "<div>a");
}

#[test]
fn what_is_shown_in_place_of_a_player_stays() {
    check("<video><source src=x><p>x</p></video>a", "<p>x</p>a");
    check("<canvas>x</canvas><audio>y", "xy");
}

#[test]
fn what_is_for_those_who_run_nothing_is_shown_by_the_same_rules() {
    check(
        "<noscript><p onclick=x>a<img src=x alt=b></p></noscript>c",
        "<p>a\
        <span class=\"rhumb-picture\">b</span></p>c",
    );
    check(
        "<noscript><script>x</script><style>a{b:url(x)}</noscript>c",
        "<style>a{b:url-off(x)}</style>c",
    );
    check("<noscript><script>x</noscript>c", "c");
    check("<noscript><noscript>x</noscript>c", "c");
    check("<noscript><p title=\"</noscript><img src=x>\">a", "&quot;&gt;a");
    check("<noscript><p>a", "<p>a");
    let many = written(&"<noscript>x</noscript>".repeat(NOSCRIPTS_MAX + 5));
    assert_eq!(many.len(), NOSCRIPTS_MAX);
}

#[test]
fn elements_that_end_in_the_wrong_order_end() {
    check("<b><i>a</b>b</i>c", "<b><i>a</i></b>bc");
    check("<div><p>a<p>b</div>", "<div><p>a<p>b</div>");
    check("</p></div>a", "a");
}

#[test]
fn the_first_of_two_attributes_counts() {
    check("<p title=a TITLE=b>", "<p title=\"a\">");
}

#[test]
fn what_is_too_long_is_cut_between_tags() {
    let links = "<a href=x>".repeat(200_000);
    let long = Base {
        url: CanonUrl::parse(&format!("{URL}/{}/", "x".repeat(1_500))).unwrap(),
        ..base("")
    };
    let page = harmless(&links, long, false).expect("it is cut");
    assert!(page.len() <= WRITTEN_BYTES_MAX + 1_000);
    assert!(page.contains("too long") && page.ends_with("\">"), "it ends with a tag");
    let long = "<p title=x>".repeat(300_000);
    assert!(harmless(&long, base(""), false).is_none_or(|page| page.len() <= 2 * long.len()));
    assert!(harmless("<p>a", base(""), true).unwrap().contains("too long"));
}
