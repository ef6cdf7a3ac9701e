use rhumb_testweb::{Served, Spec};

use super::*;

#[test]
fn every_part_of_a_page_is_measured_and_takes_some_time() {
    let spec = Spec::bench(3, 12);
    let served = Served::start_on_thread(&spec).expect("it is served");
    let urls: Vec<String> = served.expected().pages.into_keys().collect();
    let sample = Sample::fetch(&urls, served.dns()).expect("a page comes");
    assert!(sample.plain_bytes() > 10_000, "{}", sample.plain_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let parts = all(&sample, folder.path()).expect("it can be measured");
    let names: Vec<&str> = parts.iter().map(|part| part.name).collect();
    for name in
        ["parse", "canonicalise", "judge", "sketch", "record", "sha1", "write", "decide", "log"]
    {
        assert!(names.contains(&name), "{name} is not in {names:?}");
    }
    assert_eq!(names.contains(&"unpack"), sample.is_coded());
    for part in &parts {
        let Spread { least, middle, most } = part.micros;
        assert!(0.0 < least && least <= middle && middle <= most, "{part:?}");
        assert!(part.per_page >= 1.0, "{part:?}");
        assert!(part.within.is_none_or(|name| names.contains(&name)), "{part:?}");
    }
    let top: Vec<Part> = parts.iter().filter(|part| part.within.is_none()).cloned().collect();
    assert!((sum(&parts) - sum(&top)).abs() < 1e-9);
    assert!(sum(&parts) > 0.0);
}

#[test]
fn a_web_without_a_page_is_no_sample() {
    let dns = "127.0.0.1:9".parse().expect("an address");
    let nothing = Sample::fetch(&[], dns).expect_err("there is no page");
    assert!(matches!(nothing, SampleError::NoPage(_)), "{nothing}");
    let odd = Sample::fetch(&["odd".to_owned()], dns).expect_err("that is no URL");
    assert!(matches!(odd, SampleError::Url { .. }), "{odd}");
}
