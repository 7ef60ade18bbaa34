"""JATS, the XML of PubMed Central and of publishers: title, abstract, sections, captions and tables of full texts.

A structured abstract is one passage, its parts `LABEL: text` joined by one space; headings and captions are passages of
their own. References, TeX beside MathML, licences, and sub-articles such as reviews are no part of the text.
Source: https://jats.nlm.nih.gov/archiving/ (ANSI/NISO Z39.96).
"""

import re
from collections.abc import Iterator
from html.entities import html5
from itertools import islice
from typing import Any

from lxml import etree

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.markup_blocks import Block, Element, Markup, blocks_of, flat
from annotations.formats.pubmed import DOCTYPE_SUBSET, Passage
from annotations.formats.read_article import (
    HEADING,
    LONGEST_TYPE,
    MOST_PASSAGES,
    Name,
    ReadArticle,
    ReadFile,
    checked,
    name_of,
)
from annotations.formats.tsv_faults import quoted

BROKEN = "R441"
NO_ARTICLE = "R442"
ENTITIES = "R443"

BLOCKS = frozenset(
    {
        *("p", "sec", "title", "subtitle", "abstract", "body", "back", "ack", "app", "fig", "table-wrap", "caption"),
        *("tr", "list", "list-item", "def-item", "disp-quote", "disp-formula", "boxed-text", "supplementary-material"),
        *("table-wrap-foot", "fn", "fn-group", "label", "notes", "verse-line", "statement", "speech", "term", "def"),
        *("fig-group", "table-wrap-group", "app-group", "floats-group", "preformat", "code", "article-title"),
    }
)
SKIPPED = frozenset(
    {
        *("ref-list", "tex-math", "permissions", "object-id", "sub-article", "response", "related-article", "graphic"),
        *("media", "private-char", "alt-text", "long-desc", "fn-group", "glossary", "bio", "contrib-group"),
    }
)
NUMBERED = frozenset({"sec", "list-item", "fn", "disp-formula", "app", "ack", "aff"})
OWN_NAMES = frozenset({"abstract", "summary"})
YEAR = re.compile(r"(1[5-9]|2[0-9])[0-9]{2}")


def _skips(element: Element) -> bool:
    if element.tag == "label":
        parent = element.getparent()
        return parent is not None and parent.tag in NUMBERED
    return element.tag in SKIPPED


MARKUP = Markup(BLOCKS, _skips)


def read_jats(content: bytes, source: str) -> ReadFile:
    """The articles of a file, one or a set of them.

    RefusedFileError with the faults of each article that cannot be stored (R447 to R449); FormatError when the XML is
    broken (R441), holds no article (R442), or needs entities of its own (R443). Nothing outside the file is read.
    """
    root = _parsed(content, source)
    found = [each for each in root.iter("article") if next(each.iterancestors("article"), None) is None]
    if not found:
        message = "there is no element <article> here - save the article as JATS XML, with its whole text"
        raise FormatError(source, 1, 1, NO_ARTICLE, message)
    articles, faults = [], []
    for element in found:
        try:
            articles.append(checked(_article(element), source))
        except FormatError as error:
            faults.append(error)
    if faults:
        raise RefusedFileError(faults)
    return ReadFile(articles)


def _parsed(content: bytes, source: str) -> Element:
    if subset := DOCTYPE_SUBSET.search(content[: 1 << 16]):
        line = content.count(b"\n", 0, subset.start()) + 1
        raise FormatError(source, line, 1, ENTITIES, "the file defines entities of its own - remove its DTD subset")
    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line, column = getattr(error, "position", (0, 0))
        message = f"the XML is broken here, {quoted(str(error))} - it was cut off or edited; fetch it again"
        raise FormatError(source, line or 0, column or 0, BROKEN, message) from None
    _resolve(root, source)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _resolve(root: Element, source: str) -> None:
    """Put the characters of &alpha; and the like in their place: the public sets of names that HTML took over."""
    for entity in list(root.iter(etree.Entity)):
        characters = html5.get(f"{entity.name};")
        if characters is None:
            message = f"the file does not say what &{quoted(entity.name)[1:-1]}; is - write the character itself"
            raise FormatError(source, entity.sourceline or 0, 1, ENTITIES, message)
        parent, before, text = entity.getparent(), entity.getprevious(), characters + (entity.tail or "")
        if before is not None:
            before.tail = (before.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
        entity.tail = None
        parent.remove(entity)


def _article(article: Element) -> ReadArticle:
    meta = article.find("front/article-meta")
    meta = etree.Element("article-meta") if meta is None else meta
    return ReadArticle(
        _name(meta),
        (*_front(meta), *_sections(article)),
        journal=_first(article, "front/journal-meta/journal-id[@journal-id-type='iso-abbrev']", *_JOURNALS),
        year=_year(meta),
        volume=_first(meta, "volume"),
        issue=_first(meta, "issue"),
        pages="-".join(dict.fromkeys(filter(None, (_first(meta, "fpage"), _first(meta, "lpage")))))
        or _first(meta, "elocation-id"),
        authors=tuple(_authors(meta)),
    )


_JOURNALS = (
    "front/journal-meta/journal-title-group/abbrev-journal-title",
    "front/journal-meta/journal-id[@journal-id-type='nlm-ta']",
    "front/journal-meta/journal-title-group/journal-title",
    "front/journal-meta/journal-title",
)


def _name(meta: Element) -> Name:
    sorts: dict[str, str] = {}
    for element in meta.iterfind("article-id"):
        sorts.setdefault(element.get("pub-id-type", ""), "".join(element.itertext()).strip())
    pmc = sorts.get("pmc") or sorts.get("pmcid") or sorts.get("pmcaid") or ""
    pmcid = name_of("PMC" + pmc.upper().removeprefix("PMC")).pmcid if pmc else ""
    return Name(name_of(sorts.get("pmid", "")).pmid, pmcid, name_of(sorts.get("doi", "")).doi)


def _front(meta: Element) -> Iterator[Passage]:
    titles = (flat(found, MARKUP) for path in _TITLES if (found := meta.find(path)) is not None)
    title = next((text for text in titles if text), "")
    subtitles = [flat(found, MARKUP) for found in meta.iterfind("title-group/subtitle")]
    yield Passage("title", " ".join(filter(None, (title, *subtitles))))
    first = True
    for abstract in meta.iterfind("abstract"):
        own = abstract.get("abstract-type", "") == "" and first
        if text := _abstract(abstract):
            yield Passage("abstract" if own else _type(abstract.get("abstract-type") or "summary"), text)
            first = first and not own


_TITLES = ("title-group/article-title", "title-group/trans-title-group/trans-title")


def _abstract(abstract: Element) -> str:
    parts: list[str] = []
    label = ""
    for block in blocks_of(abstract, MARKUP):
        if block.element.tag != "title":
            parts.append(f"{label.removesuffix(':')}: {block.text}" if label else block.text)
            label = ""
        elif not (block.element.getparent() is abstract and block.text.lower() in OWN_NAMES):
            parts += [f"{label.removesuffix(':')}:"] if label else []
            label = block.text
    return " ".join(parts + ([f"{label.removesuffix(':')}:"] if label else []))


def _sections(article: Element) -> Iterator[Passage]:
    for path in ("body", "floats-group", "back"):
        for part in article.iterfind(path):
            names: dict[Element, str] = {}
            for block in islice(blocks_of(part, MARKUP), MOST_PASSAGES + 1):
                yield Passage(_section(block, part, names), block.text)


def _section(block: Block, part: Element, names: dict[Element, str]) -> str:
    """heading, figure, table, or the name of the outermost section that the block is in."""
    around = [block.element, *block.element.iterancestors()]
    tags = {element.tag for element in around[: around.index(part)]} if part in around else set()
    for tag, name in (("table-wrap", "table"), ("fig", "figure")):
        if tag in tags:
            return name
    if block.element.tag in ("title", "subtitle"):
        return HEADING
    top = around[around.index(part) - 1] if part in around and block.element is not part else part
    if top not in names:
        title = top.find("title")
        names[top] = flat(title, MARKUP) if title is not None else "text"
    return _type(names[top])


def _type(name: str) -> str:
    return " ".join(name.split())[:LONGEST_TYPE] or "text"


def _first(element: Element, *paths: str) -> str:
    texts = ("".join(found.itertext()).strip() for path in paths if (found := element.find(path)) is not None)
    return next((text for text in texts if text), "")


def _year(meta: Element) -> int | None:
    """The earliest year of publication."""
    years = [_first(date, "year") for date in meta.iterfind("pub-date")]
    return min((int(year) for year in years if YEAR.fullmatch(year)), default=None)


def _authors(meta: Any) -> Iterator[str]:
    for author in meta.iterfind("contrib-group/contrib[@contrib-type='author']"):
        initials = "".join(part[0] for part in _first(author, "name/given-names").replace("-", " ").split())
        personal = f"{_first(author, 'name/surname')} {initials}".strip()
        if name := personal or _first(author, "collab"):
            yield " ".join(name.split())[:200]
