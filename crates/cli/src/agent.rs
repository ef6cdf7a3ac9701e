//! Who we say we are.

use rhumb_web::CanonUrl;

use crate::fault::Fault;

/// Our name as robots.txt and servers see it.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The product token: what robots.txt speaks to.
    pub(crate) token: String,
    /// The User-Agent header.
    pub(crate) header: String,
    /// The From header.
    pub(crate) from: Option<String>,
}

impl Agent {
    /// Reads `name` or `name/version`, and a mail address or a page where we can be reached.
    pub(crate) fn new(name: &str, contact: Option<&str>) -> Result<Self, Fault> {
        let token = name.split('/').next().unwrap_or_default();
        let is_token = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '_';
        if token.is_empty() || !token.chars().all(is_token) || name.chars().any(char::is_control) {
            return Err(Fault::usage(
                format!("the agent {name:?} is no name that robots.txt can speak to"),
                "letters, hyphens and underscores, as in --agent my-crawler",
            ));
        }
        let name = if name.contains('/') {
            name.to_owned()
        } else {
            format!("{name}/{}", env!("CARGO_PKG_VERSION"))
        };
        let Some(contact) = contact else {
            return Ok(Self { token: token.to_owned(), header: name, from: None });
        };
        let is_page = CanonUrl::parse(contact).is_ok();
        let is_mail = contact.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && host.contains('.') && !contact.contains(char::is_whitespace)
        });
        if !is_page && !is_mail {
            return Err(Fault::usage(
                format!("the contact {contact:?} is neither a mail address nor a URL"),
                "--contact you@example.org, or --contact https://example.org/crawler",
            ));
        }
        let header = format!("{name} (+{contact})");
        let from = (is_mail && !is_page).then(|| contact.to_owned());
        Ok(Self { token: token.to_owned(), header, from })
    }
}
