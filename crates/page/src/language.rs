//! The language of a text: what the page declares, and what its words say.

use whatlang::{Detector, Lang};

use crate::frequent;

/// How much of a text is looked at: more makes it no surer.
const SAMPLE_CHARS_MAX: usize = 600;
/// A line that is shorter is a heading, a name or code.
const LINE_CHARS_MIN: usize = 40;
/// A text that is shorter tells nothing.
const TEXT_CHARS_MIN: usize = 24;
/// A text that is shorter contradicts no declaration.
const CONTRADICTION_CHARS_MIN: usize = 400;
/// How sure a contradiction must be.
const CONTRADICTION_CONFIDENCE: f64 = 0.95;

/// What told a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageFrom {
    /// The document.
    Html,
    /// The Content-Language header.
    Header,
    /// Its words.
    Text,
}

impl LanguageFrom {
    /// One lower-case word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Header => "header",
            Self::Text => "text",
        }
    }
}

/// A language, what told it, and how sure the text is of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Language {
    /// The primary tag of BCP 47, in lower case.
    pub tag: String,
    /// What told it.
    pub from: LanguageFrom,
    /// From 0 to 1, unless the text is too short to tell, or tells another language.
    pub confidence: Option<f64>,
}

/// What a page and its answer declare.
pub(crate) struct Declared<'a> {
    pub(crate) html: Option<&'a str>,
    pub(crate) header: Option<&'a str>,
}

impl Declared<'_> {
    /// The tag that counts, and who declares it.
    fn first(&self) -> Option<(String, LanguageFrom)> {
        let html = self.html.and_then(primary).map(|tag| (tag, LanguageFrom::Html));
        html.or_else(|| Some((self.header.and_then(primary)?, LanguageFrom::Header)))
    }
}

impl Language {
    /// The same without how sure the text is of it, where a glance at its words is enough.
    pub(crate) fn at_a_glance(text: &str, declared: &Declared<'_>) -> Option<Self> {
        let sample = sample(text);
        let mut told = frequent::told(&sample);
        let found = match declared.first() {
            Some((tag, from)) => told.any(|it| it == tag).then_some((tag, from)),
            None => told.next().map(|tag| (tag.to_owned(), LanguageFrom::Text)),
        };
        let Some((tag, from)) = found else { return Self::of(text, declared) };
        Some(Self { tag, from, confidence: None })
    }

    pub(crate) fn of(text: &str, declared: &Declared<'_>) -> Option<Self> {
        let declared = declared.first();
        let sample = sample(text);
        let chars = sample.chars().filter(|char| char.is_alphabetic()).count();
        let found = detected(&sample).filter(|_| chars >= TEXT_CHARS_MIN);
        let Some((tag, from)) = declared else {
            let (tag, confidence) = found?;
            return Some(Self {
                tag: tag.to_owned(),
                from: LanguageFrom::Text,
                confidence: Some(confidence),
            });
        };
        match found {
            Some((found, confidence)) if are_kin(found, &tag) => {
                Some(Self { tag, from, confidence: Some(confidence) })
            }
            Some((found, confidence))
                if chars >= CONTRADICTION_CHARS_MIN && confidence >= CONTRADICTION_CONFIDENCE =>
            {
                Some(Self {
                    tag: found.to_owned(),
                    from: LanguageFrom::Text,
                    confidence: Some(confidence),
                })
            }
            _ => Some(Self { tag, from, confidence: None }),
        }
    }
}

/// The primary tag of the first language that is declared.
fn primary(declared: &str) -> Option<String> {
    let first = declared.split([',', ';', ' ']).find(|tag| !tag.is_empty())?;
    let tag = first.split(['-', '_']).next().unwrap_or_default();
    let is_tag = matches!(tag.len(), 2 | 3) && tag.bytes().all(|byte| byte.is_ascii_alphabetic());
    let tag = tag.to_ascii_lowercase();
    (is_tag && !matches!(tag.as_str(), "und" | "mul" | "zxx")).then_some(tag)
}

/// The lines of a text that are prose, or all of it where none is.
fn sample(text: &str) -> String {
    let mut sample = String::new();
    let mut room = SAMPLE_CHARS_MAX;
    for line in text.lines().filter(|line| is_prose(line)) {
        let line = head(line, room);
        sample.push_str(line);
        sample.push('\n');
        room = room.saturating_sub(line.chars().count() + 1);
        if room == 0 {
            break;
        }
    }
    if sample.is_empty() { head(text, SAMPLE_CHARS_MAX).to_owned() } else { sample }
}

/// The beginning of a text, of so many characters at most.
fn head(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).map_or(text, |(at, _)| &text[..at])
}

fn is_prose(line: &str) -> bool {
    let (mut chars, mut letters, mut wide) = (0_usize, 0_usize, 0_usize);
    for char in line.chars().take(SAMPLE_CHARS_MAX) {
        chars += 1;
        letters += usize::from(char.is_alphabetic() || char == ' ');
        wide += usize::from(u32::from(char) >= 0x2e80);
    }
    // A word of Chinese or Japanese has one sign or two.
    chars + 3 * wide >= LINE_CHARS_MIN && letters * 100 >= chars * 85
}

fn detected(sample: &str) -> Option<(&'static str, f64)> {
    let info = Detector::new().detect(sample)?;
    Some((tag_of(info.lang()), info.confidence()))
}

/// Whether the words of one language are hard to tell from those of the other.
fn are_kin(found: &str, declared: &str) -> bool {
    const FAMILIES: &[&[&str]] = &[
        &["nb", "nn", "no", "da", "sv"],
        &["cs", "sk"],
        &["hr", "sr", "bs", "sh", "cnr", "sl", "mk"],
        &["id", "ms", "jv", "su"],
        &["pt", "gl", "es", "ca", "an", "ast"],
        &["ru", "uk", "be", "bg", "mk", "sr"],
        &["zh", "yue", "wuu", "nan", "cmn"],
        &["fa", "ur", "ps", "ar", "ug", "ckb"],
        &["hi", "mr", "ne", "sa", "bho"],
        &["nl", "af", "fy", "li"],
        &["tr", "az", "tk", "uz"],
        &["lv", "lt"],
        &["et", "fi"],
        &["zu", "xh", "st", "sn"],
    ];
    let has_both = |family: &&[&str]| family.contains(&found) && family.contains(&declared);
    found == declared || FAMILIES.iter().any(has_both)
}

/// Codes of three letters, as the detector has them, and of two, as pages write them.
#[rustfmt::skip]
const SHORT: &[(&str, &str)] = &[
    ("afr", "af"), ("aka", "ak"), ("amh", "am"), ("ara", "ar"), ("aze", "az"), ("bel", "be"),
    ("ben", "bn"), ("bul", "bg"), ("cat", "ca"), ("ces", "cs"), ("cmn", "zh"), ("cym", "cy"),
    ("dan", "da"), ("deu", "de"), ("ell", "el"), ("eng", "en"), ("epo", "eo"), ("est", "et"),
    ("fin", "fi"), ("fra", "fr"), ("guj", "gu"), ("heb", "he"), ("hin", "hi"), ("hrv", "hr"),
    ("hun", "hu"), ("hye", "hy"), ("ind", "id"), ("ita", "it"), ("jav", "jv"), ("jpn", "ja"),
    ("kan", "kn"), ("kat", "ka"), ("khm", "km"), ("kor", "ko"), ("lat", "la"), ("lav", "lv"),
    ("lit", "lt"), ("mal", "ml"), ("mar", "mr"), ("mkd", "mk"), ("mya", "my"), ("nep", "ne"),
    ("nld", "nl"), ("nob", "nb"), ("ori", "or"), ("pan", "pa"), ("pes", "fa"), ("pol", "pl"),
    ("por", "pt"), ("ron", "ro"), ("rus", "ru"), ("sin", "si"), ("slk", "sk"), ("slv", "sl"),
    ("sna", "sn"), ("spa", "es"), ("srp", "sr"), ("swe", "sv"), ("tam", "ta"), ("tel", "te"),
    ("tgl", "tl"), ("tha", "th"), ("tuk", "tk"), ("tur", "tr"), ("ukr", "uk"), ("urd", "ur"),
    ("uzb", "uz"), ("vie", "vi"), ("yid", "yi"), ("zul", "zu"),
];

/// The tag of BCP 47, which prefers two letters.
fn tag_of(language: Lang) -> &'static str {
    let code = language.code();
    SHORT.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short)
}

#[cfg(test)]
mod tests {
    use super::{Declared, Language};

    const GERMAN: &str = "Die Karte zeigt das ganze Land, und wer sie liest, findet seinen Weg \
        auch in der Nacht. Wer aber keine Karte hat, der muss die Leute fragen, und nicht alle \
        geben gern Auskunft.";

    fn check(text: &str, html: Option<&str>, header: Option<&str>, expect: Option<(&str, &str)>) {
        let found = Language::of(text, &Declared { html, header });
        let found = found.as_ref().map(|found| (found.tag.as_str(), found.from.word()));
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn what_is_declared_counts_and_the_document_before_the_header() {
        check("", Some("de-AT"), Some("fr"), Some(("de", "html")));
        check("", Some("und"), Some("FR, en"), Some(("fr", "header")));
        check("", Some("german"), None, None);
        check("short", None, None, None);
    }

    #[test]
    fn a_text_tells_its_language_where_nothing_is_declared() {
        check(GERMAN, None, None, Some(("de", "text")));
        check(
            "これは地図です。国の全体を示します。夜でも道を見つけます。人に道をたずねます。",
            None,
            None,
            Some(("ja", "text")),
        );
    }

    #[test]
    fn a_long_text_refutes_a_declaration_and_a_short_one_does_not() {
        check(&GERMAN.repeat(4), Some("en"), None, Some(("de", "text")));
        check("Die Karte zeigt das ganze Land.", Some("en"), None, Some(("en", "html")));
        let agreed = Language::of(GERMAN, &Declared { html: Some("de"), header: None });
        assert!(agreed.is_some_and(|found| found.confidence.is_some_and(|sure| sure > 0.9)));
    }

    #[test]
    fn a_long_text_in_any_script_refutes_a_declaration() {
        let russian = "Карта показывает всю страну, и тот, кто её читает, находит дорогу даже \
            ночью. А у кого карты нет, тому приходится спрашивать людей, и не все отвечают \
            охотно. ";
        let japanese = "この地図は国の全体を示しており、読める人は夜でも自分の道を見つけることが\
            できます。地図を持たない人は誰かに道をたずねなければなりません。";
        let greek = "Ο χάρτης δείχνει όλη τη χώρα και όποιος τον διαβάζει βρίσκει τον δρόμο του \
            ακόμα και τη νύχτα. ";
        for (text, tag) in [(russian, "ru"), (japanese, "ja"), (greek, "el")] {
            check(&text.repeat(20), Some("en"), None, Some((tag, "text")));
            check(text, Some("en"), None, Some(("en", "html")));
        }
    }

    #[test]
    fn code_is_no_evidence() {
        let code = "for (int i = 0; i < n; i++) { a[i] = b[i] * c; }\n".repeat(40);
        check(&code, Some("en"), None, Some(("en", "html")));
    }
}
