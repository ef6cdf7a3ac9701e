//! The query parameters that say who came, or from where, but never which page.
//! One list, lower case; names are compared without case. `--keep-query` ignores it.

/// Whether a parameter of this name is dropped from the canonical form.
pub(super) fn is_dropped(name: &str) -> bool {
    let begins = |prefix: &&str| {
        let start = name.as_bytes().get(..prefix.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    let lower = || name.bytes().map(|byte| byte.to_ascii_lowercase());
    DROPPED.binary_search_by(|dropped| dropped.bytes().cmp(lower())).is_ok()
        || DROPPED_PREFIXES.iter().any(begins)
}

/// Whether a query has a parameter that is dropped.
pub(super) fn are_any_dropped(query: &str) -> bool {
    let mut pairs = query.split('&');
    pairs.any(|pair| is_dropped(pair.split_once('=').map_or(pair, |(name, _)| name)))
}

/// Families of tracking parameters: `utm_source`, `utm_medium` and so on.
const DROPPED_PREFIXES: &[&str] = &["utm_", "mtm_", "pk_", "hsa_", "__hs"];

/// Sorted, for the binary search.
const DROPPED: &[&str] = &[
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "aspsessionid",
    "cfid",
    "cftoken",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "jsessionid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "phpsessid",
    "sessionid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
    "ysclid",
];

/// Session ids that Java and PHP servers hang on the last path segment: `;jsessionid=…`.
pub(super) const PATH_SESSIONS: &[&str] = &[";jsessionid=", ";phpsessid="];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_lower_case() {
        assert!(DROPPED.is_sorted());
        assert!(DROPPED.iter().all(|name| *name == name.to_ascii_lowercase()));
    }
}
