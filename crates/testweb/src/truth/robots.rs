//! The kinds of robots.txt, each with the areas that it opens and closes by construction (RFC 9309).

use super::area::{Area, closed, open};

/// A kind of robots.txt, as the crawler named `rhumb` meets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Robots {
    /// Status 404: everything is allowed.
    Absent,
    /// Status 403: everything is allowed.
    Forbidden,
    /// Status 200 and no byte.
    Empty,
    /// An empty Disallow.
    AllowAll,
    /// Plain prefixes.
    Prefix,
    /// `*` and `$`.
    Wildcard,
    /// Allow inside Disallow: the longest match wins, a tie allows.
    Longest,
    /// A group for `rhumb` that replaces the one for all.
    OwnGroup,
    /// Groups for other robots, one with a name that ours begins.
    Strangers,
    /// Several groups for `rhumb`, to be merged.
    Merged,
    /// Everything in capitals.
    Shouting,
    /// A byte order mark before the first line.
    Bom,
    /// Lines that end in CR LF.
    Crlf,
    /// Lines that end in CR.
    Cr,
    /// Comments, blanks and lines that mean nothing.
    Comments,
    /// Escaped and unescaped octets in rules.
    Encoded,
    /// An HTML page with status 200: no rules.
    HtmlPage,
    /// This many redirects on the same host, then prefixes.
    Moved(u8),
    /// A redirect to the robots.txt of the web's hub.
    Borrowed,
    /// A crawl-delay of this many milliseconds.
    Delay(u16),
    /// Status 503: everything is disallowed.
    Unavailable,
    /// The connection is closed without an answer: everything is disallowed.
    Hangup,
    /// `rhumb` is disallowed everywhere.
    Banned,
}

const PREFIX: &str = "User-agent: *\nDisallow: /private/\nDisallow: /tmp\n";
const PREFIX_AREAS: &[Area] = &[
    closed("/private/"),
    closed("/tmp/"),
    closed("/tmpfile/"),
    open("/public/private/"),
    open("/Private/"),
];
const PLAIN_AREAS: &[Area] = &[closed("/private/"), open("/public/private/")];
const FREE_AREAS: &[Area] = &[open("/private/"), open("/tmp/")];

impl Robots {
    /// Kinds for hosts of any size, dealt out in turn.
    pub(super) const ORDINARY: [Self; 21] = [
        Self::Prefix,
        Self::Absent,
        Self::Longest,
        Self::Wildcard,
        Self::OwnGroup,
        Self::AllowAll,
        Self::Merged,
        Self::Forbidden,
        Self::Encoded,
        Self::Crlf,
        Self::Moved(1),
        Self::Strangers,
        Self::Empty,
        Self::Shouting,
        Self::Bom,
        Self::Borrowed,
        Self::Comments,
        Self::Cr,
        Self::HtmlPage,
        Self::Moved(5),
        Self::Prefix,
    ];

    /// Kinds that only small hosts get: they close the host, or cost time.
    pub(super) const SMALL: [Self; 6] = [
        Self::Delay(100),
        Self::Unavailable,
        Self::Banned,
        Self::Delay(200),
        Self::Hangup,
        Self::Delay(300),
    ];

    /// No page of the host may be fetched at all.
    pub fn refuses_all(self) -> bool {
        matches!(self, Self::Unavailable | Self::Hangup | Self::Banned)
    }

    /// The file has lines that a Sitemap line can be added to.
    pub(super) fn takes_sitemap(self) -> bool {
        matches!(self, Self::AllowAll | Self::Prefix | Self::Longest | Self::Crlf | Self::Shouting)
    }

    /// Directories of the host that its rules are about.
    pub(super) fn areas(self) -> &'static [Area] {
        match self {
            Self::Absent
            | Self::Forbidden
            | Self::Empty
            | Self::AllowAll
            | Self::HtmlPage
            | Self::Unavailable
            | Self::Hangup
            | Self::Banned => FREE_AREAS,
            Self::Prefix | Self::Moved(_) | Self::Borrowed => PREFIX_AREAS,
            Self::Wildcard => {
                const {
                    &[
                        closed("/team/drafts/"),
                        Area { dir: "/notes/", tail: ".old.html", closed: true },
                        Area { dir: "/notes/", tail: ".old.html?v=1", closed: false },
                        Area { dir: "/notes/", tail: ".html?print=1", closed: true },
                        open("/drafts/"),
                    ]
                }
            }
            Self::Longest => {
                const {
                    &[
                        closed("/archive/"),
                        open("/archive/public/"),
                        open("/archive/secret/"),
                        closed("/archive/secret/deep/"),
                        open("/both/"),
                    ]
                }
            }
            Self::OwnGroup => const { &[closed("/secret/"), open("/open/")] },
            Self::Merged => {
                const { &[closed("/one/"), closed("/two/"), closed("/shared/"), open("/three/")] }
            }
            Self::Shouting => const { &[closed("/private/"), open("/private/press/")] },
            Self::Comments => {
                const { &[closed("/private/"), closed("/spaced/"), open("/commented/")] }
            }
            Self::Encoded => {
                const {
                    &[
                        closed("/caf%C3%A9/"),
                        closed("/~private/"),
                        closed("/na%C3%AFve/"),
                        open("/cafe/"),
                    ]
                }
            }
            Self::Strangers | Self::Bom | Self::Crlf | Self::Cr | Self::Delay(_) => PLAIN_AREAS,
        }
    }

    /// The rules, for kinds that answer with some.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Prefix | Self::Moved(_) => PREFIX.to_owned(),
            Self::AllowAll => "User-agent: *\nDisallow:\n".to_owned(),
            Self::Wildcard => "User-agent: *\nDisallow: /*/drafts/\nDisallow: /*.old.html$\n\
                 Disallow: /*?print=\n"
                .to_owned(),
            Self::Longest => "User-agent: *\nAllow: /archive/public/\nDisallow: /archive/\n\
                 Allow: /archive/secret\nDisallow: /archive/secret/deep/\n\
                 Allow: /both/\nDisallow: /both/\n"
                .to_owned(),
            Self::OwnGroup => "User-agent: *\nDisallow: /\n\nUser-agent: rhumb\n\
                 Disallow: /secret/\n"
                .to_owned(),
            Self::Strangers => "User-agent: otherbot\nDisallow: /\n\nUser-agent: rhumbline\n\
                 Disallow: /\n\nUser-agent: *\nDisallow: /private/\n"
                .to_owned(),
            Self::Merged => "User-agent: rhumb\nDisallow: /one/\n\nUser-agent: *\nDisallow: /\n\n\
                 User-agent: Rhumb\nDisallow: /two/\n\nUser-agent: otherbot\nUser-agent: rhumb\n\
                 Disallow: /shared/\n"
                .to_owned(),
            Self::Shouting => {
                "USER-AGENT: RHUMB\nDISALLOW: /private/\nALLOW: /private/press/\n".to_owned()
            }
            Self::Bom => "\u{feff}User-agent: *\nDisallow: /private/\n".to_owned(),
            Self::Crlf => "User-agent: *\r\nDisallow: /private/\r\n".to_owned(),
            Self::Cr => "User-agent: *\rDisallow: /private/\r".to_owned(),
            Self::Comments => "# hello, robots\n\nUser-agent: * # all of you\nNoodle: soup\n\
                 Disallow: /private/ # keep out\n  Disallow :\t/spaced/  \n#Disallow: /commented/\n\
                 this line says nothing\n"
                .to_owned(),
            Self::Encoded => "User-agent: *\nDisallow: /caf%c3%a9/\nDisallow: /%7Eprivate/\n\
                 Disallow: /naïve/\n"
                .to_owned(),
            Self::Delay(ms) => format!(
                "User-agent: *\nCrawl-delay: {}.{}\nDisallow: /private/\n",
                ms / 1000,
                ms % 1000 / 100
            ),
            Self::Banned => {
                "User-agent: rhumb\nDisallow: /\n\nUser-agent: *\nAllow: /\n".to_owned()
            }
            Self::HtmlPage => "<!DOCTYPE html><html><head><title>Not found</title></head>\
                 <body><p>We looked everywhere.</p></body></html>\n"
                .to_owned(),
            Self::Absent
            | Self::Forbidden
            | Self::Empty
            | Self::Borrowed
            | Self::Unavailable
            | Self::Hangup => String::new(),
        }
    }
}
