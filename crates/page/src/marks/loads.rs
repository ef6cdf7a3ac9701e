//! What gates and parked domains load: their scripts, frames and forms.

use std::ops::Range;
use std::sync::LazyLock;

use super::finder::Finder;

/// What something that a page loads is, and how it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Gate(&'static str),
    Puzzle,
    Parking(&'static str),
}

/// Tells of all that is known in the source of an element.
pub(super) fn loads(element: &[u8], mut tell: impl FnMut(Load)) {
    static FINDER: LazyLock<Finder<Load>> = LazyLock::new(|| {
        let gates = GATES.iter().map(|(text, word)| (*text, Load::Gate(word)));
        let puzzles = PUZZLES.iter().map(|text| (*text, Load::Puzzle));
        let parkers = PARKERS.iter().map(|(text, word)| (*text, Load::Parking(word)));
        Finder::new(gates.chain(puzzles).chain(parkers))
    });
    FINDER.find(element, |load, place| {
        if !matches!(load, Load::Parking(_)) || is_apart(element, place) {
            tell(load);
        }
    });
}

/// Whether what is found is no part of a longer word: spark.io is not park.io.
fn is_apart(element: &[u8], place: Range<usize>) -> bool {
    let is_label = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let begins = !element[..place.start].last().is_some_and(is_label);
    let is_open = element[place.clone()].last().is_some_and(is_label);
    begins && !(is_open && element.get(place.end).is_some_and(is_label))
}

/// Scripts, frames and forms that only a gate has, and whose they are. What a maker puts into
/// ordinary pages too, to watch them, is not among these.
const GATES: &[(&str, &str)] = &[
    ("_cf_chl_opt", "script: cloudflare"),
    ("challenge-platform/h/b/orchestrate/", "script: cloudflare"),
    ("challenge-platform/h/g/orchestrate/", "script: cloudflare"),
    ("__cf_chl_", "form: cloudflare"),
    ("captcha-delivery.com", "script: datadome"),
    ("px-captcha", "script: perimeterx"),
    ("captcha.px-cdn.net", "script: perimeterx"),
    ("/_Incapsula_Resource?CWUDNSAI", "frame: imperva"),
    ("/_Incapsula_Resource?SWUDNSAI", "frame: imperva"),
    ("Incapsula incident ID", "frame: imperva"),
    ("gokuProps", "script: aws"),
    ("awsWafCookieDomainList", "script: aws"),
    ("sucuri_cloudproxy_js", "script: sucuri"),
    ("/.within.website/x/", "script: anubis"),
    ("anubis_challenge", "script: anubis"),
    ("/.well-known/ddos-guard/", "script: ddos-guard"),
    ("check.ddos-guard.net", "script: ddos-guard"),
    ("/_guard/", "script: guard"),
    ("sec-cpt-if", "frame: akamai"),
    ("/showcaptcha", "form: captcha"),
];

/// Puzzles that gates use, and contact forms as well.
const PUZZLES: &[&str] = &[
    "hcaptcha.com/",
    "h-captcha",
    "google.com/recaptcha",
    "recaptcha.net/recaptcha",
    "g-recaptcha",
    "challenges.cloudflare.com",
    "cf-turnstile",
    "friendlycaptcha",
    "geetest.com/",
    ".awswaf.com/",
    "AwsWafIntegration",
];

/// Scripts, frames and hosts of those who park domains.
const PARKERS: &[(&str, &str)] = &[
    ("parkingcrew.", "script: parkingcrew"),
    ("d38psrni17bvxu.cloudfront.net", "script: parkingcrew"),
    ("sedoparking.com", "script: sedo"),
    ("sedo.com/search/details", "frame: sedo"),
    ("bodis.com", "script: bodis"),
    ("parking.above.com", "script: above"),
    ("abp.above.com", "script: above"),
    ("wsimg.com/parking-lander", "script: godaddy"),
    ("LANDER_SYSTEM", "script: godaddy"),
    ("window.location.href=\"/lander\"", "script: godaddy"),
    ("adsense/domains/caf.js", "script: google ads for domains"),
    ("parkingpage.namecheap.com", "script: namecheap"),
    ("parklogic.com", "script: parklogic"),
    ("parking.reg.ru", "script: reg.ru"),
    ("voodoo.com", "script: voodoo"),
    ("cdn.dan.com", "script: dan"),
    ("afternic.com/forsale", "frame: afternic"),
    ("hugedomains.com/domain_profile", "frame: hugedomains"),
    ("domainmarket.com", "frame: domainmarket"),
    ("park.io", "script: park.io"),
    ("skenzo.com", "script: skenzo"),
    ("rmtag.ztomy", "script: ztomy"),
    ("domain_parking", "script: parking"),
];
