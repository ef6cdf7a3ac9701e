"""DocBook: manuals in XML, made into chunks by the DocBook XSL stylesheets.

Gold is the text of the element that became the page, without elements that became others.
"""

import subprocess
from urllib.error import HTTPError

from lxml import etree

STYLES = "/usr/share/xml/docbook/stylesheet/docbook-xsl"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"

# A source package, its main file, the stylesheet.
BOOKS = [
    ("apt", "doc/guide.dbk", "html"),
    ("aptitude", "doc/en/aptitude.xml", "xhtml"),
    ("dbus", "doc/dbus-specification.xml", "html"),
    ("postgresql-15", "doc/src/sgml/postgres.sgml", "html"),
    ("valgrind", "docs/xml/manual.xml", "xhtml5"),
]
# Parts of books that would take the stylesheets many minutes as a whole.
ONLY = {"postgresql-15": {"tutorial", "sql"}}
# Files that the build of a package would make, by what of them its book cannot do without.
MADE = {
    "postgresql-15": {
        "version.sgml": '<!ENTITY version "15"><!ENTITY majorversion "15">',
        "features-supported.sgml": "",
        "features-unsupported.sgml": "",
        "errcodes-table.sgml": "",
        "keywords-table.sgml": "",
    },
}
PAGES = {
    "appendix", "article", "bibliography", "book", "chapter", "colophon", "dedication",
    "glossary", "index", "part", "preface", "refentry", "reference", "sect1", "section", "set",
}  # fmt: skip
# What the source has for others than readers of the text, and what becomes an attribute.
UNSEEN = {
    "indexterm", "remark", "textobject", "bookinfo", "chapterinfo", "sectioninfo", "sect1info",
    "articleinfo", "prefaceinfo", "appendixinfo", "partinfo", "refentryinfo", "info", "toc",
    "titleabbrev", "refmeta", "alt", "refclass", "subtitle",
}  # fmt: skip
# The element's name is printed in front of it.
LABELS = {"note", "warning", "tip", "caution", "important"}
INLINE = {
    "acronym", "application", "citetitle", "classname", "code", "command", "constant",
    "database", "email", "emphasis", "envar", "errorname", "filename", "firstterm", "foreignphrase",
    "function", "guibutton", "guilabel", "interface", "keycap", "link",
    "literal", "option", "optional", "parameter", "phrase", "productname", "prompt", "property",
    "quote", "replaceable", "structfield", "structname", "subscript", "superscript", "symbol",
    "systemitem", "tag", "token", "trademark", "type", "ulink", "userinput", "varname", "wordasword",
}  # fmt: skip


def make(shelf, bookworm):
    for package, main, style in BOOKS:
        try:
            top = bookworm.source(package)
        except (KeyError, HTTPError) as error:
            print(f"left out: {package}: {error}")
            continue
        found = [file for file in top.rglob(main.rsplit("/", 1)[1]) if str(file).endswith(main)]
        if not found:
            print(f"left out: {package} has no {main}")
            continue
        for name, text in MADE.get(package, {}).items():
            found[0].with_name(name).write_text(text)
        try:
            book(shelf, package, found[0], style)
        except (etree.XMLSyntaxError, subprocess.CalledProcessError) as error:
            print(f"left out: {package}: {error}")


def book(shelf, package, main, style):
    # Entities and inclusions are resolved by the system's libxml2, which knows Debian's DTDs.
    resolved = subprocess.run(
        ["xmllint", "--nonet", "--loaddtd", "--noent", "--xinclude", "--dropdtd", "--huge", str(main)],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    root = etree.fromstring(resolved.stdout, etree.XMLParser(huge_tree=True, no_network=True))
    for part in [child for child in root if tag(child) and package in ONLY]:
        if name_of(part) not in ONLY[package] and tag(part) != "title":
            root.remove(part)
    name_all(root)
    out = shelf.work / package
    out.mkdir(parents=True, exist_ok=True)
    whole = out / "whole.xml"
    whole.write_bytes(etree.tostring(root, encoding="utf-8"))
    pages = out / "pages"
    pages.mkdir(exist_ok=True)
    settings = {"use.id.as.filename": "1", "base.dir": f"{pages}/", "chunk.quietly": "1"}
    words = [word for item in settings.items() for word in ("--stringparam", *item)]
    subprocess.run(
        ["xsltproc", "--nonet", *words, f"{STYLES}/{style}/chunk.xsl", str(whole)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    by_name = {name_of(element): element for element in root.iter(*named(root))}
    there = {file.stem for file in pages.iterdir()}
    for file in sorted(pages.iterdir()):
        element = by_name.get(file.stem)
        if element is not None and element is not root and tag(element) != "index":
            shelf.add(package, file.stem, file.read_bytes(), text_of(element, there - {file.stem}))


def tag(element):
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def named(root):
    space = etree.QName(root).namespace
    return [f"{{{space}}}{name}" if space else name for name in PAGES]


def name_of(element):
    return element.get("id") or element.get(XML_ID)


def name_all(root):
    """Gives everything that can become a page an identifier, by which its file is named."""
    for number, element in enumerate(root.iter(*named(root))):
        if name_of(element) is None:
            key = XML_ID if etree.QName(root).namespace else "id"
            element.set(key, f"part-{number}")


def text_of(element, others):
    """The text of an element without comments, what is unseen, and other pages."""
    parts = []

    def visit(node):
        name = tag(node)
        if name in LABELS:
            parts.append(f"\n{name.capitalize()}\n")
        if node.text:
            parts.append(node.text)
        for child in node:
            kind = tag(child)
            gap = "" if kind in INLINE or not kind else "\n"
            if kind and kind not in UNSEEN and name_of(child) not in others:
                parts.append(gap)
                visit(child)
                parts.append(gap)
            if child.tail:
                parts.append(child.tail)

    visit(element)
    return "".join(parts)
