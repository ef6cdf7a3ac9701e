"""Makes pages with gold text from packages of Debian, PyPI and npm.

    make.py ROOT [GENERATOR...]    ROOT/{open,held}/<generator>/<page>.{html,txt}

Installs what it needs of PyPI below ROOT first. Does nothing where all was made by these scripts.
"""

import hashlib
import importlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from corpus import Shelf
from debian import Suite

GENERATORS = ["docbook", "sphinx", "doxygen", "javadoc", "blog"]
HERE = Path(__file__).parent
NEEDS = HERE / "requirements.txt"
PARTS = ["corpus.py", "debian.py", "registry.py", "requirements.txt"]


def main(root, wished):
    stamp = root / "made"
    parts = [HERE / name for name in PARTS]
    made = digest([*parts, *HERE.glob("*_pages.py"), *HERE.glob("*.java")])
    if not wished and stamp.is_file() and stamp.read_text() == made:
        return
    bookworm = Suite("bookworm", root / "cache")
    for generator in wished or GENERATORS:
        print(f"making pages with {generator}", flush=True)
        shelf = Shelf(generator, root / "work" / generator)
        importlib.import_module(f"{generator}_pages").make(shelf, bookworm)
        shelf.write(root)
    if not wished:
        stamp.write_text(made)


def settle(root):
    """Goes on in an environment that has what is needed, in the versions that are pinned."""
    place = root / "venv"
    python = place / "bin" / "python3"
    if Path(sys.prefix) == place:
        return
    stamp = place / "needs"
    needs = digest([NEEDS])
    if not stamp.is_file() or stamp.read_text() != needs:
        print("installing Sphinx, Pelican, trafilatura and readability from PyPI", flush=True)
        venv.create(place, with_pip=True, clear=True)
        # All are named: nothing is left to be resolved.
        words = ["-m", "pip", "install", "--quiet", "--no-deps", "-r", str(NEEDS)]
        subprocess.run([python, *words], check=True)
        stamp.write_text(needs)
    os.execv(python, [str(python), *sys.argv])


def digest(files):
    files = sorted(file for file in files if file.is_file())
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


if __name__ == "__main__":
    ROOT = Path(sys.argv[1]).resolve()
    settle(ROOT)
    main(ROOT, sys.argv[2:])
