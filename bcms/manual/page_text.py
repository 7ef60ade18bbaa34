"""Split a rendered manual page into parts of plain text, for the search.

A part begins at each heading, rule or command that has an id.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

TITLE_TAGS = ("h2", "h3", "summary")
INLINE_TAGS = {"a", "abbr", "b", "code", "em", "i", "kbd", "mark", "span", "strong", "sub", "sup", "time"}


@dataclass(slots=True)
class PagePart:
    """The text of one part, collected piece by piece."""

    anchor: str
    title_pieces: list[str] = field(default_factory=list)
    text_pieces: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        return " ".join("".join(self.title_pieces).split())

    @property
    def text(self) -> str:
        return " ".join("".join(self.text_pieces).split())


class PageTextParser(HTMLParser):
    """Collects the parts of a page; text before the first one and text in drawings is ignored."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[PagePart] = []
        self.in_title = False
        self.drawing_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        anchor = dict(attrs).get("id")
        if tag == "svg":
            self.drawing_depth += 1
        elif anchor and tag in ("h2", "h3", "details", "tr"):
            self.parts.append(PagePart(anchor, [anchor] if tag == "tr" else []))
        # The summary of a details element without an id is text of the part that it is in.
        self.in_title = self.in_title or (tag in TITLE_TAGS and bool(self.parts) and not self.parts[-1].title)
        self.separate_blocks(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self.drawing_depth -= 1
        if tag in TITLE_TAGS:
            self.in_title = False
        self.separate_blocks(tag)

    def handle_data(self, data: str) -> None:
        if self.parts and not self.drawing_depth:
            part = self.parts[-1]
            (part.title_pieces if self.in_title else part.text_pieces).append(data)

    def separate_blocks(self, tag: str) -> None:
        if self.parts and tag not in INLINE_TAGS:
            self.parts[-1].text_pieces.append(" ")


def iter_anchored_page_parts(html: str) -> Iterator[PagePart]:
    """The parts of a rendered page, in their order."""
    parser = PageTextParser()
    parser.feed(html)
    parser.close()
    yield from parser.parts
