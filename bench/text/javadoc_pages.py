"""Javadoc: classes of Java libraries.

Gold is written by a doclet of our own (Gold.java) from comments and signatures of the source.
Lists of inherited members and known subclasses belong to other pages: not in the gold.
"""

import shutil
import subprocess
from pathlib import Path

# A source package of Debian, the folder of its sources, a package of Java in it.
BOOKS = [
    ("commons-io", "src/main/java", "org.apache.commons.io"),
    ("commons-math3", "src/main/java", "org.apache.commons.math3.stat.descriptive"),
    ("guava-libraries", "guava/src", "com.google.common.base"),
    ("h2database", "src/main", "org.h2.tools"),
    ("httpcomponents-core", "httpcore/src/main/java", "org.apache.http.entity"),
    ("jsoup", "src/main/java", "org.jsoup.nodes"),
    ("junit4", "src/main/java", "org.junit.rules"),
    ("libcommons-lang3-java", "src/main/java", "org.apache.commons.lang3"),
    ("libcommons-collections4-java", "src/main/java", "org.apache.commons.collections4"),
    ("libjdom2-java", "core/src/java", "org.jdom2"),
    ("libjoda-time-java", "src/main/java", "org.joda.time"),
    ("picocli", "src/main/java", "picocli"),
]


def make(shelf, bookworm):
    doclet = shelf.work / "doclet"
    doclet.mkdir(parents=True, exist_ok=True)
    source = Path(__file__).with_name("Gold.java")
    subprocess.run(["javac", "-d", str(doclet), str(source)], check=True)
    for package, folder, java in BOOKS:
        sources = bookworm.source(package) / folder
        if not sources.is_dir():
            print(f"left out: {package} has no {folder}")
            continue
        out = shelf.work / package
        shutil.rmtree(out, ignore_errors=True)
        (out / "gold").mkdir(parents=True)
        words = [
            "javadoc", "-quiet", "--ignore-source-errors", "-protected", "-encoding",
            "UTF-8", "-sourcepath", str(sources), java,
        ]  # fmt: skip
        pages = ["-Xdoclint:none", "-notimestamp", "-windowtitle", package, "-d", str(out / "html")]
        run([*words, *pages])
        run([*words, "-doclet", "Gold", "-docletpath", str(doclet), "--gold", str(out / "gold")])
        for gold in sorted((out / "gold").iterdir()):
            page = page_of(out / "html", gold.stem)
            if page is not None:
                shelf.add(package, gold.stem, page.read_bytes(), gold.read_text())


def run(words):
    # Classes of other libraries are missing: it complains, and makes the pages.
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def page_of(html, name):
    """Packages are folders, and nested classes are not."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        file = html.joinpath(*parts[:cut], ".".join(parts[cut:]) + ".html")
        if file.is_file():
            return file
    return None
