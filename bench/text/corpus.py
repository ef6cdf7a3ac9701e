"""Where pages and their golds lie, and which half a page belongs to."""

import re
import shutil
from hashlib import sha256
from pathlib import Path

# Below this a page is a table of contents or a stub: nothing to find.
WORDS_MIN = 100
WORDS_MAX = 20_000
# Of one generator.
PAGES_MAX = 120

WORD = re.compile(r"[^\W_]+")


def words(text):
    """Letters and digits, in lower case."""
    return WORD.findall(text.lower())


def chance(name):
    """A number that only depends on the name."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")


class Shelf:
    """The pages that one generator made, `book` by `book`."""

    def __init__(self, generator, work):
        self.generator = generator
        self.work = Path(work)
        self.found = {}

    def add(self, book, page, html, gold):
        """Takes a page whose gold is neither a stub nor a whole book."""
        if WORDS_MIN <= len(words(gold)) <= WORDS_MAX:
            self.found.setdefault(book, {})[page] = (html, gold)

    def write(self, root):
        """Keeps as many of each book, chosen by chance, and tells how many of each."""
        kept = []
        share = PAGES_MAX // max(1, len(self.found))
        # Small books first: what they leave goes to the others.
        for left, (book, pages) in zip(
            range(len(self.found), 0, -1),
            sorted(self.found.items(), key=lambda item: (len(item[1]), item[0])),
        ):
            share = (PAGES_MAX - len(kept)) // left
            some = sorted(pages, key=lambda page: chance(f"{book}/{page}"))[:share]
            kept += [(f"{book}+{page}", *pages[page]) for page in some]
        for half in ("open", "held"):
            folder = root / half / self.generator
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        counts = {"open": 0, "held": 0}
        for name, html, gold in kept:
            half = ("open", "held")[chance(f"{self.generator}/{name}") % 2]
            counts[half] += 1
            folder = root / half / self.generator
            (folder / f"{name}.html").write_bytes(html)
            (folder / f"{name}.txt").write_text(gold)
        print(f"{self.generator}: {counts['open']} open, {counts['held']} held", flush=True)
