"""Manuals with an index of their own, as sites to search: make.py OUT

Writes OUT/<site>/pages, the manual without its index, and OUT/<site>/queries.tsv: a line for each
entry of the index that names a page, in the order of the index, with the query, and then the pages.
An entry below another has the words of both.
"""

import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "text"))

from debian import Suite  # noqa: E402


class Index(HTMLParser):
    """Entries of an index: each has a term, links, and entries below it."""

    def __init__(self):
        super().__init__()
        self.terms = []  # Of the entry that is read, and of those above.
        self.links = []
        self.found = []
        self.is_index = False

    def open_entry(self):
        self.close_entry()
        self.terms.append("")
        self.links = []

    def joined(self):
        return " ".join(self.terms)

    def close_entry(self):
        if self.links:
            words = " ".join(self.joined().split())
            self.found.append((words, list(dict.fromkeys(self.links))))
        self.links = []


class DocBook(Index):
    """`<dl><dt>term, <a class="indexterm">…</a></dt><dd><dl>…below…</dl></dd></dl>`."""

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.is_term = False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "div" and attributes.get("class") == "indexdiv":
            self.is_index = True
        elif self.is_index and tag == "dl":
            self.depth += 1
        elif self.is_index and tag == "dt":
            del self.terms[self.depth - 1 :]
            self.open_entry()
            self.is_term = True
        elif self.is_index and tag == "a" and attributes.get("class") == "indexterm":
            self.links.append(attributes["href"].split("#")[0])
            self.is_term = False

    def handle_endtag(self, tag):
        if tag == "dt" and self.terms:
            self.terms[-1] = self.terms[-1].strip().removesuffix(",")
            self.close_entry()
            self.is_term = False
        elif tag == "dl":
            self.depth -= 1

    def handle_data(self, data):
        if self.is_term:
            self.terms[-1] += data


class Sphinx(Index):
    """`<ul><li><a>term</a>, <a>[1]</a><ul>…below…</ul></li></ul>`; a term may have no link."""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table" and attributes.get("class", "").startswith("indextable"):
            self.is_index = True
        elif self.is_index and tag == "li":
            self.open_entry()
        elif self.is_index and tag == "a" and self.terms:
            self.links.append(attributes["href"].split("#")[0])

    def handle_endtag(self, tag):
        if tag == "table":
            self.is_index = False
        elif self.is_index and tag == "li" and self.terms:
            self.close_entry()
            self.terms.pop()

    def joined(self):
        *above, last = self.terms
        # `close() (A method)` with `(B method)` below it is `close()` twice.
        if above and last.lstrip().startswith("("):
            above[-1] = re.sub(r"\([^()]*[^()\s][^()]*\)\s*$", "", above[-1].rstrip())
        return " ".join([*above, last])

    def handle_data(self, data):
        if self.terms:
            self.terms[-1] += re.sub(r"^,?\s*$|^\[\d+\]$", " ", data)


# A site, its suite, package and folder, its index, how that is written, the pages to be left out.
SITES = [
    (
        "postgres", "bookworm", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html",
        "bookindex.html", DocBook, r"bookindex\.html",
    ),
    (
        "python", "bookworm", "python3.11-doc", "usr/share/doc/python3.11/html",
        "genindex-all.html", Sphinx, r"genindex.*|py-modindex\.html|search\.html",
    ),
]  # fmt: skip


def copy(source, to, left_out):
    """The pages of a manual, but some."""
    shutil.rmtree(to, ignore_errors=True)
    pages = set()
    for file in sorted(source.rglob("*.html")):
        name = file.relative_to(source).as_posix()
        if not re.fullmatch(left_out, name):
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, to / name)
            pages.add(name)
    return pages


def main(out):
    for site, suite, package, folder, index, kind, left_out in SITES:
        source = Suite(suite, out / "cache").binary(package) / folder
        pages = copy(source, out / site / "pages", left_out)
        reader = kind()
        reader.feed((source / index).read_text())
        lines = []
        for words, links in reader.found:
            right = [link for link in links if link in pages]
            if words and right:
                lines.append("\t".join([words, *right]) + "\n")
        (out / site / "queries.tsv").write_text("".join(lines))
        print(f"{site}: {len(pages)} pages, {len(lines)} queries")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
