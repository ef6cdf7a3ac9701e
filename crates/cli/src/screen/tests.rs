//! The display and the hints, one by one.

use std::time::Duration;

use rhumb_crawl::partition::Miss;
use rhumb_crawl::shell::{Ended, Hosts, Progress, SiteLine, Standing, Summary};
use rhumb_frontier::Hold;
use rhumb_rules::{Reason, ScopeKind};
use rhumb_web::{Failure, Phase, Site, Span};

use super::display::{Frame, render};
use super::hints::{self, Backdrop};
use super::rates::Rates;

fn site(name: &str, visits: u64, queued: u64, takes: u64, standing: Standing) -> SiteLine {
    SiteLine { site: Site::from(name.to_owned()), visits, queued, takes: Span(takes), standing }
}

fn progress() -> Progress {
    let mut progress = Progress {
        queued: 120_331,
        sites: 4_120,
        in_flight: 212,
        elapsed: Duration::from_secs(727),
        ..Progress::default()
    };
    progress.tally.fetched = 27_626;
    progress.tally.bytes = 812_345_678;
    progress.tally.refused =
        [(Reason::OutOfScope, 12_333), (Reason::Robots, 433), (Reason::NoFollow, 12)].into();
    let timed_out = Miss::Failure(Failure::TimedOut(Phase::Connect));
    progress.tally.missed = [(Miss::Status(404), 122), (timed_out, 4)].into();
    progress.waiting = [(Hold::Site, 3_900), (Hold::Address, 12), (Hold::Backoff, 3)].into();
    progress.busiest = vec![
        site("www.example.org", 1_233, 4_333, 180, Standing::Waits(Hold::Site, Span(800))),
        site("docs.example.org:8080", 933, 12, 95, Standing::UnderWay(Span(1_200))),
        site("done.example.com", 12, 0, 40, Standing::Idle),
    ];
    progress.slowest = vec![
        site(
            "a-very-long-host-name.of-a-department.university.example.edu",
            7,
            1_000_000,
            21_500,
            Standing::Waits(Hold::Backoff, Span::minutes(4)),
        ),
        site("shared.example.net", 41, 8, 9_000, Standing::Waits(Hold::Address, Span(200))),
        site("shut.example.net", 1, 8, 3_000, Standing::Waits(Hold::Robots, Span::minutes(9))),
    ];
    progress
}

/// What a display without colours looks like.
fn drawn(progress: &Progress, columns: usize, rows: usize) -> Vec<String> {
    let mut rates = Rates::default();
    for second in 0..60_u64 {
        rates.note(Duration::from_secs(667 + second), 25_000 + second * (second % 7) * 6);
    }
    let frame = Frame {
        title: "https://www.example.org/",
        progress,
        rates: &rates,
        memory: Some(143_200_000),
        stopping: false,
    };
    render(&frame, columns, rows).iter().map(|line| line.paint(columns, false)).collect()
}

#[track_caller]
fn check(columns: usize, rows: usize, expect: &str) {
    let lines = drawn(&progress(), columns, rows);
    let expect: Vec<&str> = expect.trim_matches('\n').lines().collect();
    assert_eq!(lines, expect, "\n{}", lines.join("\n"));
}

#[test]
fn at_eighty_columns_the_tables_stand_one_below_the_other() {
    check(
        80,
        24,
        "
rhumb     https://www.example.org/                                   12 min 07 s
rate      129/s now, 38/s mean  ▃▃▁▃▃▃▃▄▄▁▄▄▄▄▄▅▁▄▅▅▅▅▅▁▅▅▆▆▆▆▁▆▆▆▇▇▇▁▇▇▇▇██▁███
fetched   27,626        queued    120,331       in flight 212
sites     4,120         received  812.3 MB      memory    143.2 MB
refused   out-of-scope 12,333  robots 433  nofollow 12
failed    http-404 122  timeout-connect 4
held by   its gap 3,900  its address 12  back-off 3

busiest sites                   requests    queued   takes  waits for
www.example.org                    1,233     4,333  180 ms  its gap, 800 ms
docs.example.org:8080                933        12   95 ms  its answer, 1.2 s
done.example.com                      12         0   40 ms  nothing: all done

slowest sites                   requests    queued   takes  waits for
a-very-long-host-name.of-a-de…         7 1,000,000  21.5 s  back-off, 4 min
shared.example.net                    41         8     9 s  its address, 200 ms
shut.example.net                       1         8     3 s  robots.txt, 9 min
",
    );
}

#[test]
fn at_a_hundred_and_sixty_columns_the_tables_stand_side_by_side() {
    check(160, 24, "
rhumb     https://www.example.org/                                                                                                                   12 min 07 s
rate      129/s now, 38/s mean  ▁▁▂▂▂▂▁▂▂▂▃▃▃▁▃▃▃▃▄▄▁▄▄▄▄▄▅▁▄▅▅▅▅▅▁▅▅▆▆▆▆▁▆▆▆▇▇▇▁▇▇▇▇██▁███
fetched   27,626        queued    120,331       in flight 212           sites     4,120         received  812.3 MB      memory    143.2 MB
refused   out-of-scope 12,333  robots 433  nofollow 12
failed    http-404 122  timeout-connect 4
held by   its gap 3,900  its address 12  back-off 3

busiest sites                 requests    queued   takes  waits for               slowest sites                 requests    queued   takes  waits for
www.example.org                  1,233     4,333  180 ms  its gap, 800 ms         a-very-long-host-name.of-a-…         7 1,000,000  21.5 s  back-off, 4 min
docs.example.org:8080              933        12   95 ms  its answer, 1.2 s       shared.example.net                  41         8     9 s  its address, 200 ms
done.example.com                    12         0   40 ms  nothing: all done       shut.example.net                     1         8     3 s  robots.txt, 9 min
");
}

#[test]
fn no_line_is_wider_and_no_display_higher_than_the_terminal() {
    for columns in 1..200 {
        for rows in [0, 1, 3, 9, 23, 60] {
            let lines = drawn(&progress(), columns, rows);
            assert!(lines.len() <= rows);
            for line in lines {
                assert!(line.chars().count() <= columns, "{columns}: {line:?}");
            }
        }
    }
}

#[test]
fn an_outage_and_a_stop_are_told() {
    let mut down = progress();
    down.outage = true;
    assert!(drawn(&down, 80, 24).iter().any(|line| line.contains("our own connection")));
    let frame = Frame {
        title: "x",
        progress: &down,
        rates: &Rates::default(),
        memory: None,
        stopping: true,
    };
    let lines = render(&frame, 80, 24);
    assert!(lines.iter().any(|line| line.paint(80, true).contains("\x1b[33mstopping: ")));
}

#[test]
fn a_resumed_crawl_says_what_was_there_before_and_counts_its_own_rate() {
    let mut resumed = progress();
    resumed.before = 27_626;
    let lines = drawn(&resumed, 80, 24);
    assert!(lines[1].contains(" 0/s mean"), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("resumed   27,626 before")), "{lines:?}");
    let mut idle = summary();
    idle.progress.before = 100;
    let told = super::summary::text(&idle, &backdrop());
    assert!(told.starts_with("\nnothing left to do: 100 pages"), "{told}");
    assert!(told.contains("\n  resumed     100 pages before"), "{told}");
    idle.progress.tally.fetched = 101;
    assert!(super::summary::text(&idle, &backdrop()).starts_with("\ndone in "));
}

fn summary() -> Summary {
    let mut progress = Progress::default();
    progress.tally.fetched = 100;
    let hosts = Hosts::default();
    Summary { ended: Ended::Done, progress, duplicates: 3, hosts, facts: 0 }
}

fn backdrop() -> Backdrop {
    let again = Some("rhumb crawl -o here".to_owned());
    Backdrop { scope: ScopeKind::Host, seeds: 1, lifted: Vec::new(), again }
}

/// The hints of a summary that differs from a quiet one by `change`.
#[track_caller]
fn check_hint(change: impl FnOnce(&mut Summary, &mut Backdrop), expect: &[&str]) {
    let (mut summary, mut backdrop) = (summary(), backdrop());
    change(&mut summary, &mut backdrop);
    assert_eq!(hints::of(&summary, &backdrop), expect);
}

#[test]
fn a_quiet_crawl_has_no_hints() {
    check_hint(|_, _| {}, &[]);
}

#[test]
fn hosts_that_ask_for_long_delays_are_counted_with_the_time_they_need() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        summary.hosts.slow = 37;
        summary.hosts.slow_needs = Span::minutes(125);
    };
    check_hint(
        change,
        &["37 hosts asked for a delay above 10 s: this crawl needs at least 2 h 05 min"],
    );
}

#[test]
fn hosts_that_push_back_are_counted() {
    let hint = "1 host answered 429 or 503 and got the quiet it asked for: try a longer --delay";
    check_hint(|summary, _| summary.hosts.pushed = 1, &[hint]);
}

#[test]
fn sites_without_reachable_robots_are_counted_with_their_urls() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        summary.hosts.unreachable = 21;
        summary.hosts.unreachable_urls = 40;
        summary.progress.queued = 40;
    };
    let hint = "robots.txt of 21 sites cannot be reached, which closes them: 40 URLs were not \
                fetched; try again later: rhumb crawl -o here";
    check_hint(change, &[hint]);
    let nowhere = |summary: &mut Summary, backdrop: &mut Backdrop| {
        change(summary, backdrop);
        backdrop.again = None;
    };
    check_hint(nowhere, &[hint.split_once(';').expect("two parts").0]);
}

#[test]
fn a_crawl_that_stays_on_its_seeds_is_shown_the_wider_scope() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        summary.progress.tally.fetched = 1;
        summary.progress.tally.refused.insert(Reason::OutOfScope, 9);
    };
    check_hint(change, &["all links lead out of the scope host: try --scope domain"]);
    let wanted = |summary: &mut Summary, backdrop: &mut Backdrop| {
        change(summary, backdrop);
        backdrop.scope = ScopeKind::Page;
    };
    check_hint(wanted, &[]);
    let partly = |summary: &mut Summary, _: &mut Backdrop| {
        summary.progress.tally.refused.insert(Reason::OutOfScope, 9);
    };
    check_hint(partly, &[]);
}

#[test]
fn a_server_that_answers_everything_alike_is_named() {
    let hint = "all 100 pages have the same content: the server may answer every URL alike";
    check_hint(|summary, _| summary.duplicates = 99, &[hint]);
    check_hint(|summary, _| summary.duplicates = 98, &[]);
}

#[test]
fn names_that_fail_lead_to_another_name_server() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        let missed = &mut summary.progress.tally.missed;
        missed.insert(Miss::Failure(Failure::Dns), 5);
        missed.insert(Miss::Status(404), 5);
    };
    let hint = "5 URLs failed because names could not be looked up: try --dns 9.9.9.9";
    check_hint(change, &[hint]);
    let few = |summary: &mut Summary, backdrop: &mut Backdrop| {
        change(summary, backdrop);
        summary.progress.tally.missed.insert(Miss::Status(404), 6);
    };
    check_hint(few, &[]);
}

#[test]
fn certificates_that_fail_are_explained() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        summary.progress.tally.missed.insert(Miss::Failure(Failure::Tls), 2);
    };
    let hint = "2 URLs failed in TLS: a certificate is expired, or its authority is unknown on \
                this machine";
    check_hint(change, &[hint]);
}

#[test]
fn what_a_limit_leaves_is_counted() {
    let change = |summary: &mut Summary, _: &mut Backdrop| {
        summary.ended = Ended::Limit;
        summary.progress.queued = 1_234;
    };
    let hint = "the limit was reached with 1,234 URLs in the queue; with a higher one, or none, set: rhumb \
                crawl -o here";
    check_hint(change, &[hint]);
}

#[test]
fn whoever_stops_a_crawl_or_leaves_something_is_told_how_to_go_on() {
    let stopped = "nothing is lost; to go on: rhumb crawl -o here";
    check_hint(|summary, _| summary.ended = Ended::Stopped, &[stopped]);
    let left = "what is left waits for long; later: rhumb crawl -o here";
    check_hint(|summary, _| summary.progress.queued = 2, &[left]);
    let nowhere = |summary: &mut Summary, backdrop: &mut Backdrop| {
        summary.ended = Ended::Stopped;
        backdrop.again = None;
    };
    check_hint(nowhere, &[]);
}

#[test]
fn an_outage_at_the_end_is_told() {
    let hint = "our own connection seems to be down: check it, then rhumb crawl -o here";
    check_hint(|summary, _| summary.progress.outage = true, &[hint]);
}

#[test]
fn a_clock_that_jumped_is_told() {
    let jump = |is_forward: bool| {
        move |summary: &mut Summary, _: &mut Backdrop| {
            summary.progress.clock_jump = Some((Duration::from_hours(2), is_forward));
        }
    };
    let hint =
        "the clock of this machine jumped forward by 2 h 00 min: the crawl keeps its own time";
    check_hint(jump(true), &[hint]);
    check_hint(jump(false), &[&hint.replace("forward", "back")]);
    let mut jumped = progress();
    jumped.clock_jump = Some((Duration::from_hours(2), true));
    assert!(drawn(&jumped, 100, 24).iter().any(|line| line == hint));
}

#[test]
fn what_was_lifted_is_named() {
    let change = |_: &mut Summary, backdrop: &mut Backdrop| {
        backdrop.lifted = vec!["the gap between requests to one site", "the guard"];
    };
    let hint = "lifted by your settings: the gap between requests to one site, the guard";
    check_hint(change, &[hint]);
}

#[test]
fn a_summary_is_folded_between_words_below_its_first_ones() {
    let text =
        "\ndone in 1 s: 5 pages\n  failed      http-404 58, http-500 36\n  note: a b c d e f";
    let folded = super::summary::folded(text, 28);
    assert_eq!(
        folded,
        "\ndone in 1 s: 5 pages\n  failed      http-404 58,\n              http-500 36\n  \
         note: a b c d e f"
    );
    assert_eq!(super::summary::folded(text, usize::MAX), text);
}
