//! From a request to an answer, and to what the witness shall know of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use super::frame::{Framed, coding_name};
use super::request::{self, Request};
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

/// What there is for a request.
pub(super) struct Found<'a> {
    pub(super) asked: Asked,
    /// The request's target is in canonical form.
    pub(super) canonical: bool,
    /// None is a connection closed without a word.
    pub(super) framed: Option<Cow<'a, Framed>>,
}

/// Finds what a request is about.
#[derive(Debug)]
pub(super) struct Answers {
    web: Arc<Web>,
    port: u16,
    /// By the Host field that a careful client writes.
    http: HashMap<String, HostId>,
    https: HashMap<String, HostId>,
    targets: Vec<HashMap<String, PageId>>,
    hub: HostId,
    /// All pages in order, or none where they are made when asked for.
    prepared: Vec<Framed>,
}

impl Answers {
    pub(super) fn new(web: Arc<Web>, port: u16) -> Self {
        let id = |at: usize| HostId(u32::try_from(at).expect("few hosts"));
        let origins = |scheme| {
            let hosts = web.hosts.iter().enumerate().filter(|(_, h)| h.scheme == scheme);
            hosts.map(|(at, h)| (format!("{}:{port}", h.name), id(at))).collect()
        };
        let (http, https) = (origins(Scheme::Http), origins(Scheme::Https));
        let target = |p: u32| (web.page(PageId(p)).target.clone(), PageId(p));
        let targets = web.hosts.iter().map(|h| h.pages.clone().map(target).collect()).collect();
        let hub = id(web.spec.hosts.saturating_sub(1));
        let mut answers = Self { web, port, http, https, targets, hub, prepared: Vec::new() };
        if answers.web.spec.prepared {
            answers.prepared = answers.prepare();
        }
        answers
    }

    fn prepare(&self) -> Vec<Framed> {
        let pages = u32::try_from(self.web.pages.len()).expect("page ids have 32 bits");
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = u32::try_from(threads).expect("few processors");
        let share = pages.div_ceil(threads).max(1);
        let part = |start: u32| {
            let ids = (start..pages.min(start.saturating_add(share))).map(PageId);
            ids.map(|id| self.page(id, true)).collect::<Vec<_>>()
        };
        thread::scope(|scope| {
            let starts = (0..threads).map(|n| n * share);
            let parts: Vec<_> = starts.map(|start| scope.spawn(move || part(start))).collect();
            let whole = parts.into_iter().map(|p| p.join().expect("pages of the model render"));
            whole.flatten().collect()
        })
    }

    /// The origin that a Host field means, and whether it is the canonical text for it.
    pub(super) fn origin(&self, scheme: Scheme, host: &str) -> Option<(HostId, bool)> {
        let origins = match scheme {
            Scheme::Http => &self.http,
            Scheme::Https => &self.https,
        };
        if let Some(id) = origins.get(host) {
            return Some((*id, true));
        }
        let name = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
        origins.get(&format!("{name}:{}", self.port)).map(|id| (*id, false))
    }

    pub(super) fn answer(&self, origin: HostId, request: &Request<'_>) -> Found<'_> {
        let host = self.web.host(origin);
        let targets = &self.targets[origin.0 as usize];
        // The targets of the model are canonical: those need no second look.
        let mut found = if let Some(id) = targets.get(request.target) {
            let (asked, framed) = self.visit(*id, request);
            Found { asked, canonical: true, framed: Some(framed) }
        } else {
            let target = request::canonical(request.target);
            let canonical = target == request.target;
            if let Some(id) = targets.get(&target) {
                let (asked, framed) = self.visit(*id, request);
                Found { asked, canonical, framed: Some(framed) }
            } else {
                let (asked, reply) = self.other(host, &target);
                let framed = reply.map(|reply| Cow::Owned(Framed::new(reply, false)));
                Found { asked, canonical, framed }
            }
        };
        match host.fault {
            Some(Fault::HangsUp) => found.framed = None,
            Some(Fault::Broken) => {
                found.framed = Some(Cow::Owned(Framed::new(Reply::notice(500), false)));
            }
            _ => {}
        }
        found
    }

    /// What is no page.
    fn other(&self, host: &Host, target: &str) -> (Asked, Option<Reply>) {
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

    fn visit(&self, id: PageId, request: &Request<'_>) -> (Asked, Cow<'_, Framed>) {
        let page = self.web.page(id);
        if page.kind == Kind::Wall && !request.cookie {
            let mut reply = Reply::redirect(302, &page.target);
            reply.fields.push_str("Set-Cookie: pass=1; Path=/\r\n");
            return (Asked::Wall, Cow::Owned(Framed::new(reply, false)));
        }
        let coded = coding_name(page.coding).is_none_or(|name| request.takes(name));
        let framed = match self.prepared.get(id.0 as usize).filter(|_| coded) {
            Some(ready) => Cow::Borrowed(ready),
            None => Cow::Owned(self.page(id, coded)),
        };
        (Asked::Page(id), framed)
    }

    fn page(&self, id: PageId, coded: bool) -> Framed {
        let page = self.web.page(id);
        let mut reply = match page.kind {
            Kind::Gone(status) => Reply::notice(status),
            Kind::Redirect { status, .. } => {
                let location = body::location(&self.web, page, self.port).unwrap_or_default();
                Reply::redirect(status, &location)
            }
            Kind::Text => self.content(id, page, "text/plain; charset=utf-8"),
            Kind::Html | Kind::Wall => self.content(id, page, body::content_type(page.charset)),
        };
        if self.web.host_of(id).cookie {
            reply.fields.push_str("Set-Cookie: visit=7; Path=/; HttpOnly\r\n");
        }
        Framed::new(reply, coded)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn prepared_answers_are_those_made_when_asked_for() {
        let varied = Spec { cookie_walls: true, ..Spec::sized(2, 60, 500) };
        let gzip = Spec { coding: Some(Coding::Gzip), ..Spec::bench(5, 60) };
        for spec in [varied, gzip, Spec::bench(1, 7)] {
            let answers = |prepared| {
                let spec = Spec { prepared, ..spec.clone() };
                Answers::new(Arc::new(Web::generate(&spec)), 4_321)
            };
            let (ready, fresh) = (answers(true), answers(false));
            assert_eq!(ready.prepared.len(), ready.web.pages.len());
            for page in &ready.web.pages {
                for field in ["Accept-Encoding: gzip, br, zstd", "Cookie: pass=1"] {
                    let head = format!("GET {} HTTP/1.1\r\n{field}", page.target);
                    let request = Request::parse(head.as_bytes()).unwrap();
                    let (found, expect) =
                        (ready.answer(page.host, &request), fresh.answer(page.host, &request));
                    assert_eq!(found.asked, expect.asked);
                    assert_eq!(found.framed, expect.framed, "{head}");
                }
            }
        }
    }
}
