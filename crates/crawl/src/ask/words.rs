//! Our own words as a person says them, wherever they are shown.

/// What holds a site.
pub fn hold_words(hold: &str) -> &str {
    match hold {
        "site" => "its gap",
        "address" => "its address",
        "backoff" => "back-off",
        "robots" => "robots.txt",
        "budget" => "its budget",
        "block" => "your block",
        other => other,
    }
}
