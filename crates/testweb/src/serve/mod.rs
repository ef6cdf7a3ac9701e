//! The web on loopback: one port on every host's address, TLS or not by the first byte, and DNS.

mod answer;
mod dns;
mod frame;
mod http;
mod request;
mod tls;

use std::collections::BTreeSet;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use tokio::net::{TcpListener, UdpSocket};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::spec::Spec;
use crate::truth::{Expected, Fault, Host, Web};
use crate::witness::{Ledger, Witness};
use answer::Answers;
use tls::Authority;

#[cfg(test)]
pub(crate) use request::canonical;

/// Ports tried until one is free on every address.
const BIND_TRIES: usize = 16;

/// A web that is being served; it ends when this is dropped.
#[derive(Debug)]
pub struct Served {
    shared: Arc<Shared>,
    dns: SocketAddr,
    /// Every task holds a receiver, and ends when this side is gone.
    alive: watch::Sender<()>,
    runtime: Option<Runtime>,
}

/// What all connections use.
#[derive(Debug)]
struct Shared {
    web: Arc<Web>,
    port: u16,
    answers: Answers,
    ledger: Ledger,
    authority: Authority,
}

impl Served {
    /// Serves a new web on the runtime of the caller.
    pub async fn start(spec: &Spec) -> io::Result<Self> {
        let web = Arc::new(Web::generate(spec));
        let (listeners, port) = bind_all(&addresses(&web)).await?;
        let model = Arc::clone(&web);
        let answers = tokio::task::spawn_blocking(move || Answers::new(model, port));
        let shared = Arc::new(Shared {
            answers: answers.await.map_err(io::Error::other)?,
            ledger: Ledger::new(Arc::clone(&web), port),
            authority: Authority::new(&web).map_err(io::Error::other)?,
            web,
            port,
        });
        let alive = watch::Sender::new(());
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let dns = socket.local_addr()?;
        let zone = dns::Zone::of(&shared.web);
        tokio::spawn(until_gone(alive.subscribe(), dns::serve(socket, zone)));
        for listener in listeners {
            let task = accept(listener, Arc::clone(&shared), alive.subscribe());
            tokio::spawn(until_gone(alive.subscribe(), task));
        }
        Ok(Self { shared, dns, alive, runtime: None })
    }

    /// Serves a new web on threads of its own, for callers that block.
    pub fn start_on_thread(spec: &Spec) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("testweb")
            .enable_all()
            .build()?;
        let mut served = runtime.block_on(Self::start(spec))?;
        served.runtime = Some(runtime);
        Ok(served)
    }

    /// Ends all tasks and waits for them; ports are free afterwards.
    pub async fn stop(self) {
        self.alive.send_replace(());
        self.alive.closed().await;
    }

    /// Where DNS questions go.
    pub fn dns(&self) -> SocketAddr {
        self.dns
    }

    /// The port of every host, for http and https alike.
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// URLs to start a crawl from.
    pub fn seeds(&self) -> Vec<String> {
        let web = &self.shared.web;
        web.seeds.iter().map(|id| web.url(*id, self.shared.port)).collect()
    }

    /// The root certificate, as a PEM file has it.
    pub fn ca_pem(&self) -> &str {
        &self.shared.authority.pem
    }

    /// The root certificate in DER.
    pub fn ca_der(&self) -> &[u8] {
        &self.shared.authority.der
    }

    /// The web's model.
    pub fn web(&self) -> &Web {
        &self.shared.web
    }

    /// What a correct crawler fetches.
    pub fn expected(&self) -> Expected {
        self.shared.web.expected(self.shared.port)
    }

    /// What the server saw so far.
    pub fn witness(&self) -> Witness {
        self.shared.ledger.snapshot()
    }

    /// Pages answered so far: cheap, unlike [`Served::witness`].
    pub fn pages_answered(&self) -> u64 {
        self.shared.ledger.pages_answered()
    }

    /// Starts the books anew, so that the next crawl of this web has a witness of its own.
    pub fn forget(&self) {
        self.shared.ledger.forget();
    }

    /// All names that DNS knows, as `/etc/hosts` has them: some clients take no DNS server.
    pub fn hosts_file(&self) -> String {
        let unknown = [Fault::NoSuchName, Fault::ServFail, Fault::Silent].map(Some);
        let known = |h: &&Host| h.twin_of.is_none() && !unknown.contains(&h.fault);
        let hosts = self.shared.web.hosts.iter().filter(known);
        let lines: Vec<String> = hosts.map(|h| format!("{} {}\n", h.address, h.name)).collect();
        lines.concat()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.alive.send_replace(());
        if let Some(runtime) = self.runtime.take() {
            // Dropping a runtime blocks, which an async caller must not.
            runtime.shutdown_background();
        }
    }
}

/// Runs a task until it ends or the web is gone.
async fn until_gone(mut alive: watch::Receiver<()>, task: impl Future<Output = ()>) {
    tokio::select! {
        _ = alive.changed() => {}
        () = task => {}
    }
}

fn addresses(web: &Web) -> BTreeSet<Ipv4Addr> {
    let listens = |fault| matches!(fault, None | Some(Fault::HangsUp | Fault::Broken));
    web.hosts.iter().filter(|h| listens(h.fault)).map(|h| h.address).collect()
}

async fn bind_all(addresses: &BTreeSet<Ipv4Addr>) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut last = io::Error::other("no host listens");
    for _ in 0..BIND_TRIES {
        match bind_once(addresses).await {
            Ok(bound) => return Ok(bound),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

async fn bind_once(addresses: &BTreeSet<Ipv4Addr>) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut listeners = Vec::with_capacity(addresses.len());
    let mut port = 0;
    for address in addresses {
        let listener = TcpListener::bind((*address, port)).await?;
        port = listener.local_addr()?.port();
        listeners.push(listener);
    }
    Ok((listeners, port))
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, alive: watch::Receiver<()>) {
    loop {
        // Out of descriptors or a client that is gone already: the next one may do better.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let task = http::serve(stream, Instant::now(), Arc::clone(&shared));
        tokio::spawn(until_gone(alive.clone(), task));
    }
}
