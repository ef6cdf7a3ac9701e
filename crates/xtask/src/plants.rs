//! The table of planted bugs: each must turn a test red, or that test proves nothing.
//!
//! To add one: copy a line of product code as it stands (it must occur exactly once in its file),
//! break it the way a tired person would, and name the test that must notice.

/// A bug, and the test that notices it.
pub(crate) struct Plant {
    /// What it breaks, in a word or two.
    pub(crate) name: &'static str,
    /// The file, from the root.
    pub(crate) file: &'static str,
    /// The text as it stands there, once.
    pub(crate) before: &'static str,
    /// The bug.
    pub(crate) after: &'static str,
    /// The package whose tests must notice.
    pub(crate) package: &'static str,
    /// A part of the name of the test that must notice.
    pub(crate) filter: &'static str,
}

/// All of them.
pub(crate) const PLANTS: &[Plant] = &[Plant {
    name: "escapes keep their case",
    file: "crates/web/src/url/escapes.rs",
    before: "rest[..3].to_ascii_uppercase()",
    after: "rest[..3]",
    package: "rhumb-web",
    filter: "spellings_of_one_page_become_one_text",
}];
