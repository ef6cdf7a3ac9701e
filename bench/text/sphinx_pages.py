"""Sphinx: manuals in reStructuredText, made with four themes.

Gold is the text of the document tree that docutils reads from the source, references resolved,
without tables of contents. Documents that ask for anything from outside of themselves (autodoc,
extensions that we do not have) are left out: their source is not the whole text.
"""

import re
import shutil

from docutils import nodes
from registry import sdist
from sphinx import addnodes
from sphinx.application import Sphinx

# A package of PyPI, its version, its folder of documents, the theme.
BOOKS = [
    ("aiohttp", "3.14.5", "docs", "alabaster"),
    ("buildbot", "4.3.0", "docs", "sphinx_rtd_theme"),
    ("celery", "5.7.0", "docs", "furo"),
    ("django", "6.1.3", "docs", "pydata_sphinx_theme"),
    ("flask", "3.1.3", "docs", "furo"),
    ("gunicorn", "23.0.0", "docs/source", "alabaster"),
    ("pytest", "9.2.0", "doc/en", "furo"),
    ("scrapy", "2.19.0", "docs", "sphinx_rtd_theme"),
    ("sphinx", "9.2.0", "doc", "sphinx_rtd_theme"),
    ("sqlalchemy", "2.1.8", "doc/build", "pydata_sphinx_theme"),
    ("tox", "4.67.13", "docs", "pydata_sphinx_theme"),
    ("twisted", "26.10.0", "docs", "alabaster"),
]
OUTSIDE = re.compile(r"^ *\.\. (auto\w+|literalinclude|include|raw|graphviz|ifconfig)::", re.M)
DOCUMENTS_MAX = 60
LABELS = {
    nodes.note: "Note", nodes.warning: "Warning", nodes.tip: "Tip", nodes.hint: "Hint",
    nodes.important: "Important", nodes.caution: "Caution", nodes.danger: "Danger",
    nodes.attention: "Attention", nodes.error: "Error", addnodes.seealso: "See also",
}  # fmt: skip
# The comma between these is not in the tree.
PARAMETERS = (addnodes.desc_parameterlist, addnodes.desc_parameter, addnodes.desc_optional)
UNSEEN = (
    nodes.comment, nodes.meta, nodes.raw, nodes.substitution_definition, nodes.system_message,
    nodes.image, nodes.math, nodes.math_block, addnodes.toctree, addnodes.index,
)  # fmt: skip


def make(shelf, bookworm):
    for package, version, folder, theme in BOOKS:
        source = sdist(package, version, bookworm.cache) / folder
        if not source.is_dir():
            print(f"left out: {package} has no {folder}")
            continue
        names = choose(source)
        # Twice: what the first reading complains of is not in the second.
        sound = names - build(shelf, package, source, theme, names, "dummy")[1]
        app, broken = build(shelf, package, source, theme, sound, "html")
        for name in sorted(sound - broken):
            file = shelf.work / package / "html" / f"{name}.html"
            tree = app.env.get_and_resolve_doctree(name, app.builder)
            shelf.add(package, name.replace("/", "."), file.read_bytes(), text_of(tree))


def choose(source):
    """Documents that are whole by themselves."""
    found = set()
    for file in sorted(source.rglob("*")):
        if file.suffix in (".rst", ".txt") and file.is_file():
            text = file.read_text(errors="replace")
            name = str(file.relative_to(source).with_suffix(""))
            if not OUTSIDE.search(text) and 1_000 < len(text) < 60_000 and name != "index":
                found.add((file.suffix, name))
    suffix = max((".rst", ".txt"), key=lambda it: sum(s == it for s, _ in found))
    names = sorted(name for s, name in found if s == suffix)
    return set(names[:: max(1, len(names) // DOCUMENTS_MAX)])


def build(shelf, package, source, theme, names, builder):
    """Builds these documents, with an index of all, and gives those with faults too."""
    top = shelf.work / package
    copy = top / "source"
    shutil.rmtree(copy, ignore_errors=True)
    for name in names:
        file = next(source / (name + s) for s in (".rst", ".txt") if (source / (name + s)).exists())
        to = copy / f"{name}.rst"
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, to)
    listed = "".join(f"   {name}\n" for name in sorted(names))
    title = f"{package} documentation"
    (copy / "index.rst").write_text(
        f"{title}\n{'=' * len(title)}\n\n.. toctree::\n   :maxdepth: 2\n\n{listed}"
    )
    out = top / builder
    shutil.rmtree(out, ignore_errors=True)
    settings = {
        "project": package,
        "html_theme": theme,
        "html_last_updated_fmt": "%Y-%m-%d",
        "copyright": f"the authors of {package}",
        "keep_warnings": True,
        "extensions": ["sphinx.ext.intersphinx"],
        "master_doc": "index",
    }
    app = Sphinx(
        copy, None, out, top / f"{builder}-trees", builder, settings, status=None, warning=None,
        freshenv=True,
    )  # fmt: skip
    app.build(force_all=True)
    broken = {name for name in names if is_broken(app.env.get_doctree(name))}
    return app, broken


def is_broken(tree):
    return any(tree.findall(lambda it: isinstance(it, (nodes.system_message, nodes.problematic))))


def text_of(tree):
    parts = []

    def visit(node):
        if isinstance(node, nodes.Text):
            parts.append(node.astext())
            return
        classes = node.get("classes", []) if isinstance(node, nodes.Element) else []
        if isinstance(node, UNSEEN) or "toctree-wrapper" in classes or "contents" in classes:
            return
        is_inline = isinstance(node, (nodes.Inline, addnodes.desc_sig_element))
        gap = "" if is_inline and not isinstance(node, PARAMETERS) else "\n"
        parts.append(gap)
        if type(node) in LABELS:
            parts.append(f"{LABELS[type(node)]}\n")
        for child in node.children:
            visit(child)
        parts.append(gap)

    visit(tree)
    return "".join(parts)
