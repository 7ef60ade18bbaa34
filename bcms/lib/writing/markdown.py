"""Show texts that people write as HTML: Markdown as CommonMark and tables define it, without HTML of their own.

What a reader gets cannot run scripts, load anything from another site or pretend to be a part of the page: pictures are
those that belong to the text, and others become links, headings are below those of the page, and all links say that the
site does not vouch for them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from threading import Lock
from typing import Any
from urllib.parse import unquote

import nh3
from cachetools import LRUCache, cached
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Headings in a text are below that of the section that shows it, h2.
HEADING_SHIFT = 2
DEEPEST_HEADING = 6
SCHEMES = {"http", "https", "mailto"}
TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6", "img"),
}
ATTRIBUTES = {
    **{"a": {"href", "title"}, "ol": {"start"}, "div": {"class", "tabindex", "role", "aria-label"}},
    "img": {"src", "alt", "title", "width", "height", "loading"},
}
LINK_RELATION = "nofollow ugc noopener noreferrer"
EXCERPT_CHARACTERS = 200
# Markdown fills each row of a table up to the columns of its head, so that a short text can become a huge table.
MOST_CELLS = 5000
# Before each address, markdown-it searches all the text before it for where the address begins. In a text with more of
# them, addresses are found afterwards, where characters such as * end them.
MOST_ADDRESSES = 200
# A long text takes half a second if it is made for that, and pages show many: characters of HTML that a process keeps.
MOST_KEPT = 4_000_000


@dataclass(frozen=True, slots=True)
class MarkdownPicture:
    """A picture that a text can show. name: by which the text refers to it; width, height: in pixels."""

    name: str
    url: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PictureInMarkdown:
    """A picture as a text has it, ![alternative text](source)."""

    source: str
    alternative_text: str

    @property
    def name(self) -> str:
        """The name at the end of an address, as a picture may be copied from a page."""
        return _find_picture_name(self.source)

    @property
    def is_elsewhere(self) -> bool:
        """Whether the source is an address, and not only a name."""
        return "/" in self.source


@cache
def _get_reader(*, with_tables: bool, with_early_addresses: bool) -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True, "linkify": True})
    # Only what is written as an address: names of files such as run.py are no hosts.
    reader.linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": True})
    # A long address that is defined once and referred to a thousand times would fill a page.
    reader.enable(["strikethrough", "linkify", *(["table"] if with_tables else [])]).disable("reference")
    if not with_early_addresses:
        reader.inline.ruler.disable("linkify")
    return reader


@cached(LRUCache(MOST_KEPT, getsizeof=len), lock=Lock())
def render_markdown(text: str, pictures: tuple[MarkdownPicture, ...] = ()) -> str:
    """The text as safe HTML, with those of the pictures that it refers to, by their names or addresses.

    Line breaks stay, as in texts from before Markdown; wide tables scroll by themselves. A text whose tables could have
    more than MOST_CELLS cells has none, and addresses that are defined apart from their links stay as they are written.
    """
    reader = _choose_reader(text)
    tokens = reader.parse(text)
    picture_by_name = {picture.name: picture for picture in pictures}
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + HEADING_SHIFT, DEEPEST_HEADING)}"
        token.children = _show_pictures_and_name_links(reader, token.children or [], picture_by_name)
    html = reader.renderer.render(tokens, reader.options, {})
    html = html.replace("<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
    html = html.replace("</table>", "</table></div>")
    return nh3.clean(html, tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel=LINK_RELATION)


def list_pictures_in_markdown(text: str) -> list[PictureInMarkdown]:
    """The pictures that a text refers to, in its order, whether they are there or not."""
    reader = _choose_reader(text)
    return [
        PictureInMarkdown(unquote(str(child.attrs.get("src", ""))), _read_alternative_text(reader, child))
        for token in reader.parse(text)
        for child in token.children or ()
        if child.type == "image"
    ]


def _choose_reader(text: str) -> MarkdownIt:
    return _get_reader(
        with_tables=_count_most_cells(text) <= MOST_CELLS, with_early_addresses=text.count("://") <= MOST_ADDRESSES
    )


def _read_alternative_text(reader: MarkdownIt, picture: Any) -> str:
    """Without the marks of Markdown."""
    renderer: Any = reader.renderer
    return str(renderer.renderInlineAsText(picture.children, reader.options, {})).strip()


def _find_picture_name(source: str) -> str:
    return source.rpartition("/")[2]


def _count_most_cells(text: str) -> int:
    """As many cells as the tables in a text have at most; 0 without the | that every table has."""
    lines = text.splitlines()
    columns = max((line.count("|") for line in lines), default=0)
    return (columns + 1) * len(lines) if columns else 0


def _show_pictures_and_name_links(
    reader: MarkdownIt, tokens: Sequence[Token], picture_by_name: Mapping[str, MarkdownPicture]
) -> list[Token]:
    """Parts of a line with pictures as HTML. A link without a text that can be seen shows its address."""
    shown: list[Token] = []
    link, is_named = "", False
    for token in tokens:
        if token.type == "link_open":
            link, is_named = str(token.attrs.get("href", "")), False
        elif token.type == "link_close":
            if not is_named:
                shown.append(Token("text", "", 0, content=link))
            link = ""
        elif token.type == "image":
            _turn_picture_into_html(token, _read_alternative_text(reader, token), picture_by_name, link)
            is_named = True
        elif any(letter.isprintable() and not letter.isspace() for letter in token.content):
            is_named = True
        shown.append(token)
    return shown


def _turn_picture_into_html(
    token: Any, description: str, picture_by_name: Mapping[str, MarkdownPicture], link: str
) -> None:
    """A picture of another site would tell that site who reads the page, so its description links to it.

    link: the address of the link that the picture is in, where its description is the text of that link; empty for
    none.
    """
    source, title = str(token.attrs.get("src", "")), str(token.attrs.get("title", ""))
    token.type, token.tag, token.nesting, token.children = "html_inline", "", 0, None
    picture = picture_by_name.get(_find_picture_name(unquote(source)))
    if picture is None:
        label = nh3.clean_text(description or "picture")
        token.content = label if link else f'<a href="{nh3.clean_text(source)}">{label}</a>'
        return
    # A link is not named by a picture that says nothing.
    description = description or link
    shown_title = f' title="{escape(title)}"' if title else ""
    # With its size, the text below does not move when the picture arrives.
    token.content = (
        f'<img src="{escape(picture.url)}" alt="{escape(description)}"{shown_title} width="{picture.width}" '
        f'height="{picture.height}" loading="lazy">'
    )


def clip_markdown_excerpt(text: str) -> str:
    """The beginning of a text as plain words on one line, at most EXCERPT_CHARACTERS of them."""
    plain = " ".join(unescape(nh3.clean(render_markdown(text), tags=set())).split())
    return plain if len(plain) <= EXCERPT_CHARACTERS else f"{plain[: EXCERPT_CHARACTERS - 1].rstrip()}…"
