//! Two ends of a socket in one process.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::*;

/// Answers with what it was asked, on a runtime of its own.
struct Echo {
    _runtime: tokio::runtime::Runtime,
    listener: Option<Listener>,
}

fn echo(folder: &Path) -> Echo {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("threads");
    let answer = |question: Question| async move {
        match question {
            Question::Status => Reply::Status(Box::default()),
            Question::Why { url } => Reply::Why(Box::new(Why { url, ..Why::default() })),
            other => Reply::Done { message: format!("{other:?}") },
        }
    };
    let context = runtime.enter();
    let listener = listen(folder, answer).expect("it listens");
    drop(context);
    Echo { _runtime: runtime, listener: Some(listener) }
}

fn connect(folder: &Path) -> UnixStream {
    let (_held, path) = short_path(folder).expect("the folder is there");
    UnixStream::connect(path).expect("somebody listens")
}

fn line(stream: &mut impl BufRead) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a line");
    line
}

#[test]
fn questions_and_replies_come_through_as_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let _echo = echo(folder.path());
    let ask = |question: &Question| ask(folder.path(), question).expect("asked").expect("told");
    assert_eq!(ask(&Question::Status), Reply::Status(Box::default()));
    let url = "http://a.example/\u{2028}\n\"x\"".to_owned();
    let Reply::Why(why) = ask(&Question::Why { url: url.clone() }) else { panic!("a story") };
    assert_eq!(why.url, url);
    let change = SiteChange { block: Some(true), ..SiteChange::default() };
    let site = Question::Site { site: "a.example".to_owned(), change };
    for question in [Question::Pause, Question::Resume, Question::Stop, site] {
        assert_eq!(ask(&question), Reply::Done { message: format!("{question:?}") });
    }
}

#[test]
fn the_socket_is_for_its_owner_and_goes_with_its_listener() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut echo = echo(folder.path());
    let path = folder.path().join(SOCKET_NAME);
    let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(echo.listener.take());
    assert!(!path.exists());
    assert_eq!(ask(folder.path(), &Question::Status).expect("no error"), None);
}

#[test]
fn a_socket_that_was_left_over_is_nobody_and_in_nobodys_way() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(UnixListener::bind(folder.path().join(SOCKET_NAME)).expect("bound"));
    assert_eq!(ask(folder.path(), &Question::Status).expect("no error"), None);
    let _echo = echo(folder.path());
    assert!(ask(folder.path(), &Question::Status).expect("asked").is_some());
    assert_eq!(ask(&folder.path().join("none"), &Question::Status).expect("no error"), None);
}

#[test]
fn a_folder_may_have_a_long_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep: PathBuf =
        [folder.path(), &Path::new(&"d".repeat(100)).join("e".repeat(100))].iter().collect();
    std::fs::create_dir_all(&deep).expect("made");
    let mut echo = echo(&deep);
    assert!(ask(&deep, &Question::Status).expect("asked").is_some());
    drop(echo.listener.take());
    assert!(!deep.join(SOCKET_NAME).exists());
}

#[test]
fn several_questions_on_one_connection_are_answered_in_their_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let _echo = echo(folder.path());
    let mut stream = connect(folder.path());
    stream.write_all(b"{\"ask\":\"pause\"}\n{\"ask\":\"status\"}\n").expect("written");
    let mut answers = BufReader::new(stream);
    assert_eq!(line(&mut answers), "{\"reply\":\"done\",\"message\":\"Pause\"}\n");
    assert!(line(&mut answers).starts_with("{\"reply\":\"status\",\"state\":"));
}

#[test]
fn garbage_is_refused_and_the_next_line_is_heard() {
    let folder = tempfile::tempdir().expect("a folder");
    let _echo = echo(folder.path());
    for garbage in [&b"\n"[..], b"\xff\xfe\0\n", b"GET / HTTP/1.1\r\n", b"{\"ask\":\"dance\"}\n"] {
        let mut stream = connect(folder.path());
        stream.write_all(&[garbage, b"{\"ask\":\"stop\"}\n"].concat()).expect("written");
        let mut answers = BufReader::new(stream);
        assert!(line(&mut answers).starts_with("{\"reply\":\"refused\""), "{garbage:?}");
        assert!(line(&mut answers).contains("Stop"), "{garbage:?}");
    }
    let site = br#"{"ask":"site","site":"a.example","change":{"dealy":"1s"}}"#;
    let mut stream = connect(folder.path());
    stream.write_all(&[&site[..], b"\n"].concat()).expect("written");
    assert!(line(&mut BufReader::new(stream)).contains("dealy"), "a slip is no change of nothing");
}

#[test]
fn a_line_without_end_is_refused_at_its_maximum_and_costs_its_connection() {
    let folder = tempfile::tempdir().expect("a folder");
    let _echo = echo(folder.path());
    let mut stream = connect(folder.path());
    stream.write_all(&vec![b'x'; QUESTION_BYTES_MAX]).expect("written");
    let mut told = String::new();
    stream.read_to_string(&mut told).expect("read to its end");
    assert!(told.contains("the line is too long"), "{told}");
    let urls = vec!["http://a.example/".repeat(QUESTION_BYTES_MAX)];
    let long = ask(folder.path(), &Question::Submit { urls });
    assert_eq!(long.expect_err("too long").kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn silent_clients_and_those_that_hang_up_are_in_nobodys_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let _echo = echo(folder.path());
    let silent: Vec<UnixStream> = (0..40).map(|_| connect(folder.path())).collect();
    for _ in 0..200 {
        connect(folder.path()).write_all(b"{\"ask\":\"sta").expect("written");
    }
    assert!(ask(folder.path(), &Question::Status).expect("asked").is_some());
    assert_eq!(silent.len(), 40);
}
