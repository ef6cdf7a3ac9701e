//! What hostile hosts do.

use std::net::Ipv4Addr;

/// The one thing that a hostile host does; but for that it behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trick {
    /// A body that never ends.
    EndlessBody,
    /// Headers that never end.
    EndlessHeaders,
    /// Interim answers that never end.
    EndlessInterim,
    /// Chunks of one byte that never end.
    EndlessChunks,
    /// Trailers that never end.
    EndlessTrailers,
    /// A body of a byte a second.
    SlowBody,
    /// Headers of a byte a second.
    SlowHeaders,
    /// The request of a page is never answered.
    SilentPage,
    /// No request is answered, robots.txt neither.
    SilentHost,
    /// The request of a page is answered with a reset.
    ResetPage,
    /// Every connection is accepted and reset.
    ResetHost,
    /// The size of a chunk is no number.
    BrokenChunks,
    /// Fewer bytes than Content-Length says.
    LengthTooLong,
    /// More bytes than Content-Length says.
    LengthTooShort,
    /// Behind its answer a second one, for a request that was not sent yet.
    ForgedAnswer,
    /// A gzip body that inflates a thousandfold.
    GzipBomb,
    /// The same in brotli.
    BrotliBomb,
    /// The same in zstd.
    ZstdBomb,
    /// Gzip in gzip in gzip.
    NestedBomb,
    /// Headers with bytes that no header may have, and lines that are none.
    BadHeaderBytes,
    /// A header with a NUL byte.
    NulInHeader,
    /// A status line that is none.
    BadStatusLine,
    /// A megabyte of elements within elements.
    NestedTags,
    /// NUL bytes all over the page.
    NulBytes,
    /// UTF-16 that calls itself UTF-8, and a charset that does not exist.
    LyingCharset,
    /// Noise that calls itself HTML.
    BinaryAsHtml,
    /// HTML that calls itself an image.
    HtmlAsImage,
    /// Gzip that does not say so.
    UnnamedGzip,
    /// Redirects that never arrive.
    RedirectChain,
    /// Two hosts that redirect to each other.
    RedirectLoop2,
    /// Three hosts that redirect in a circle.
    RedirectLoop3,
    /// A page that redirects to itself.
    SelfRedirect,
    /// A page that redirects to itself with a new cookie every time.
    SelfRedirectCookie,
    /// A page that redirects to itself until its cookie comes back.
    CookieWall,
    /// Redirects to what is no URL.
    BadLocation,
    /// Redirects to private addresses in many spellings.
    RedirectToPrivate,
    /// Links, a refresh and a sitemap that lead to private addresses.
    LinksToPrivate,
    /// A robots.txt that redirects to a private address.
    RobotsToPrivate,
    /// A name whose address comes late.
    SlowDns,
    /// A name about which the name server says nothing.
    SilentDns,
    /// A name at which the name server fails.
    FailingDns,
    /// A name whose answer is noise.
    GarbageDns,
    /// A name that leads to a private address.
    PrivateDns,
    /// A name whose IPv4 address is deaf, and whose IPv6 address is private.
    PrivateIpv6Dns,
    /// A name that leads to its host when asked first, and to a private address afterwards.
    RebindingDns,
    /// A name that leads to a private address and to its host.
    MixedDns,
    /// A certificate that nobody signed.
    SelfSigned,
    /// A certificate of last year.
    Expired,
    /// A certificate of another host.
    WrongHost,
    /// Plain text instead of a handshake.
    GarbageTls,
    /// A handshake that is never answered.
    SilentTls,
    /// 429 for ever, each time with one second to wait.
    AlwaysBusy,
    /// 503 with a wait of ages.
    AbsurdRetryAfter,
    /// A robots.txt that never ends.
    EndlessRobots,
    /// A robots.txt of ten megabytes, its first rule at the beginning, its last at the end.
    LargeRobots,
    /// A robots.txt that is a web page.
    HtmlRobots,
    /// A robots.txt that redirects in a circle.
    RobotsLoop,
    /// A page of a hundred thousand links.
    ManyLinks,
    /// A compressed sitemap that inflates a thousandfold.
    SitemapBomb,
    /// A sitemap index that names itself.
    SitemapLoop,
    /// Hundreds of cookies with every answer.
    CookieFlood,
}

impl Trick {
    /// Every trick.
    pub const ALL: [Self; 61] = [
        Self::EndlessBody,
        Self::EndlessHeaders,
        Self::EndlessInterim,
        Self::EndlessChunks,
        Self::EndlessTrailers,
        Self::SlowBody,
        Self::SlowHeaders,
        Self::SilentPage,
        Self::SilentHost,
        Self::ResetPage,
        Self::ResetHost,
        Self::BrokenChunks,
        Self::LengthTooLong,
        Self::LengthTooShort,
        Self::ForgedAnswer,
        Self::GzipBomb,
        Self::BrotliBomb,
        Self::ZstdBomb,
        Self::NestedBomb,
        Self::BadHeaderBytes,
        Self::NulInHeader,
        Self::BadStatusLine,
        Self::NestedTags,
        Self::NulBytes,
        Self::LyingCharset,
        Self::BinaryAsHtml,
        Self::HtmlAsImage,
        Self::UnnamedGzip,
        Self::RedirectChain,
        Self::RedirectLoop2,
        Self::RedirectLoop3,
        Self::SelfRedirect,
        Self::SelfRedirectCookie,
        Self::CookieWall,
        Self::BadLocation,
        Self::RedirectToPrivate,
        Self::LinksToPrivate,
        Self::RobotsToPrivate,
        Self::SlowDns,
        Self::SilentDns,
        Self::FailingDns,
        Self::GarbageDns,
        Self::PrivateDns,
        Self::PrivateIpv6Dns,
        Self::RebindingDns,
        Self::MixedDns,
        Self::SelfSigned,
        Self::Expired,
        Self::WrongHost,
        Self::GarbageTls,
        Self::SilentTls,
        Self::AlwaysBusy,
        Self::AbsurdRetryAfter,
        Self::EndlessRobots,
        Self::LargeRobots,
        Self::HtmlRobots,
        Self::RobotsLoop,
        Self::ManyLinks,
        Self::SitemapBomb,
        Self::SitemapLoop,
        Self::CookieFlood,
    ];

    /// The name of its host: `EndlessBody` lives at `endless-body.test`.
    pub fn host(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name + ".test"
    }

    /// The trick behind a name, or a name below it.
    pub(super) fn at(name: &str) -> Option<Self> {
        let is_here = |host: String| {
            name.strip_suffix(host.as_str()).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
        };
        Self::ALL.into_iter().find(|trick| is_here(trick.host()))
    }

    pub(super) fn address(self) -> Ipv4Addr {
        let place = Self::ALL.iter().position(|other| *other == self).expect("all are listed");
        Ipv4Addr::new(127, 60, 0, u8::try_from(place + 1).expect("few tricks"))
    }

    pub(super) fn speaks_tls(self) -> bool {
        matches!(
            self,
            Self::SelfSigned | Self::Expired | Self::WrongHost | Self::GarbageTls | Self::SilentTls
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trick_has_a_host_of_its_own() {
        let mut hosts: Vec<_> = Trick::ALL.iter().map(|trick| trick.host()).collect();
        assert_eq!(hosts[0], "endless-body.test");
        hosts.sort_unstable();
        hosts.dedup();
        assert_eq!(hosts.len(), Trick::ALL.len());
    }
}
