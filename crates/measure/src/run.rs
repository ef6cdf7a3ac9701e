//! A program is run to its end, on cores of its own, and watched: how long it took, what it took
//! of the processor and of memory, and what it wrote. All from `/proc` and from the wait for it,
//! so that it is not slowed down.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// How often a program is looked at: the top of its memory is known at its last look, since the
/// kernel forgets it at the end.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Parts of a second in which `/proc` counts processor time, on every Linux.
const KERNEL_HERTZ: f64 = 100.0;

/// Some of the machine's cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cores(Vec<usize>);

impl Cores {
    /// Those that this thread, and whatever it starts, may use.
    pub fn allowed() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        Ok(Self((0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()))
    }

    /// The first `count` of these, and the others. Where there are no others, both are the same.
    pub fn split(&self, count: usize) -> (Self, Self) {
        let (first, rest) = self.0.split_at(count.min(self.0.len()));
        let rest = if rest.is_empty() { first } else { rest };
        (Self(first.to_vec()), Self(rest.to_vec()))
    }

    /// The first `count` of these.
    #[must_use]
    pub fn first(&self, count: usize) -> Self {
        self.split(count).0
    }

    /// Their numbers, as the kernel has them.
    pub fn numbers(&self) -> &[usize] {
        &self.0
    }

    /// Holds all threads of this process, and whatever they start from now on, to these.
    pub fn pin(&self) -> io::Result<()> {
        let set = self.set();
        for entry in std::fs::read_dir("/proc/self/task")? {
            let number = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            match number.and_then(Pid::from_raw).map(|id| sched_setaffinity(Some(id), &set)) {
                // A thread that has ended since needs no core.
                None | Some(Ok(()) | Err(rustix::io::Errno::SRCH)) => {}
                Some(Err(error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Does something on these, the programs that it starts included; then this thread goes back
    /// to where it was, and the others never left.
    pub fn on<T>(&self, what: impl FnOnce() -> T) -> io::Result<T> {
        let here = sched_getaffinity(None)?;
        sched_setaffinity(None, &self.set())?;
        let done = what();
        sched_setaffinity(None, &here)?;
        Ok(done)
    }

    /// Starts a program on these; this process stays where it is.
    pub fn start(&self, command: &mut Command) -> io::Result<Running> {
        let (from, child) = self.on(|| (Instant::now(), command.spawn()))?;
        Ok(Running { child: child?, from, is_reaped: false })
    }

    fn set(&self) -> CpuSet {
        let mut set = CpuSet::new();
        for core in self.0.iter().filter(|core| **core < CpuSet::MAX_CPU) {
            set.set(*core);
        }
        set
    }
}

/// A program that was started. Dropped before its end, it is killed.
#[derive(Debug)]
pub struct Running {
    child: Child,
    from: Instant,
    is_reaped: bool,
}

/// What a program took from start to end.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// From its start to its end.
    pub wall: Duration,
    /// Processor time of all its threads, and of the programs that it started and waited for.
    pub cpu: Duration,
    /// The most memory that it had resident at once, seen in steps of 20 ms.
    pub peak_bytes: u64,
    /// What it made the kernel write to a disk, at once or later; nothing for files in memory.
    pub written_bytes: u64,
    /// What it gave to the calls that write, whatever is behind them.
    pub handed_bytes: u64,
    /// How it ended.
    pub status: ExitStatus,
}

impl Running {
    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, for its pipes.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for its end. Calls `look` about every 20 ms with the time since the start.
    /// One that runs longer than `limit` is killed: an error.
    pub fn watch(mut self, limit: Duration, mut look: impl FnMut(Duration)) -> io::Result<Taken> {
        let pid = Pid::from_child(&self.child);
        let mut peak_bytes = 0;
        let (sender, ended) = mpsc::sync_channel(1);
        // One thread sleeps until the very end, which leaves it to us to read the last figures:
        // nothing is lost of the time, and the figures are there until the child is reaped.
        thread::spawn(move || {
            let end = wait_without_reaping(pid);
            sender.send((Instant::now(), end)).ok();
        });
        let mut is_killed = false;
        let (end, outcome) = loop {
            match ended.recv_timeout(LOOK_EVERY) {
                Ok(message) => break message,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the thread that waits for a program has died"));
                }
            }
            peak_bytes = peak_bytes.max(peak_memory(self.child.id()).unwrap_or(0));
            look(self.from.elapsed());
            if !is_killed && self.from.elapsed() > limit {
                is_killed = true;
                self.child.kill()?;
            }
        };
        outcome?;
        let cpu = cpu_of_the_dead(self.child.id())?;
        let (written_bytes, handed_bytes) = written(self.child.id()).unwrap_or((0, 0));
        let status = self.child.wait()?;
        self.is_reaped = true;
        if is_killed {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("it was killed after {} s", limit.as_secs()),
            ));
        }
        let wall = end.duration_since(self.from);
        Ok(Taken { wall, cpu, peak_bytes, written_bytes, handed_bytes, status })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_reaped {
            // It may be over already: then there is nothing to kill, and it is reaped all the same.
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}

fn wait_without_reaping(pid: Pid) -> io::Result<()> {
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
    }
}

/// The most bytes of memory that a running process had resident at once.
pub fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// The processor time of a process so far, and that of the programs that it has waited for.
pub fn cpu_time(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    parse_cpu(&stat)
}

fn parse_cpu(stat: &str) -> Option<Duration> {
    // The name in brackets may hold anything, spaces and brackets too.
    let fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let ticks: Vec<u32> = fields.skip(11).take(4).map_while(|text| text.parse().ok()).collect();
    let [user, system, children_user, children_system] = ticks[..] else { return None };
    let sum: f64 = [user, system, children_user, children_system].map(f64::from).iter().sum();
    Some(Duration::from_secs_f64(sum / KERNEL_HERTZ))
}

fn cpu_of_the_dead(pid: u32) -> io::Result<Duration> {
    cpu_time(pid).ok_or_else(|| io::Error::other(format!("/proc/{pid}/stat cannot be read")))
}

/// What a process has sent to a disk so far, and what it has given to calls that write.
pub fn written(pid: u32) -> Option<(u64, u64)> {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let field = |name: &str| io.lines().find_map(|line| line.strip_prefix(name))?.parse().ok();
    Some((field("write_bytes: ")?, field("wchar: ")?))
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    const LIMIT: Duration = Duration::from_mins(1);

    /// Held by every test that looks at cores: one of them pins the whole process for a moment.
    static TURN: Mutex<()> = Mutex::new(());

    fn all() -> (MutexGuard<'static, ()>, Cores) {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        (turn, Cores::allowed().unwrap())
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_is_held_to_its_cores_and_we_stay_on_ours() {
        let (_turn, all) = all();
        let last = Cores(vec![*all.numbers().last().unwrap()]);
        let script = "grep Cpus_allowed_list: /proc/self/status";
        let mut running = last.start(shell(script).stdout(std::process::Stdio::piped())).unwrap();
        let said = io::read_to_string(running.child().stdout.take().unwrap()).unwrap();
        assert!(running.watch(LIMIT, |_| ()).unwrap().status.success());
        assert_eq!(said.trim(), format!("Cpus_allowed_list:\t{}", last.numbers()[0]));
        assert_eq!(Cores::allowed().unwrap(), all);
    }

    #[test]
    fn a_process_is_pinned_with_all_its_threads() {
        let (_turn, all) = all();
        let (stop, stopped) = mpsc::channel::<()>();
        let (say, said) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                stopped.recv().unwrap();
                say.send(Cores::allowed().unwrap()).unwrap();
            });
            all.first(1).pin().unwrap();
            stop.send(()).unwrap();
            assert_eq!(said.recv().unwrap(), all.first(1));
            all.pin().unwrap();
        });
        assert_eq!(Cores::allowed().unwrap(), all);
    }

    #[test]
    fn what_a_program_took_is_known_at_its_end() {
        let (_turn, all) = all();
        let script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sh -c 'exit 3'; exit 7";
        let taken = all.start(&mut shell(script)).unwrap().watch(LIMIT, |_| ()).unwrap();
        assert_eq!(taken.status.code(), Some(7));
        assert!(taken.cpu > Duration::ZERO, "{taken:?}");
        assert!(taken.wall >= taken.cpu.saturating_sub(Duration::from_millis(20)), "{taken:?}");
        assert!(taken.peak_bytes > 100_000, "{taken:?}");
    }

    #[test]
    fn what_a_program_writes_is_counted() {
        let script = "head -c 300000 /dev/zero > /dev/null";
        let (_turn, all) = all();
        let taken = all.start(&mut shell(script)).unwrap().watch(LIMIT, |_| ()).unwrap();
        assert!(taken.handed_bytes >= 300_000, "{taken:?}");
        assert_eq!(taken.written_bytes, 0);
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let (_turn, all) = all();
        let running = all.start(Command::new("sleep").arg("600")).unwrap();
        let pid = running.pid();
        let mut looks = 0;
        let error = running.watch(Duration::from_millis(50), |_| looks += 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(looks > 0);
        assert_eq!(cpu_time(pid), None);
    }

    #[test]
    fn a_program_that_nobody_waits_for_is_killed() {
        let (_turn, all) = all();
        let running = all.start(Command::new("sleep").arg("600")).unwrap();
        let pid = running.pid();
        assert!(cpu_time(pid).is_some());
        drop(running);
        assert_eq!(cpu_time(pid), None);
    }

    #[test]
    fn cores_are_split_and_a_single_one_is_shared() {
        let four = Cores(vec![1, 3, 5, 7]);
        assert_eq!(four.split(1), (Cores(vec![1]), Cores(vec![3, 5, 7])));
        assert_eq!(Cores(vec![4]).split(1), (Cores(vec![4]), Cores(vec![4])));
        assert_eq!(four.first(9), four);
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 150 30 15 5 20 0 1 0";
        assert_eq!(parse_cpu(stat), Some(Duration::from_secs(2)));
        assert_eq!(parse_cpu("7 (a"), None);
    }
}
