//! From a request to an answer, and to what the witness shall know of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::request::Request;
use crate::body::{self, decoys};
use crate::truth::{
    Coding, Directive, Fault, Framing, Host, HostId, Kind, Page, PageId, Robots, Scheme, Web,
};
use crate::witness::Asked;

/// An answer before it is framed.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) content_type: Cow<'static, str>,
    /// Further header lines, each with its end.
    pub(super) fields: String,
    pub(super) body: Vec<u8>,
    pub(super) coding: Coding,
    pub(super) framing: Framing,
}

impl Reply {
    fn new(status: u16, content_type: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self {
            status,
            content_type: content_type.into(),
            fields: String::new(),
            body,
            coding: Coding::Identity,
            framing: Framing::Length,
        }
    }

    fn notice(status: u16) -> Self {
        let body = format!("<!DOCTYPE html>\n<title>{status}</title>\n<p>{status}</p>\n");
        Self::new(status, "text/html; charset=utf-8", body.into_bytes())
    }

    fn redirect(status: u16, location: &str) -> Self {
        let mut reply = Self::notice(status);
        reply.fields = format!("Location: {location}\r\n");
        reply
    }

    pub(super) fn bad_request() -> Self {
        Self { framing: Framing::LengthAndClose, ..Self::notice(400) }
    }
}

/// Finds what a request is about. A reply of `None` is a connection closed without a word.
#[derive(Debug)]
pub(super) struct Answers {
    web: Arc<Web>,
    port: u16,
    origins: HashMap<(Scheme, String), HostId>,
    targets: Vec<HashMap<String, PageId>>,
    hub: HostId,
}

impl Answers {
    pub(super) fn new(web: Arc<Web>, port: u16) -> Self {
        let id = |at: usize| HostId(u32::try_from(at).expect("few hosts"));
        let origins = web.hosts.iter().enumerate();
        let origins = origins.map(|(at, h)| ((h.scheme, h.name.clone()), id(at))).collect();
        let target = |p: u32| (web.page(PageId(p)).target.clone(), PageId(p));
        let targets = web.hosts.iter().map(|h| h.pages.clone().map(target).collect()).collect();
        let hub = id(web.spec.hosts.saturating_sub(1));
        Self { web, port, origins, targets, hub }
    }

    /// The origin that a request is for.
    pub(super) fn origin(&self, request: &Request) -> Option<HostId> {
        self.origins.get(&(request.scheme, request.name())).copied()
    }

    /// `target` is the canonical form of the request's own.
    pub(super) fn answer(
        &self,
        origin: HostId,
        target: &str,
        request: &Request,
    ) -> (Asked, Option<Reply>) {
        let host = self.web.host(origin);
        let (asked, reply) = self.find(origin, host, target, request);
        match host.fault {
            Some(Fault::HangsUp) => (asked, None),
            Some(Fault::Broken) => (asked, Some(Reply::notice(500))),
            _ => (asked, reply),
        }
    }

    fn find(
        &self,
        origin: HostId,
        host: &Host,
        target: &str,
        request: &Request,
    ) -> (Asked, Option<Reply>) {
        if let Some(id) = self.targets[origin.0 as usize].get(target) {
            return self.page(*id, host, request);
        }
        if let Some(answer) = self.robots(host, target) {
            return answer;
        }
        if let Some(part) = body::part_at(&self.web, host, target, self.port) {
            return (Asked::Sitemap, Some(Reply::new(200, part.content_type, part.body)));
        }
        let html = |text: String| Some(Reply::new(200, "text/html", text.into_bytes()));
        if target.starts_with(decoys::PREFIX) {
            return (Asked::Decoy, html("<p>You should not be here.</p>\n".to_owned()));
        }
        if host.trap
            && let Some(text) = body::trap(target)
        {
            let trap = target.starts_with(decoys::TRAP_PREFIX);
            return (if trap { Asked::Trap } else { Asked::Calendar }, html(text));
        }
        (Asked::Unknown, Some(Reply::notice(404)))
    }

    fn robots(&self, host: &Host, target: &str) -> Option<(Asked, Option<Reply>)> {
        let hop: u8 = match target {
            "/robots.txt" => 0,
            _ => target.strip_prefix("/robots-")?.strip_suffix(".txt")?.parse().ok()?,
        };
        let file = |status| {
            let text = host.robots.text() + &body::robots_lines(host, self.port);
            Some(Reply::new(status, "text/plain", text.into_bytes()))
        };
        let known = Asked::Robots { known: true };
        Some(match host.robots {
            Robots::Moved(hops) if hop < hops => {
                let next = format!("/robots-{}.txt", hop + 1);
                (Asked::Robots { known: false }, Some(Reply::redirect(302, &next)))
            }
            Robots::Moved(hops) if hop == hops => (known, file(200)),
            _ if hop > 0 => return None,
            Robots::Borrowed => {
                let location = self.web.host(self.hub).origin(self.port) + "/robots.txt";
                (known, Some(Reply::redirect(301, &location)))
            }
            Robots::Absent => (known, Some(Reply::notice(404))),
            Robots::Forbidden => (known, Some(Reply::notice(403))),
            Robots::Unavailable => (known, Some(Reply::notice(503))),
            Robots::Hangup => (known, None),
            Robots::HtmlPage => {
                (known, Some(Reply::new(200, "text/html", host.robots.text().into_bytes())))
            }
            _ => (known, file(200)),
        })
    }

    fn page(&self, id: PageId, host: &Host, request: &Request) -> (Asked, Option<Reply>) {
        let page = self.web.page(id);
        let mut reply = match page.kind {
            Kind::Gone(status) => Reply::notice(status),
            Kind::Redirect { status, .. } => {
                let location = body::location(&self.web, page, self.port).unwrap_or_default();
                Reply::redirect(status, &location)
            }
            Kind::Wall if request.cookie.is_none() => {
                let mut reply = Reply::redirect(302, &page.target);
                reply.fields.push_str("Set-Cookie: pass=1; Path=/\r\n");
                return (Asked::Wall, Some(reply));
            }
            Kind::Text => self.content(id, page, "text/plain; charset=utf-8"),
            Kind::Html | Kind::Wall => self.content(id, page, body::content_type(page.charset)),
        };
        if host.cookie {
            reply.fields.push_str("Set-Cookie: visit=7; Path=/; HttpOnly\r\n");
        }
        (Asked::Page(id), Some(reply))
    }

    fn content(
        &self,
        id: PageId,
        page: &Page,
        content_type: impl Into<Cow<'static, str>>,
    ) -> Reply {
        let body = body::page(&self.web, id, self.port);
        let mut reply = Reply::new(200, content_type, body);
        reply.coding = page.coding;
        reply.framing = page.framing;
        let tag = match page.directive {
            Directive::OtherbotHeader => Some("otherbot: nofollow"),
            Directive::NofollowHeader => Some("noarchive, nofollow"),
            Directive::NofollowHeaderRhumb => Some("rhumb: nofollow"),
            _ => None,
        };
        if let Some(tag) = tag {
            reply.fields = format!("X-Robots-Tag: {tag}\r\n");
        }
        reply
    }
}
