"""Pages of documentation as two suites of Debian have them, side by side, and real pages in plenty.

    pairs.py CACHE OUT pairs    OUT/<package>/{old,new}/<page>.html, by the same name
    pairs.py CACHE OUT real     OUT/<package>/<page>.html
"""

import gzip
import re
import sys
from hashlib import sha256
from pathlib import Path

from debian import Suite

# Of bookworm, of trixie.
PAIRS = [
    ("apache2-doc", "apache2-doc"),
    ("cmake-doc", "cmake-doc"),
    ("debian-policy", "debian-policy"),
    ("developers-reference", "developers-reference"),
    ("git-doc", "git-doc"),
    ("libboost1.81-doc", "libboost1.83-doc"),
    ("libgtk-3-doc", "libgtk-3-doc"),
    ("postgresql-doc-15", "postgresql-doc-17"),
    ("python-django-doc", "python-django-doc"),
    ("python3.11-doc", "python3.13-doc"),
    ("r-doc-html", "r-doc-html"),
    ("sqlite3-doc", "sqlite3-doc"),
]
REAL = [
    "apache2-doc", "aptitude-doc-en", "autoconf-doc", "bind9-doc", "cmake-doc",
    "db5.3-doc", "debian-handbook", "debian-policy", "docbook-xsl-doc-html", "erlang-doc",
    "exim4-doc-html", "ghc-doc", "git-doc", "installation-guide-amd64", "libglib2.0-doc",
    "libgtk-3-doc", "libstdc++-12-doc", "linux-doc-6.1", "llvm-14-doc",
    "octave-doc", "openjdk-17-doc", "postfix-doc",
    "postgresql-doc-15", "python-django-doc",
    "python3.11-doc", "qtbase5-doc-html", "r-doc-html", "rust-doc",
    "sbcl-doc", "sqlite3-doc", "subversion", "valgrind",
    "zsh-doc",
]  # fmt: skip
# Of one package: no kind of page shall be nearly all of them.
PAGES_MAX = 500
NAME = re.compile(r"\.x?html?(\.gz)?$")
VERSION = re.compile(r"\d+(\.\d+)+|(?<=-)\d+(?=/)")


def pages(folder):
    """HTML pages by their path without versions."""
    found = {}
    for file in sorted(folder.rglob("*")):
        path = str(file.relative_to(folder))
        if NAME.search(path) and file.is_file() and not file.is_symlink():
            body = file.read_bytes()
            body = gzip.decompress(body) if path.endswith(".gz") else body
            name = VERSION.sub("N", path.removeprefix("usr/share/").removeprefix("doc/"))
            found.setdefault(NAME.sub(".html", name), body)
    return found


def some(names):
    """Up to so many of the names, by chance that is always the same."""
    return sorted(names, key=lambda name: sha256(name.encode()).digest())[:PAGES_MAX]


def write(folder, names, bodies):
    for name in names:
        # The whole path in one name, so that folders are flat.
        file = folder / name.replace("/", "+")[-200:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bodies[name])


def main(cache, out, what):
    old, new = Suite("bookworm", cache), Suite("trixie", cache)
    total = 0
    for first, second in PAIRS if what == "pairs" else [(name, None) for name in REAL]:
        try:
            before = pages(old.binary(first))
            after = pages(new.binary(second)) if second else before
        except KeyError as missing:
            print(f"left out: {missing}", file=sys.stderr)
            continue
        both = some(before.keys() & after.keys())
        if second:
            write(out / first / "old", both, before)
            write(out / first / "new", both, after)
        else:
            write(out / first, both, before)
        total += len(both)
        print(f"{first}: {len(both)}")
    print(f"{what}: {total} in all")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
