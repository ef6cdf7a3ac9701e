//! Pages whose main text is known: made by generators from the registries, once.

use crate::needs::{self, Source};
use crate::{Ended, workspace};

/// Where pages are made; `bench/src/text` looks there.
const FOLDER: &str = "target/text";
/// A program or a path of each generator, and the Debian package that has it.
const GENERATORS: [(&str, &str); 8] = [
    ("python3", "python3-venv"),
    ("xsltproc", "xsltproc"),
    ("xmllint", "libxml2-utils"),
    ("/usr/share/xml/docbook/stylesheet/docbook-xsl/html/chunk.xsl", "docbook-xsl"),
    ("/usr/share/xml/docbook/schema/dtd/4.5/docbookx.dtd", "docbook-xml"),
    ("doxygen", "doxygen"),
    ("javadoc", "default-jdk-headless"),
    ("npm", "npm"),
];

/// Makes them, unless these scripts did already; installs what it takes, and says so.
pub(crate) fn make() -> Ended {
    for (name, package) in GENERATORS {
        needs::ensure(name, Source::Debian(package))
            .map_err(|why| format!("cannot install {package}: {why}"))?;
    }
    let made = workspace::command("python3").args(["bench/text/make.py", FOLDER]).status();
    let made = made.map_err(|e| format!("cannot start python3: {e}"))?;
    if made.success() { Ok(()) } else { Err(format!("bench/text/make.py ended with {made}")) }
}
