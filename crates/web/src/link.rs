//! A link as a page wrote it.

use serde::{Deserialize, Serialize};

use crate::CanonUrl;

/// Where in a page a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// `<a href>`.
    A,
    /// `<area href>` of an image map.
    Area,
    /// `<frame src>`.
    Frame,
    /// `<iframe src>`.
    Iframe,
    /// `<link href>` that leads to another page: next, prev, alternate and the like.
    Link,
    /// `<link rel=canonical>`.
    Canonical,
    /// `<link rel=alternate hreflang>`: the same page in another language.
    Hreflang,
    /// A meta refresh or a Refresh header.
    Refresh,
    /// An entry of a sitemap.
    Sitemap,
    /// An entry of a feed.
    Feed,
}

/// A link that resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Where it leads.
    pub url: CanonUrl,
    /// Where it stood.
    pub kind: LinkKind,
    /// Its text, or what stands for it.
    pub text: String,
    /// Whether the page asks not to follow it.
    pub nofollow: bool,
}
