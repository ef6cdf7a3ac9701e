//! Questions and orders from outside, for a crawl that runs.

use std::path::PathBuf;
use std::sync::Arc;

use rhumb_frontier::SiteRules;
use rhumb_rules::ScopeKind;
use rhumb_web::{CanonUrl, PartitionId, Site, UrlKey};
use tokio::sync::{mpsc, oneshot};

use super::CrawlError;
use crate::ask::{
    Found, Gathered, Gathering, Glance, Setting, SitesPage, SitesWanted, Status, Suspect, Why,
};
use crate::partition::UrlRecord;
use crate::tables::Tables;

/// Questions that may wait for the desk; whoever asks more waits himself.
const ASKS_MAX: usize = 64;

/// What the desk is asked or told; it answers once it has done so.
#[derive(Debug)]
pub(super) enum Ask {
    /// With the folder whose files are to be measured.
    Status(oneshot::Sender<(Box<Status>, PathBuf)>),
    Evidence(String, oneshot::Sender<Gathered>),
    Record(UrlKey, oneshot::Sender<Option<UrlRecord>>),
    /// What whoever asks for sites must know, and how many partitions there are.
    Setting(oneshot::Sender<(Setting, Arc<dyn Tables>, u16)>),
    /// Templates that were taken for traps.
    Traps(oneshot::Sender<Vec<Suspect>>),
    /// The sites of a partition, so many of those on disk.
    Glance(PartitionId, SitesWanted, usize, oneshot::Sender<Glance>),
    /// Some sites.
    Look(Vec<Site>, oneshot::Sender<Vec<Option<Found>>>),
    Submit(Vec<CanonUrl>, oneshot::Sender<()>),
    Pause(bool, oneshot::Sender<()>),
    Sites(SiteRules, Vec<(String, ScopeKind)>, oneshot::Sender<()>),
}

/// The desk's end of a [`Handle`].
#[derive(Debug)]
pub struct Asks(pub(super) mpsc::Receiver<Ask>);

/// Asks a crawl that runs, and tells it what to do. Every answer is none once it has ended.
#[derive(Clone, Debug)]
pub struct Handle(mpsc::Sender<Ask>);

/// A handle, and the end of it that the crawl gets.
pub fn handle() -> (Handle, Asks) {
    let (sender, receiver) = mpsc::channel(ASKS_MAX);
    (Handle(sender), Asks(receiver))
}

impl Handle {
    async fn ask<T>(&self, make: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        self.0.send(make(sender)).await.ok()?;
        receiver.await.ok()
    }

    /// How it stands.
    pub async fn status(&self) -> Option<Status> {
        let (mut status, folder) = self.ask(Ask::Status).await?;
        // Files are measured beside the desk.
        let measure = move || {
            status.measure(&folder);
            *status
        };
        tokio::task::spawn_blocking(measure).await.ok()
    }

    /// The story of a URL.
    pub async fn why(&self, url: String) -> Option<Result<Why, CrawlError>> {
        let text = url.clone();
        let (evidence, canon) = match self.ask(|reply| Ask::Evidence(text, reply)).await? {
            Gathered::Told(why) => return Some(Ok(*why)),
            Gathered::Evidence(evidence, canon) => (evidence, canon),
        };
        let asks = self.0.clone();
        let recent = move |key| {
            let (reply, answer) = oneshot::channel();
            asks.blocking_send(Ask::Record(key, reply)).ok()?;
            answer.blocking_recv().ok()?
        };
        // Tables and queues are read beside the desk.
        let tell = move || Why::tell(&url, canon, *evidence, |key| Ok(recent(key)));
        tokio::task::spawn_blocking(tell).await.ok()
    }

    /// Some of its sites.
    pub async fn sites(&self, wanted: &SitesWanted) -> Option<Result<SitesPage, CrawlError>> {
        let wanted = wanted.bounded();
        let (setting, tables, partitions) = self.ask(Ask::Setting).await?;
        let mut gathering = Gathering::new(wanted.clone(), setting, tables);
        // One partition after the other: in between the desk has other things to do.
        for id in (0..partitions).map(PartitionId) {
            let (wanted, room) = (wanted.clone(), gathering.room());
            gathering.add(self.ask(|reply| Ask::Glance(id, wanted, room, reply)).await?);
        }
        // Tables are read and names are compared beside the desk.
        let choose = move || {
            let chosen = gathering.choose();
            (gathering, chosen)
        };
        let (gathering, chosen) = tokio::task::spawn_blocking(choose).await.ok()?;
        let chosen = match chosen {
            Ok(chosen) => chosen,
            Err(error) => return Some(Err(error)),
        };
        let found = self.ask(|reply| Ask::Look(chosen, reply)).await?;
        tokio::task::spawn_blocking(move || gathering.page(found)).await.ok()
    }

    /// Templates that were taken for traps, those with the most refused first.
    pub async fn traps(&self) -> Option<Vec<Suspect>> {
        self.ask(Ask::Traps).await
    }

    /// Adds seeds; a URL that is known already stays as it is.
    pub async fn submit(&self, seeds: Vec<CanonUrl>) -> Option<()> {
        self.ask(|done| Ask::Submit(seeds, done)).await
    }

    /// Starts no more fetches, or goes on with them.
    pub async fn pause(&self, is_paused: bool) -> Option<()> {
        self.ask(|done| Ask::Pause(is_paused, done)).await
    }

    /// From now on these rules hold for single sites, and no others.
    pub async fn set_sites(
        &self,
        rules: SiteRules,
        scopes: Vec<(String, ScopeKind)>,
    ) -> Option<()> {
        self.ask(|done| Ask::Sites(rules, scopes, done)).await
    }
}
