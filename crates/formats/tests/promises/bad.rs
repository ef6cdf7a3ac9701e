//! What is damaged, locked or hostile comes to a clear end, with what could be read of it.

use rhumb_formats::{End, Kind, read_here};

use crate::{read, sample};

fn check(name: &str, end: &End, text: &str) {
    let found = read(name);
    assert_eq!((&found.end, &*found.text), (end, text), "{name}");
}

fn broken(what: &str) -> End {
    End::Broken(what.to_owned())
}

#[test]
fn what_is_cut_short_says_so_and_gives_what_it_has() {
    let found = read("truncated.pdf");
    assert_eq!(found.end, broken("it ends early"));
    assert!(found.text.contains("sealing wax"), "{}", found.text);
    check("truncated.docx", &broken("the package ends early"), "");
    let found = read("truncated.rtf");
    assert_eq!(found.end, broken("it ends early"));
    assert!(found.text.starts_with("Once upon a midnight dreary"), "{}", found.text);
}

#[test]
fn what_is_behind_a_password_says_so() {
    check("locked.pdf", &End::Encrypted, "");
    check("locked.docx", &End::Encrypted, "");
}

#[test]
fn what_unpacks_to_too_much_is_left() {
    check("bomb.pdf", &End::TooLarge, "");
    check("bomb.docx", &End::TooLarge, "");
    check("forms.pdf", &End::Cut, "top");
}

#[test]
fn what_is_nested_or_runs_in_circles_ends() {
    check("nested.docx", &broken("its elements are nested too deep"), "top");
    check("nested.rtf", &broken("its groups are nested too deep"), "top");
    check("nested.pdf", &End::Whole, "");
    check("cycle.pdf", &End::Whole, "ring ring");
    check("long-stream.pdf", &End::Whole, "long");
    check("endless-cmap.pdf", &End::Whole, "AB");
}

#[test]
fn entities_are_not_expanded() {
    check("laughs.docx", &End::Whole, "before behind");
}

#[test]
fn postscript_is_never_run() {
    check("sample.ps", &End::Stored, "");
}

#[test]
fn more_text_than_the_maximum_is_cut() {
    let body = format!("{{\\rtf1 {}}}", "words \\par ".repeat(300_000));
    let found = read_here(Kind::Rtf, body.as_bytes());
    assert_eq!(found.end, End::Cut);
    assert!(found.text.len() <= rhumb_page::TEXT_BYTES_MAX);
    assert!(found.text.len() > rhumb_page::TEXT_BYTES_MAX - 8);
}

#[test]
fn every_kind_survives_every_other_and_every_cut() {
    let samples = ["words.pdf", "sample.docx", "sample.xlsx", "sample.pptx", "sample.odt"];
    for name in samples.into_iter().chain(["sample.rtf", "differences.pdf", "weasyprint.pdf"]) {
        let whole = sample(name);
        for kind in Kind::ALL {
            for part in 0..24 {
                let end = whole.len() * part / 24;
                let found = read_here(kind, &whole[..end]);
                assert_ne!(found.end, End::TooLarge, "{name} as {kind:?} until {end}");
                assert_ne!(found.end, broken("its reader stumbled over it"), "{name} {kind:?}");
            }
        }
    }
}

#[test]
fn a_changed_byte_is_no_reason_to_stumble() {
    for name in ["words.pdf", "object-streams.pdf", "sample.docx", "sample.odt", "sample.rtf"] {
        let whole = sample(name);
        let kind = Kind::of(&whole, None, &crate::url(name)).expect("a kind");
        for place in (0..whole.len()).step_by(whole.len() / 300 + 1) {
            for byte in [0, b'(', b'9', 0xff] {
                let mut changed = whole.clone();
                changed[place] = byte;
                let found = read_here(kind, &changed);
                assert_ne!(found.end, broken("its reader stumbled over it"), "{name} {place}");
            }
        }
    }
}
