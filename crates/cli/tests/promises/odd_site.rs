//! A small site with every odd way to link that the comparison with wget2 is about.

use std::path::Path;

/// Where a visit of the site starts.
pub(crate) const SEED: &str = "/index.html";

/// The files of the site: path and content.
const FILES: &[(&str, &str)] = &[
    (
        "index.html",
        r##"<!doctype html><title>Home</title>
        <a href="plain.html">plain</a> <A HREF='single.html'>single</A> <a href=bare.html>bare</a>
        <a href="two words.html">space</a> <a href="three%20more%20words.html">escaped</a>
        <a href="
            broken-line.html	">line</a> <a href="part.html#here">part</a> <a href="#top">top</a>
        <a href="query.html?x=1&amp;y=2">query</a> <a href="&#113;uoted.html">entity</a>
        <a href="folder">no slash</a> <a href="./dot.html">dot</a>
        <a href="folder/../up.html">up</a> <a href="../above.html">above the root</a>
        <a href="folder\back.html">back slash</a> <a href="%7Etilde.html">tilde</a>
        <a href="ümlaut.html">umlaut</a> <a href="100%.html">stray per cent</a>
        <a href="LOUD.HTML">loud</a> <a href="loud.html">broken: case counts</a>
        <a href="gone.html">broken</a> <a href="folder/gone/">broken</a>
        <a href="frames.html">frames</a> <a href="refresh.html">refresh</a>
        <a href="based.html">based</a> <a href="strict.xhtml">strict</a> <a href="note.txt">note</a>
        <a href="lying.txt">lying</a>
        <a href="quiet.html">quiet</a> <a href="unasked.html" rel="nofollow">unasked</a>
        <a href="mailto:a@example.org">mail</a> <a href="javascript:go('x.html')">script</a>
        <a href="">empty</a> <a href="http://[bad/">bad</a> <a href="data:text/html,x">data</a>
        <map name=m><area href="area.html"></map>
        <link rel="next" href="next.html">
        <!-- <a href="comment.html">not a link</a> -->
        <script>document.write('<a href="written.html">not a link</a>')</script>
        <noscript><a href="without-script.html">for us</a></noscript>
        <a href="unclosed.html">the end is missing"##,
    ),
    (
        "frames.html",
        r#"<FRAMESET COLS="1,*"><FRAME SRC="menu.html"><frame src="folder/"></FRAMESET>
        <noframes><a href="without-frames.html">no frames</a></noframes>"#,
    ),
    ("menu.html", r#"<iframe src="inner.html"></iframe><a href="index.html" target=_top>home</a>"#),
    ("refresh.html", r#"<META HTTP-EQUIV="Refresh" CONTENT="0; URL=refreshed.html">"#),
    ("based.html", r#"<base href="/folder/deep/"><a href="leaf.html">in the folder</a>"#),
    (
        "strict.xhtml",
        r#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><a
        href="from-strict.html"/></body></html>"#,
    ),
    ("note.txt", r#"In HTML, write <a href="from-text.html">text</a>."#),
    ("lying.txt", r#"<!DOCTYPE html><a href="from-lying.html">HTML under a false name</a>"#),
    (
        "quiet.html",
        r#"<meta name="robots" content="nofollow"><a href="from-quiet.html">not followed</a>"#,
    ),
    ("folder/index.html", r#"<a href="../plain.html">up</a> <a href="page.html">page</a>"#),
    ("folder/page.html", r#"<a href=".">folder</a> <a href="deep/leaf.html">leaf</a>"#),
    ("folder/back.html", ""),
    ("folder/deep/leaf.html", r#"<a href="../../../../../folder/deep/./end.html">end</a>"#),
    ("folder/deep/end.html", ""),
    ("plain.html", r#"<a href="plain.html">itself</a> <a href="/index.html">home</a>"#),
    ("single.html", ""),
    ("bare.html", ""),
    ("two words.html", ""),
    ("three more words.html", ""),
    ("broken-line.html", ""),
    ("part.html", ""),
    ("query.html", ""),
    ("quoted.html", ""),
    ("dot.html", ""),
    ("up.html", ""),
    ("above.html", ""),
    ("~tilde.html", ""),
    ("ümlaut.html", ""),
    ("100%.html", ""),
    ("LOUD.HTML", ""),
    ("area.html", ""),
    ("next.html", ""),
    ("inner.html", ""),
    ("refreshed.html", ""),
    ("from-strict.html", ""),
    ("without-script.html", ""),
    ("without-frames.html", ""),
    ("unclosed.html", ""),
    ("unasked.html", ""),
    ("from-quiet.html", ""),
    ("from-text.html", ""),
    ("from-lying.html", ""),
    ("comment.html", ""),
    ("written.html", ""),
    ("orphan.html", ""),
];

/// The pages that a polite reader of the site finds, as requests name them.
pub(crate) const FOUND: &[&str] = &[
    "/%C3%BCmlaut.html",
    "/LOUD.HTML",
    "/above.html",
    "/area.html",
    "/bare.html",
    "/based.html",
    "/broken-line.html",
    "/dot.html",
    "/folder/",
    "/folder/back.html",
    "/folder/deep/end.html",
    "/folder/deep/leaf.html",
    "/folder/page.html",
    "/frames.html",
    "/from-lying.html",
    "/from-strict.html",
    "/index.html",
    "/inner.html",
    "/menu.html",
    "/next.html",
    "/part.html",
    "/plain.html",
    "/query.html?x=1&y=2",
    "/quiet.html",
    "/quoted.html",
    "/refresh.html",
    "/refreshed.html",
    "/single.html",
    "/strict.xhtml",
    "/three%20more%20words.html",
    "/two%20words.html",
    "/unclosed.html",
    "/up.html",
    "/without-frames.html",
    "/without-script.html",
    "/~tilde.html",
];

/// Writes the site into a folder of its own, which goes when the value does.
pub(crate) fn write() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (path, content) in FILES {
        let file = root.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).expect("a folder");
        std::fs::write(file, content).expect("written");
    }
    root
}
