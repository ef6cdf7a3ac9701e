"""Plain BM25 over the text of pages, to compare with: plain.py FOLDER, as make.py writes it.

All text of a page, words of letters, digits and underscores in lower case, no stems; k1 1.2, b 0.75.
"""

import re
import sys
from collections import Counter, defaultdict
from html.parser import HTMLParser
from math import log
from pathlib import Path

K1, B = 1.2, 0.75
DEPTH = 10


class Text(HTMLParser):
    """What a page says, its title too."""

    def __init__(self):
        super().__init__()
        self.parts = []
        self.unseen = 0

    def handle_starttag(self, tag, attributes):
        self.unseen += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.unseen -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.unseen:
            self.parts.append(data)


def words(text):
    return re.findall(r"\w+", text.lower())


class Plain:
    def __init__(self, pages):
        self.postings, self.lengths = defaultdict(list), {}
        for file in sorted(pages.rglob("*.html")):
            text = Text()
            text.feed(file.read_text(errors="replace"))
            name, counts = file.relative_to(pages).as_posix(), Counter(words(" ".join(text.parts)))
            self.lengths[name] = counts.total()
            for word, count in counts.items():
                self.postings[word].append((name, count))
        self.mean = sum(self.lengths.values()) / len(self.lengths)

    def search(self, query):
        scores = Counter()
        for word in words(query):
            pages = self.postings.get(word, ())
            rarity = log(1 + (len(self.lengths) - len(pages) + 0.5) / (len(pages) + 0.5))
            for name, count in pages:
                length = 1 - B + B * self.lengths[name] / self.mean
                scores[name] += rarity * count * (K1 + 1) / (count + K1 * length)
        return sorted(scores, key=lambda name: (-scores[name], name))[:DEPTH]


def main(folder):
    plain = Plain(folder / "pages")
    worth = []
    for line in (folder / "queries.tsv").read_text().splitlines():
        query, *right = line.split("\t")
        found = plain.search(query)
        worth.append(next((1 / at for at, name in enumerate(found, 1) if name in right), 0))
    for half, some in ("even", worth[::2]), ("odd", worth[1::2]), ("all", worth):
        success, reciprocal = sum(map(bool, some)) / len(some), sum(some) / len(some)
        print(f"{half:<5} success@10 {success:.4f}  MRR@10 {reciprocal:.4f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
