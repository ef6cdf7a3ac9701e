"""What another extractor makes of the pages of a folder: peers.py NAME FOLDER OUT

Writes OUT/<generator>/<page>.txt: the microseconds that it took, a line, then the text.
"""

import sys
import time
from pathlib import Path

# The first call compiles and loads; after it the fastest of so many counts.
READINGS = 3


def trafilatura():
    from trafilatura import extract

    return lambda html: extract(html, include_comments=False) or ""


def readability():
    from lxml.html import fromstring
    from readability import Document

    def text(html):
        document = Document(html)
        body = fromstring(document.summary())
        for block in body.iter("p", "div", "li", "tr", "td", "th", "dt", "dd", "pre", "br", "h1",
                               "h2", "h3", "h4", "h5", "h6"):  # fmt: skip
            block.tail = "\n" + (block.tail or "")
        # Its text never has the title, the gold has.
        return f"{document.short_title()}\n{body.text_content()}"

    return text


def main(name, folder, out):
    read = {"trafilatura": trafilatura, "readability": readability}[name]()
    for file in sorted(folder.glob("*/*.html")):
        html = file.read_bytes().decode(errors="replace")
        # Strings with a declaration of their charset are refused by lxml.
        html = html.split("?>", 1)[1] if html.startswith("<?xml") else html
        best = float("inf")
        for _ in range(READINGS):
            start = time.perf_counter()
            try:
                text = read(html)
            except Exception as error:  # What it cannot read counts as nothing found.
                print(f"{name}: {file.name}: {error}", file=sys.stderr)
                text = ""
            best = min(best, time.perf_counter() - start)
        to = out / file.parent.name / f"{file.stem}.txt"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(f"{best * 1e6:.1f}\n{text}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
