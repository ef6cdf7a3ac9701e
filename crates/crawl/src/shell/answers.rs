//! The desk answers whoever asks, and does what it is told.

use std::sync::Arc;

use rhumb_web::{CanonUrl, Site, UrlKey};

use super::desk::{self, Desk};
use super::handle::Ask;
use super::pulse;
use super::report::{SiteLine, Standing};
use crate::ask::{
    Activity, Circumstances, Evidence, Found, Gathered, Setting, SiteStanding, Status, Strain, Why,
    glance, look,
};
use crate::partition::{Partition, UrlRecord};
use crate::store::Holdings;

impl Desk {
    /// Answers at once, from memory; what needs the disk is left to whoever asked.
    pub(super) fn answer(&mut self, ask: Ask) {
        // Whoever does not wait for the answer any more has no need of it.
        match ask {
            Ask::Status(reply) => {
                let folder = self.settings.folder.clone();
                reply.send((Box::new(self.status()), folder)).ok();
            }
            Ask::Evidence(text, reply) => {
                reply.send(self.evidence(&text)).ok();
            }
            Ask::Record(key, reply) => {
                reply.send(self.record(key)).ok();
            }
            Ask::Setting(reply) => {
                let tables = Arc::clone(&self.keeping.holdings.tables);
                reply.send((self.setting(), tables, self.settings.partitions)).ok();
            }
            Ask::Traps(reply) => {
                reply.send(self.keeping.holdings.suspects.rows()).ok();
            }
            Ask::Glance(id, wanted, room, reply) => {
                let partition = &self.partitions[id.index()];
                reply.send(glance(&self.setting(), partition, &wanted, room)).ok();
            }
            Ask::Look(sites, reply) => {
                reply.send(self.look(&sites)).ok();
            }
            Ask::Submit(seeds, reply) => {
                self.submit(&seeds);
                reply.send(()).ok();
            }
            Ask::Pause(is_paused, reply) => {
                self.is_paused = is_paused;
                reply.send(()).ok();
            }
            Ask::Sites(rules, scopes, reply) => {
                self.settings.sites = rules;
                self.set_site_rules();
                Arc::make_mut(&mut self.rules).scope.set_sites(scopes);
                reply.send(()).ok();
            }
        }
    }

    fn evidence(&self, text: &str) -> Gathered {
        match CanonUrl::parse_with(text, self.settings.canon) {
            Err(error) => Gathered::Told(Box::new(Why::of_no_url(text, error))),
            Ok(url) => {
                let circumstances = Circumstances {
                    now: self.clock.now(),
                    born_ms: self.settings.born_ms,
                    hash: self.settings.hash,
                    agent: self.settings.agent.clone(),
                    rules: Arc::clone(&self.rules),
                    manners: self.settings.manners,
                    is_running: true,
                    is_paused: self.is_paused,
                };
                let owner = &self.partitions[self.settings.owner(&url).index()];
                let holdings = &self.keeping.holdings;
                let evidence = Evidence::gather(circumstances, owner, holdings, url);
                Gathered::Evidence(Box::new(evidence), self.settings.canon)
            }
        }
    }

    fn setting(&self) -> Setting {
        let rules = self.partitions.first().map(|it| it.state().frontier().shared_rules());
        Setting {
            now: self.clock.now(),
            born_ms: self.settings.born_ms,
            agent: self.settings.agent.clone(),
            manners: self.settings.manners,
            rules: rules.unwrap_or_default(),
            is_running: true,
            is_paused: self.is_paused,
        }
    }

    fn look(&self, sites: &[Site]) -> Vec<Option<Found>> {
        let setting = self.setting();
        let owner = |site: &Site| &self.partitions[self.settings.owner_of(site).index()];
        sites.iter().map(|site| look(&setting, owner(site), site)).collect()
    }

    fn record(&self, key: UrlKey) -> Option<UrlRecord> {
        self.keeping.holdings.recent(&self.partitions, key)
    }

    fn submit(&mut self, urls: &[CanonUrl]) {
        let rules = Arc::make_mut(&mut self.rules);
        for url in urls {
            rules.scope.add_root(url);
        }
        self.seed(desk::seeds(urls));
    }

    /// Tells the partitions what the settings say of single sites.
    pub(super) fn set_site_rules(&mut self) {
        let rules = Arc::new(self.settings.sites.clone());
        for partition in &mut self.partitions {
            partition.state_mut().frontier_mut().set_rules(Arc::clone(&rules));
        }
    }

    /// All but what must be measured on disk.
    fn status(&self) -> Status {
        let mut status = Status {
            state: Activity::Running,
            paused: self.is_paused,
            connections: wide(self.settings.connections),
            elapsed_ms: self.clock.now().since(self.clock.from()).0,
            outage: self.is_down(),
            phases: self.worker.meter().percentiles(),
            dns_failures: self.worker.meter().dns_failures(),
            forgotten: self.rules.forgotten.count(),
            memory_bytes: pulse::memory_bytes(),
            ..Status::default()
        };
        status.count(&self.partitions);
        let rates = self.pulse.rates();
        (status.pages_per_s, status.bytes_per_s) = (rates.pages, rates.bytes);
        status.cpu_cores = rates.cores;
        let (busiest, slowest) = self.foremost();
        status.busiest = busiest.iter().map(standing).collect();
        status.slowest = slowest.iter().map(standing).collect();
        status.recent = self.recent.lines(self.settings.born_ms);
        let shares = self.settings.shares();
        let frontier: usize = self.partitions.iter().map(Partition::bytes).sum();
        let parts = [
            ("bodies", self.worker.bodies_held()),
            ("seen", wide(self.keeping.holdings.seen.lock().memory())),
            ("frontier", wide(frontier)),
            ("changed", wide(self.keeping.holdings.backlog.bytes())),
            ("likeness", wide(self.keeping.holdings.sieve_bytes())),
        ];
        status.memory = parts.map(|(part, bytes)| (part.to_owned(), bytes)).into();
        let known: u64 = status.memory.values().sum();
        let other = status.memory_bytes.saturating_sub(known);
        status.memory.insert("other".to_owned(), other);
        let Holdings { mirrors, tables, .. } = &self.keeping.holdings;
        // What cannot be read now is told by the next fetch that needs it.
        status.name_mirrors(mirrors, &self.partitions, &**tables).ok();
        status.judge(Strain {
            lag: self.worker.counter().lag(),
            is_behind: self.is_behind(),
            bodies_max: wide(shares.bodies),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        });
        status
    }
}

fn standing(line: &SiteLine) -> SiteStanding {
    let (state, held_by, span) = match line.standing {
        Standing::UnderWay(span) => ("fetching", None, span),
        Standing::Waits(hold, span) => ("waiting", Some(hold.word().to_owned()), span),
        Standing::Idle => ("idle", None, rhumb_web::Span::ZERO),
    };
    SiteStanding {
        site: line.site.to_string(),
        visits: line.visits,
        queued: line.queued,
        takes_ms: line.takes.0,
        state: state.to_owned(),
        held_by,
        for_ms: span.0,
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).expect("a length fits 64 bits")
}
