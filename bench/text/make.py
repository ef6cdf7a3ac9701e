"""Makes pages with gold text from packages of Debian, PyPI and npm.

    make.py ROOT [GENERATOR...]    ROOT/{open,held}/<generator>/<page>.{html,txt}
"""

import importlib
import sys
from pathlib import Path

from corpus import Shelf
from debian import Suite

GENERATORS = ["docbook", "sphinx", "doxygen", "javadoc", "blog"]


def main(root, wished):
    bookworm = Suite("bookworm", root / "cache")
    for generator in wished or GENERATORS:
        shelf = Shelf(generator, root / "work" / generator)
        importlib.import_module(f"{generator}_pages").make(shelf, bookworm)
        shelf.write(root)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
