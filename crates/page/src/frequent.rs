//! The most frequent words of a few languages: prose is known by them at a glance, where to weigh
//! all languages against each other costs as much as reading the page.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that are looked at.
const WORDS_MAX: usize = 120;
/// Fewer tell nothing.
const WORDS_MIN: usize = 20;
/// Of a hundred words of prose so many are frequent ones: of English about 40, of others about 25.
const SHARE_PERCENT: usize = 18;
/// The longest word of the lists.
const WORD_BYTES_MAX: usize = 8;

/// Words that are frequent in one language and rare in the others; in their order.
#[rustfmt::skip]
const FREQUENT: &[(&str, &[&str])] = &[
    ("de", &["auch", "auf", "aus", "bei", "das", "dem", "den", "der", "des", "die", "durch", "ein",
        "eine", "einem", "einen", "einer", "eines", "es", "für", "hat", "ich", "im", "ist", "kann",
        "mit", "nach", "nicht", "noch", "nur", "oder", "sein", "sich", "sie", "sind", "und", "vom",
        "von", "vor", "wenn", "werden", "wie", "wir", "wird", "zu", "zum", "zur", "über"]),
    ("en", &["and", "are", "as", "at", "be", "been", "but", "by", "can", "from", "has", "have", "if",
        "is", "it", "its", "not", "of", "on", "or", "that", "the", "their", "there", "these", "they",
        "this", "to", "was", "we", "were", "when", "which", "will", "with", "you", "your"]),
    ("es", &["al", "como", "con", "del", "el", "es", "esta", "fue", "ha", "las", "lo", "los", "más",
        "para", "pero", "por", "que", "se", "ser", "sin", "sobre", "su", "sus", "también", "una", "y"]),
    ("fr", &["au", "aux", "avec", "ce", "ces", "cette", "dans", "des", "du", "elle", "est", "et",
        "il", "je", "les", "leur", "mais", "nous", "ont", "ou", "par", "pas", "plus", "pour", "qui",
        "sont", "sur", "une", "vous", "à", "été"]),
    ("it", &["al", "alla", "anche", "che", "ci", "con", "dal", "dei", "del", "della", "delle", "di",
        "e", "gli", "il", "le", "nel", "nella", "non", "per", "più", "si", "sono", "sul", "un", "è"]),
    ("nl", &["aan", "bij", "dat", "deze", "dit", "door", "een", "en", "er", "het", "hij", "ik",
        "maar", "met", "naar", "niet", "om", "ook", "op", "te", "uit", "van", "voor", "werd",
        "worden", "wordt", "zijn"]),
    ("pl", &["ale", "co", "do", "jak", "jest", "jego", "lub", "na", "nie", "od", "oraz", "po", "przez",
        "się", "są", "to", "tym", "w", "z", "za", "że"]),
    ("pt", &["ao", "aos", "as", "com", "como", "da", "das", "do", "dos", "em", "foi", "mais", "mas",
        "na", "no", "não", "o", "os", "ou", "para", "pela", "pelo", "por", "que", "se", "ser", "são",
        "um", "uma", "é"]),
    ("ru", &["бы", "в", "для", "до", "его", "же", "за", "и", "из", "или", "их", "как", "к", "на", "не",
        "но", "о", "он", "от", "по", "при", "с", "так", "то", "что", "это"]),
];

/// For each word the languages that have it, a bit for each place in [`FREQUENT`].
static LANGUAGES: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    for (place, (_, words)) in FREQUENT.iter().enumerate() {
        for word in *words {
            *languages.entry(*word).or_default() |= 1 << place;
        }
    }
    languages
});

const _: () = assert!(FREQUENT.len() <= 16, "every language has its bit");

/// The languages whose frequent words a text has, so that they leave no doubt: none or one of
/// nearly all texts.
pub(crate) fn told(text: &str) -> impl Iterator<Item = &'static str> {
    let words = text.split(|char: char| !char.is_alphabetic()).filter(|word| !word.is_empty());
    let (mut count, mut frequent) = (0, [0; FREQUENT.len()]);
    let mut lower = String::with_capacity(WORD_BYTES_MAX);
    for word in words.take(WORDS_MAX) {
        count += 1;
        if word.len() > WORD_BYTES_MAX {
            continue;
        }
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase));
        }
        let languages = LANGUAGES.get(lower.as_str()).copied().unwrap_or_default();
        for (place, frequent) in frequent.iter_mut().enumerate() {
            *frequent += usize::from(languages >> place & 1);
        }
    }
    let is_told = move |frequent| count >= WORDS_MIN && frequent * 100 >= count * SHARE_PERCENT;
    let told = frequent.into_iter().zip(FREQUENT).filter(move |(frequent, _)| is_told(*frequent));
    told.map(|(_, (tag, _))| *tag)
}

/// The most frequent words of all these languages.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    FREQUENT.iter().flat_map(|(_, words)| words.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::told;

    fn check(text: &str, expect: Option<&str>) {
        assert!(told(text).eq(expect), "{text}");
    }

    #[test]
    fn prose_is_known_by_its_frequent_words_alone() {
        check(
            "The map shows the whole country, and whoever can read it will find a way through it \
             even at night. Those who have no map must ask the people they meet on the road.",
            Some("en"),
        );
        check(
            "Die Karte zeigt das ganze Land, und wer sie liest, findet seinen Weg auch in der Nacht. \
             Wer aber keine Karte hat, der muss die Leute fragen, und nicht alle geben Auskunft.",
            Some("de"),
        );
        check(
            "La carte montre tout le pays, et celui qui la lit trouve son chemin dans la nuit. Ceux \
             qui ne l'ont pas doivent demander aux gens, et tous ne sont pas prêts à répondre.",
            Some("fr"),
        );
        check(
            "El mapa muestra todo el país, y quien lo lee encuentra su camino por la noche. Los que \
             no lo tienen deben preguntar a la gente, pero no todos responden con gusto.",
            Some("es"),
        );
        check(
            "Карта показывает всю страну, и тот, кто её читает, находит дорогу и ночью. А у кого \
             карты нет, тому приходится спрашивать людей на дороге, и не все отвечают, как надо.",
            Some("ru"),
        );
    }

    #[test]
    fn short_texts_and_lists_of_names_tell_nothing() {
        check("The map is on the table.", None);
        check(&"alpha beta gamma delta epsilon ".repeat(20), None);
        check("", None);
    }
}
