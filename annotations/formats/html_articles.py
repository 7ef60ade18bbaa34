"""An article's page of the web: its title, abstract and sections, without scripts, menus and forms.

What the page is about stands in its element `article` or `main`, else in its body. Names and title come from the tags
that publishers write for Google Scholar (citation_title, citation_pmid, ...), the title else from the first h1.
Nothing that the page refers to is fetched, and nothing in it runs.
"""

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree, html

from annotations.formats.errors import FormatError
from annotations.formats.markup_blocks import Block, Element, Markup, blocks_of, flat
from annotations.formats.plain_articles import decoded
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import (
    HEADING,
    LONGEST_TYPE,
    MOST_PASSAGES,
    Name,
    ReadArticle,
    ReadFile,
    checked,
    name_of,
    with_title,
)

NO_HTML = "R444"
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BLOCKS = frozenset(
    {
        *(
            "p",
            "div",
            "section",
            "article",
            "main",
            "ul",
            "ol",
            "li",
            "dl",
            "dt",
            "dd",
            "table",
            "tr",
            "caption",
            "pre",
        ),
        *("figure", "figcaption", "blockquote", "address", "details", "summary", "hr", "center", "tbody", "thead"),
        *HEADINGS,
    }
)
SKIPPED = frozenset(
    {
        *("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "button", "select"),
        *("textarea", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "head", "annotation", "dialog"),
    }
)
DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
ABSTRACT = re.compile(r"\babstract\b", re.IGNORECASE)


def _skips(element: Element) -> bool:
    return not isinstance(element.tag, str) or element.tag in SKIPPED or element.get("hidden") is not None


MARKUP = Markup(BLOCKS, _skips)


def read_html(content: bytes, source: str) -> ReadFile:
    """One article. FormatError: not in its character set (R445), no page of HTML (R444), or not to be stored (R447 to
    R449)."""
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(_characters(content, source), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        message = f"this is no page of HTML ({error}) - save the article's page anew"
        raise FormatError(source, 1, 1, NO_HTML, message) from None
    return ReadFile([checked(_article(root), source)])


def _characters(content: bytes, source: str) -> str:
    """The text by the character set that the page declares, else UTF-8."""
    declared = DECLARED.search(content[:4096])
    name = declared[1].decode() if declared else "utf-8"
    if name.lower() in ("utf-8", "utf8"):
        return _without_declaration(decoded(content, source))
    try:
        # What calls itself Latin-1 is Windows-1252 on the web (WHATWG Encoding Standard).
        return _without_declaration(content.decode("cp1252" if "8859-1" in name else name))
    except (UnicodeDecodeError, LookupError):
        message = f"the page is not in {name}, as it says - save it as UTF-8"
        raise FormatError(source, 0, 0, "R445", message) from None


def _without_declaration(text: str) -> str:
    """lxml takes no text that names an encoding of bytes."""
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text)


def _article(root: Element) -> ReadArticle:
    given = _tags(root)
    body = _content(root)
    blocks = list(islice(blocks_of(body, MARKUP), MOST_PASSAGES + 2))
    title = _title(root, given, blocks)
    return ReadArticle(
        Name(
            name_of(given.get("citation_pmid", "")).pmid,
            name_of(given.get("citation_pmcid", "")).pmcid,
            name_of(given.get("citation_doi", "") or given.get("dc.identifier", "")).doi,
        ),
        with_title([Passage("title", title), *_passages(blocks, title)]),
        journal=given.get("citation_journal_abbrev", "") or given.get("citation_journal_title", ""),
        year=_year(given.get("citation_publication_date", "") or given.get("citation_date", "")),
        volume=given.get("citation_volume", ""),
        issue=given.get("citation_issue", ""),
        pages="-".join(filter(None, (given.get("citation_firstpage"), given.get("citation_lastpage")))),
        authors=tuple(
            tag.get("content", "").strip()[:200]
            for tag in root.iter("meta")
            if tag.get("name") == "citation_author" and tag.get("content", "").strip()
        ),
    )


def _tags(root: Element) -> dict[str, str]:
    """The first meta tag of each name."""
    tags: dict[str, str] = {}
    for tag in root.iter("meta"):
        tags.setdefault((tag.get("name") or "").lower(), (tag.get("content") or "").strip()[:2000])
    return tags


def _content(root: Element) -> Element:
    """The element that holds the article."""
    for tag in ("article", "main"):
        found = list(root.iter(tag))
        if len(found) == 1:
            return found[0]
    body = root.find("body")
    return root if body is None else body


def _title(root: Element, given: dict[str, str], blocks: list[Block]) -> str:
    heads = (block.text for block in blocks if block.element.tag == "h1")
    tag = root.find("head/title")
    return (
        given.get("citation_title") or given.get("dc.title") or next(heads, "") or ("" if tag is None else _line(tag))
    )


def _line(element: Element) -> str:
    return flat(element, MARKUP)


def _passages(blocks: list[Block], title: str) -> Iterator[Passage]:
    """The blocks but the title's: headings, what is under each, and the abstract as one passage."""
    section = "text"
    abstract: list[str] = []
    for block in blocks:
        if block.element.tag in HEADINGS:
            if block.text == title:
                continue
            section = " ".join(block.text.split())[:LONGEST_TYPE]
            if not ABSTRACT.fullmatch(section):
                yield from _joined(abstract)
                abstract = []
                yield Passage(HEADING, block.text)
        elif ABSTRACT.fullmatch(section):
            abstract.append(block.text)
        else:
            yield Passage(_kind(block, section), block.text)
    yield from _joined(abstract)


def _joined(abstract: list[str]) -> Iterator[Passage]:
    if abstract:
        yield Passage("abstract", " ".join(abstract))


def _kind(block: Block, section: str) -> str:
    around = {block.element.tag, *(element.tag for element in block.element.iterancestors())}
    return "table" if "table" in around else "figure" if "figure" in around else section


def _year(date: str) -> int | None:
    found = YEAR.search(date)
    return int(found[0]) if found else None
