//! Throw-away.
use std::io::Write;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args[0] == "child" { std::process::exit(if rhumb_formats::child() == std::process::ExitCode::SUCCESS {0} else {1}); }
    for a in &args {
        let body = std::fs::read(a).unwrap();
        let url = rhumb_web::CanonUrl::parse(&format!("http://example.org/{}", a.rsplit('/').next().unwrap())).unwrap();
        let t = std::time::Instant::now();
        let kind = rhumb_formats::Kind::of(&body, None, &url);
        let Some(kind) = kind else { println!("{a}: no kind"); continue };
        let e = rhumb_formats::read_here(kind, &body);
        let ms = t.elapsed().as_secs_f64()*1e3;
        if args.len() == 1 { std::io::stdout().write_all(e.text.as_bytes()).unwrap(); println!(); }
        eprintln!("{a}: {kind:?} {:?} {ms:.1} ms {} bytes title={:?} author={:?} lang={:?} {:?} {:?} pages={:?} links={:?}", e.end, e.text.len(), e.title, e.author, e.language, e.created, e.modified, e.pages, &e.links[..e.links.len().min(5)]);
    }
}
