//! Gates: pages that ask for a proof that a person is looking, or keep us out.

use super::loads::Load;
use super::look::Look;
use super::phrases::{List, Lists};
use super::sign::{Kind, Signs};
use crate::read::Format;

/// Headers that come with a gate: name, beginning of the value, weight, how it is told.
const HEADERS: [(&str, &str, u8, &str); 13] = [
    ("cf-mitigated", "challenge", 3, "header: cf-mitigated"),
    ("x-amzn-waf-action", "c", 3, "header: x-amzn-waf-action"),
    ("x-datadome", "", 1, "header: datadome"),
    ("x-dd-b", "", 2, "header: datadome"),
    ("x-sucuri-block", "", 3, "header: sucuri"),
    ("x-sucuri-id", "", 1, "header: sucuri"),
    ("x-iinfo", "", 1, "header: imperva"),
    ("server", "AkamaiGHost", 1, "server: akamai"),
    ("server", "ddos-guard", 1, "server: ddos-guard"),
    ("set-cookie", "datadome=", 1, "cookie: datadome"),
    ("set-cookie", "visid_incap", 1, "cookie: imperva"),
    ("set-cookie", "techaro.lol-anubis", 2, "cookie: anubis"),
    ("set-cookie", "__ddg", 1, "cookie: ddos-guard"),
];

/// Whether a gate may come with this status, beside a good one.
pub(super) fn is_status(status: u16) -> bool {
    matches!(status, 403 | 405 | 429 | 503)
}

/// The signs of a gate, if there are enough of them.
pub(super) fn signs(look: &Look<'_>) -> Option<Vec<&'static str>> {
    let mut signs = Signs::default();
    headers(look, &mut signs);
    let status = match look.facts.status {
        403 => "status 403",
        405 => "status 405",
        429 => "status 429",
        503 => "status 503",
        // The gate of Amazon's firewall answers so, and hardly any page does.
        202 if signs.has(Kind::Answer) => "status 202",
        _ => "",
    };
    signs.add_if(!status.is_empty(), Kind::Answer, 2, status);
    // What a document says is no gate's word.
    if look.page.format == Format::Html {
        words(look, &mut signs);
        if signs.is_empty() && !look.is_nearly_empty() {
            return None;
        }
        loads(look, &mut signs);
    }
    // Of what is left, nothing speaks for a gate that does not speak of one itself.
    let speaks = [Kind::Script, Kind::Title, Kind::Text].into_iter().any(|kind| signs.has(kind));
    if !speaks && !signs.is_certain() {
        return None;
    }
    signs.add_if(look.is_noindex(), Kind::Make, 1, "noindex");
    signs.add_if(look.page.scan.refresh.is_some(), Kind::Make, 1, "refresh");
    signs.enough()
}

fn headers(look: &Look<'_>, signs: &mut Signs) {
    for (name, start, weight, word) in HEADERS {
        let mut values = look.facts.headers.iter().filter(|(key, _)| *key == name);
        signs.add_if(values.any(|(_, value)| value.starts_with(start)), Kind::Answer, weight, word);
    }
}

fn words(look: &Look<'_>, signs: &mut Signs) {
    if look.titled.has(List::GateTitle) {
        signs.add(Kind::Title, 2, "title of a gate");
    } else {
        signs.add_if(look.titled.has(List::MildTitle), Kind::Title, 1, "title of a refusal");
    }
    told(look.told, signs);
    signs.add_if(look.told.has(List::Number), Kind::Text, 1, "number of a refusal");
}

fn told(told: Lists, signs: &mut Signs) {
    signs.add_if(told.has(List::Demand), Kind::Text, 2, "asks for a person");
    signs.add_if(told.has(List::Refusal), Kind::Text, 2, "says that we are kept out");
}

fn loads(look: &Look<'_>, signs: &mut Signs) {
    look.loads(|load| match load {
        Load::Gate(word) => signs.add(Kind::Script, 3, word),
        Load::Puzzle => signs.add(Kind::Script, 1, "puzzle"),
        Load::Parking(_) => {}
    });
    // What a gate says to those without scripts is no visible text.
    if look.is_nearly_empty() {
        told(look.told_without_scripts(), signs);
        signs.add(Kind::Make, 1, "nearly empty");
    }
}
