"""Checks a book that mdBook made: every link and picture of a page leads to a file, and to a place that is in it.

usage: python3 site.py FOLDER
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Where links out of the book may lead; whatever else there is was probably meant to stay inside.
HOSTS = {
    "crates.io",
    "docs.nvidia.com",
    "docs.rs",
    "embarkstudios.github.io",
    "github.com",
    "keepachangelog.com",
    "microsoft.github.io",
    "modelcontextprotocol.io",
    "pre-commit.com",
    "rust-lang.github.io",
    "rustup.rs",
    "toml.io",
}


class Page(HTMLParser):
    """The places of a page, and what it links to."""

    def __init__(self, text: str):
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (name == "name" and tag == "a"):
                self.places.add(value or "")
            elif name in ("href", "src") and value and tag in ("a", "img", "script", "link"):
                self.links.append(value)


def main() -> int:
    book = Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(book.rglob("*.html"))}
    problems, seen = [], 0
    for path, page in pages.items():
        # It is written for the root of a site, wherever that is.
        if path.name == "404.html":
            continue
        for link in page.links:
            seen += 1
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                if parts.hostname not in HOSTS:
                    problems.append(f"{path.relative_to(book)}: {link} leads to a host that is not in the list")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                problems.append(f"{path.relative_to(book)}: {link} leads nowhere")
            elif parts.fragment.startswith("text="):
                # The text that the playground shows.
                pass
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                problems.append(f"{path.relative_to(book)}: {link} names no place of the page")
    for problem in sorted(set(problems)):
        print(problem)
    print(f"{seen} links in {len(pages)} pages, {len(set(problems))} wrong")
    return 1 if problems or seen == 0 else 0


sys.exit(main())
