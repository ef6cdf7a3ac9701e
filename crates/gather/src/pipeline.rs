//! Captures are read and understood on threads of their own, and arrive in their order.

use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rhumb_archive::{Damage, Kept, Met, Position, Span};

/// Captures that are understood in one go.
const BATCH_MAX: usize = 32;
/// Bytes of a batch beyond which it takes no more captures. A body unpacks to twenty times as much
/// at most, and all texts of a batch are held.
const BATCH_BYTES: usize = 1 << 20;
/// Batches that wait to be taken in: none but the one that was made while another is taken.
const BATCHES_MAX: usize = 0;

/// Some captures, understood.
#[derive(Debug, Default)]
pub(crate) struct Batch<F> {
    /// What each means, and where its records end.
    pub(crate) findings: Vec<(F, Position)>,
    /// What could not be read.
    pub(crate) damages: Vec<Damage>,
}

/// Reads the archive from one place to another, and hands batches over as they come.
pub(crate) fn read<F: Send, T>(
    read: impl Fn(Kept) -> F + Sync,
    archive: &Path,
    span: (Position, Position),
    threads: usize,
    take: impl FnOnce(Receiver<io::Result<Batch<F>>>) -> T,
) -> T {
    let (sender, batches) = sync_channel(BATCHES_MAX);
    thread::scope(|scope| {
        let read = &read;
        scope.spawn(move || produce(read, Span::new(archive, span.0, span.1), threads, &sender));
        take(batches)
    })
}

fn produce<F: Send>(
    read: &(impl Fn(Kept) -> F + Sync),
    mut span: Span,
    threads: usize,
    sender: &SyncSender<io::Result<Batch<F>>>,
) {
    loop {
        let batch = next(&mut span).map(|(captures, damages)| {
            let is_last = captures.is_empty() && damages.is_empty();
            (!is_last).then(|| Batch { findings: understand(read, captures, threads), damages })
        });
        let is_failed = batch.is_err();
        // Nobody takes it where taking in has failed.
        match batch.transpose().map(|batch| sender.send(batch)) {
            Some(Ok(())) if !is_failed => {}
            _ => return,
        }
    }
}

/// The captures of the next batch; none at the end.
fn next(span: &mut Span) -> io::Result<(Vec<Kept>, Vec<Damage>)> {
    let (mut captures, mut damages, mut bytes) = (Vec::new(), Vec::new(), 0);
    while captures.len() < BATCH_MAX && damages.len() < BATCH_MAX && bytes < BATCH_BYTES {
        match span.next().transpose()? {
            Some(Met::Kept(kept)) => {
                bytes += kept.block.len();
                captures.push(*kept);
            }
            Some(Met::Damage(damage)) => damages.push(damage),
            None => break,
        }
    }
    Ok((captures, damages))
}

/// Reads what captures say: one thread takes in what others understand.
fn understand<F: Send>(
    read: &(impl Fn(Kept) -> F + Sync),
    captures: Vec<Kept>,
    threads: usize,
) -> Vec<(F, Position)> {
    let read = |kept: Kept| {
        let end = kept.end;
        (read(kept), end)
    };
    let threads = threads.saturating_sub(1).max(1);
    if threads == 1 {
        return captures.into_iter().map(read).collect();
    }
    let share = captures.len().div_ceil(threads).max(1);
    let mut captures = captures.into_iter();
    thread::scope(|scope| {
        let mut shares = Vec::with_capacity(threads);
        loop {
            let share: Vec<_> = captures.by_ref().take(share).collect();
            if share.is_empty() {
                break;
            }
            shares.push(scope.spawn(move || share.into_iter().map(read).collect::<Vec<_>>()));
        }
        let done = shares.into_iter().map(|share| share.join().expect("what panics is caught"));
        done.flatten().collect()
    })
}
