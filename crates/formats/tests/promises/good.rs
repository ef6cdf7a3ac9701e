//! Text, links and properties are found.

use rhumb_formats::{End, Extract};

use crate::read;

const PROSE: &str = "The quick brown fox jumps over the lazy dog. Efficient office workers find \
    fluffy waffles difficult to afford.";

fn check(name: &str, text: &str, links: &[(&str, &str)]) -> Extract {
    let found = read(name);
    assert_eq!(found.end, End::Whole, "{name}");
    assert_eq!(found.text, text, "{name}");
    let found_links: Vec<(&str, &str)> =
        found.links.iter().map(|link| (&*link.href, &*link.text)).collect();
    assert_eq!(found_links, links, "{name}");
    found
}

fn properties(found: &Extract) -> [Option<&str>; 5] {
    [&found.title, &found.author, &found.language, &found.created, &found.modified]
        .map(|field| field.as_deref())
}

/// Text as words in one line: where its lines break is up to who made it.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const SHIPS: &str = "Ships and Shoes\n\
    The quick brown fox jumps over the lazy dog. Efficient office workers find fluffy waffles \
    difficult to\nafford.\nCafé € 5 – naïve “quoted”\nSee sealing wax for more.\n\
    port ships\nBristol 42\n\nSecond page of cabbages.";

#[test]
fn a_pdf_with_the_standard_fonts_is_read_whole() {
    for name in ["reportlab.pdf", "object-streams.pdf", "owner-locked.pdf"] {
        let found = check(name, SHIPS, &[("https://example.org/sealing-wax", "sealing wax")]);
        let made = Some("2000-01-01T00:00:00Z");
        let expect = [Some("Ships and Shoes"), Some("L. Carroll"), Some("en-GB"), made, made];
        assert_eq!(properties(&found), expect);
        assert_eq!(found.pages, Some(2));
    }
}

#[test]
fn a_pdf_with_embedded_fonts_says_its_letters_in_every_script() {
    let text = "Γλώσσες της\nΕυρώπης\nThe quick brown fox jumps over the\nlazy dog. Efficient \
        office workers find\nfluffy waffles difficult to afford.\nPříliš žluťoučký kůň úpěl \
        ďábelské\nódy. Съешь ещё этих мягких булок.\nAn extraordinarily long word to break.\n\
        jazyky světa";
    let links = [("https://example.org/jazyky?x=1", "jazyky světa")];
    let found = check("weasyprint.pdf", text, &links);
    let expect = [Some("Γλώσσες"), Some("Jan Škoda"), Some("el"), None, None];
    assert_eq!(properties(&found), expect);
    let found = read("fpdf.pdf");
    assert_eq!(flat(&found.text), format!("{PROSE} Ελληνικά кириллица."));
    assert_eq!(found.created.as_deref(), Some("2024-05-06T07:08:09Z"));
}

#[test]
fn words_of_a_pdf_are_neither_glued_nor_torn() {
    let text = "Words by moves\nglued right\nspaced\na hyphenated word\nH\nfar apart\nactual";
    check("words.pdf", text, &[]);
    let text = format!("The Moves of Words A. Troff {PROSE}{PROSE}{PROSE}");
    assert_eq!(flat(&read("groff.pdf").text), text);
}

#[test]
fn glyphs_of_a_pdf_are_read_by_their_names() {
    check("differences.pdf", "Žł Жfi é😀 αffl", &[]);
}

#[test]
fn a_docx_is_read_with_its_table_list_links_and_notes() {
    let text = "The Walrus\nOf shoes and ships & sealing‑wax, oysters dear\nby field\ncabbages\n\
        kings\nport\tships\nBristol\t42\n\nA note at the foot.";
    let links = [
        ("https://example.org/oysters?a=1&b=2", "oysters dear"),
        ("https://example.org/field", "by field"),
    ];
    let found = check("sample.docx", text, &links);
    let made = Some("2024-05-06T07:08:09Z");
    let expect = [Some("Walrus"), Some("Tenniel"), Some("en-GB"), made, made];
    assert_eq!(properties(&found), expect);
    assert_eq!(found.pages, Some(1));
}

#[test]
fn an_xlsx_is_read_sheet_by_sheet_and_row_by_row() {
    let text = "Ships\nport\tships\topen\nBristol\t42\tTRUE\nport\t1.5\nsee more\n\nCrews\n\
        Ahab inline";
    let links = [("https://example.org/formula", ""), ("https://example.org/ships", "")];
    let found = check("sample.xlsx", text, &links);
    let made = [Some("2024-05-06T07:08:09Z"), Some("2024-05-06")];
    assert_eq!(properties(&found), [Some("Harbour"), Some("Customs"), None, made[0], made[1]]);
    assert_eq!(found.pages, Some(2));
}

#[test]
fn a_pptx_is_read_slide_by_slide_with_what_the_speaker_says() {
    let text = "First Voyage\nthe log\nSpeak of the transit of Venus.\n\nSecond Voyage\n\
        Resolution\tAdventure";
    let found = check("sample.pptx", text, &[("https://example.org/log", "the log")]);
    assert_eq!((found.title.as_deref(), found.pages), (Some("Voyage"), Some(2)));
}

#[test]
fn open_documents_are_read() {
    let text = "Book One\nTell me, O muse, of that ingenious hero 1 Ulysses is meant.\nCirce\n\
        Calypso\nisle\tyears\nOgygia\t7";
    let found = check("sample.odt", text, &[("https://example.org/hero", "hero")]);
    let made = Some("2024-05-06");
    assert_eq!(properties(&found), [Some("Odyssey"), Some("Homer"), Some("grc"), made, None]);
    check("sample.ods", "wine\t12\noars\t50", &[]);
    assert_eq!(check("sample.odp", "Scylla\n\nCharybdis", &[]).pages, Some(2));
}

#[test]
fn an_rtf_is_read_in_all_its_charsets() {
    let text =
        "Once upon a midnight dreary\ncafé € 😀 —Привет\nquoth he behind\none\ttwo\n{braces}";
    let found = check("sample.rtf", text, &[("https://example.org/raven", "quoth he")]);
    let made = Some("2024-05-06");
    assert_eq!(properties(&found), [Some("The Raven"), Some("E. A. Poe"), None, made, None]);
    assert_eq!(found.pages, Some(2));
}
