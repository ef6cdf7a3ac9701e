//! Properties of canonical URLs, on whatever text comes.

use proptest::prelude::*;
use rhumb_web::{Canon, CanonUrl, HashKey};

/// Pieces of which nasty URLs are made.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9]{0,6}",
        "%[0-9a-fA-F]{0,2}",
        Just("..".to_owned()),
        Just("%2e".to_owned()),
        Just("/".to_owned()),
        Just("?".to_owned()),
        Just("&".to_owned()),
        Just("utm_source=1".to_owned()),
        Just(";jsessionid=2".to_owned()),
        Just("#".to_owned()),
        Just("\\".to_owned()),
        "\\PC{0,3}",
    ]
}

fn nasty() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12)
        .prop_map(|pieces| format!("http://example.org/{}", pieces.concat()))
}

proptest! {
    #[test]
    fn parsing_never_panics_and_is_idempotent(raw in "\\PC{0,60}") {
        if let Ok(url) = CanonUrl::parse(&raw) {
            prop_assert_eq!(&CanonUrl::parse(url.as_str()).expect("canonical"), &url);
        }
    }

    #[test]
    fn canonical_form_is_a_fixed_point(raw in nasty()) {
        for canon in [Canon::Full, Canon::KeepQuery] {
            let url = CanonUrl::parse_with(&raw, canon).expect("it has a host");
            let again = CanonUrl::parse_with(url.as_str(), canon).expect("canonical");
            prop_assert_eq!(&again, &url);
            prop_assert!(!url.as_str().contains('#'));
            prop_assert!(url.query() != Some(""));
        }
    }

    #[test]
    fn a_link_resolves_to_itself_from_anywhere(raw in nasty(), page in nasty()) {
        let url = CanonUrl::parse(&raw).expect("it has a host");
        let page = CanonUrl::parse(&page).expect("it has a host");
        prop_assert_eq!(page.join(url.as_str(), Canon::Full).expect("absolute"), url);
    }

    #[test]
    fn what_a_crawl_wrote_down_it_reads_back(raw in nasty()) {
        let url = CanonUrl::parse(&raw).expect("it has a host");
        let text = serde_json::to_string(&url).expect("it can be written");
        let back: CanonUrl = serde_json::from_str(&text).expect("it can be read");
        prop_assert_eq!(back, url);
    }

    #[test]
    fn the_parts_add_up_to_the_whole(raw in nasty()) {
        let url = CanonUrl::parse(&raw).expect("it has a host");
        let whole = format!("{}{}{}", url.scheme().prefix(), url.authority(), url.path_and_query());
        prop_assert_eq!(whole.as_str(), url.as_str());
        prop_assert!(url.path().starts_with('/'));
    }

    #[test]
    fn every_partition_number_is_below_the_count(host in "[a-z]{1,8}\\.[a-z]{2,3}", count in 1_u16..500) {
        let url = CanonUrl::parse(&format!("http://{host}/")).expect("it is a URL");
        let owner = url.site().pld().partition(HashKey(1, 2), count);
        prop_assert!(owner.0 < count);
    }
}
