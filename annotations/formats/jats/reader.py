"""Reads JATS, the XML of PubMed Central and publishers: title, abstract, sections, captions and tables of full texts.

A structured abstract is one passage, its parts `LABEL: text` joined by one space; headings and captions are passages of
their own. References, TeX beside MathML, licences, and sub-articles such as reviews are not part of the text.
Source: https://jats.nlm.nih.gov/archiving/ (ANSI/NISO Z39.96).
"""

import re
from collections.abc import Iterator
from html.entities import html5
from itertools import islice
from typing import Any

from lxml import etree

from annotations.formats.articles.markup_blocks import (
    MarkupBlock,
    MarkupElement,
    MarkupRules,
    iter_markup_blocks,
    join_block_texts_with_spaces,
)
from annotations.formats.articles.parsed_article import (
    HEADING,
    LONGEST_TYPE,
    MOST_PASSAGES,
    ArticleFileContent,
    ArticleIds,
    ParsedArticle,
    TextPassage,
    check_article_size_and_characters,
    parse_article_id_or_empty,
)
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.pubmed.reader import DOCTYPE_SUBSET

BROKEN_JATS = "R441"
NO_JATS_ARTICLE = "R442"
JATS_ENTITIES = "R443"

JATS_BLOCKS = frozenset(
    {
        *("p", "sec", "title", "subtitle", "abstract", "body", "back", "ack", "app", "fig", "table-wrap", "caption"),
        *("tr", "list", "list-item", "def-item", "disp-quote", "disp-formula", "boxed-text", "supplementary-material"),
        *("table-wrap-foot", "fn", "fn-group", "label", "notes", "verse-line", "statement", "speech", "term", "def"),
        *("fig-group", "table-wrap-group", "app-group", "floats-group", "preformat", "code", "article-title"),
    }
)
JATS_SKIPPED = frozenset(
    {
        *("ref-list", "tex-math", "permissions", "object-id", "sub-article", "response", "related-article", "graphic"),
        *("media", "private-char", "alt-text", "long-desc", "fn-group", "glossary", "bio", "contrib-group"),
    }
)
NUMBERED_ELEMENTS = frozenset({"sec", "list-item", "fn", "disp-formula", "app", "ack", "aff"})
ABSTRACT_HEADINGS = frozenset({"abstract", "summary"})
JATS_YEAR = re.compile(r"(1[5-9]|2[0-9])[0-9]{2}")


def _is_jats_skipped(element: MarkupElement) -> bool:
    if element.tag == "label":
        parent = element.getparent()
        return parent is not None and parent.tag in NUMBERED_ELEMENTS
    return element.tag in JATS_SKIPPED


JATS_MARKUP = MarkupRules(JATS_BLOCKS, _is_jats_skipped)


def read_jats_articles(content: bytes, source: str) -> ArticleFileContent:
    """The articles of a file, one or several.

    RefusedFileError with the faults of each article that cannot be stored (R447 to R449); FormatError if the XML is
    not well-formed (R441), contains no article (R442), or uses nonstandard entities (R443). Nothing outside the file is
    read.
    """
    root = _parse_jats_xml(content, source)
    elements = [element for element in root.iter("article") if next(element.iterancestors("article"), None) is None]
    if not elements:
        message = "there is no <article> element here - save the full article as JATS XML"
        raise FormatError(source, 1, 1, NO_JATS_ARTICLE, message)
    articles, faults = [], []
    for element in elements:
        try:
            articles.append(check_article_size_and_characters(_build_jats_article(element), source))
        except FormatError as error:
            faults.append(error)
    if faults:
        raise RefusedFileError(faults)
    return ArticleFileContent(articles)


def _parse_jats_xml(content: bytes, source: str) -> MarkupElement:
    if subset := DOCTYPE_SUBSET.search(content[: 1 << 16]):
        line = content.count(b"\n", 0, subset.start()) + 1
        raise FormatError(
            source, line, 1, JATS_ENTITIES, "the file defines its own entities - remove its internal DTD subset"
        )
    parser = etree.XMLParser(
        load_dtd=False, no_network=True, resolve_entities=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line, column = getattr(error, "position", (0, 0))
        problem = f"the XML is not well-formed here, {quote_file_text(str(error))}"
        message = f"{problem} - it was truncated or edited; download it again"
        raise FormatError(source, line or 0, column or 0, BROKEN_JATS, message) from None
    _resolve_entities(root, source)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _resolve_entities(root: MarkupElement, source: str) -> None:
    """Replace entities such as &alpha; by their characters. HTML includes the public sets of names used in JATS."""
    for entity in list(root.iter(etree.Entity)):
        characters = html5.get(f"{entity.name};")
        if characters is None:
            message = f"the entity &{quote_file_text(entity.name)[1:-1]}; is not defined - write the character itself"
            raise FormatError(source, entity.sourceline or 0, 1, JATS_ENTITIES, message)
        parent, before, text = entity.getparent(), entity.getprevious(), characters + (entity.tail or "")
        if before is not None:
            before.tail = (before.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
        entity.tail = None
        parent.remove(entity)


def _build_jats_article(article: MarkupElement) -> ParsedArticle:
    meta = article.find("front/article-meta")
    meta = etree.Element("article-meta") if meta is None else meta
    return ParsedArticle(
        _parse_jats_article_ids(meta),
        (*_iter_front_passages(meta), *_iter_section_passages(article)),
        journal=_find_first_path_text(
            article, "front/journal-meta/journal-id[@journal-id-type='iso-abbrev']", *JOURNAL_PATHS
        ),
        year=_find_earliest_year(meta),
        volume=_find_first_path_text(meta, "volume"),
        issue=_find_first_path_text(meta, "issue"),
        pages="-".join(
            dict.fromkeys(filter(None, (_find_first_path_text(meta, "fpage"), _find_first_path_text(meta, "lpage"))))
        )
        or _find_first_path_text(meta, "elocation-id"),
        authors=tuple(_iter_jats_authors(meta)),
    )


JOURNAL_PATHS = (
    "front/journal-meta/journal-title-group/abbrev-journal-title",
    "front/journal-meta/journal-id[@journal-id-type='nlm-ta']",
    "front/journal-meta/journal-title-group/journal-title",
    "front/journal-meta/journal-title",
)


def _parse_jats_article_ids(meta: MarkupElement) -> ArticleIds:
    ids_by_type: dict[str, str] = {}
    for element in meta.iterfind("article-id"):
        ids_by_type.setdefault(element.get("pub-id-type", ""), "".join(element.itertext()).strip())
    pmc = ids_by_type.get("pmc") or ids_by_type.get("pmcid") or ids_by_type.get("pmcaid") or ""
    pmcid = parse_article_id_or_empty("PMC" + pmc.upper().removeprefix("PMC")).pmcid if pmc else ""
    return ArticleIds(
        parse_article_id_or_empty(ids_by_type.get("pmid", "")).pmid,
        pmcid,
        parse_article_id_or_empty(ids_by_type.get("doi", "")).doi,
    )


def _iter_front_passages(meta: MarkupElement) -> Iterator[TextPassage]:
    titles = (
        join_block_texts_with_spaces(element, JATS_MARKUP)
        for path in TITLE_PATHS
        if (element := meta.find(path)) is not None
    )
    title = next((text for text in titles if text), "")
    subtitles = [
        join_block_texts_with_spaces(element, JATS_MARKUP) for element in meta.iterfind("title-group/subtitle")
    ]
    yield TextPassage("title", " ".join(filter(None, (title, *subtitles))))
    needs_main_abstract = True
    for abstract in meta.iterfind("abstract"):
        is_main_abstract = abstract.get("abstract-type", "") == "" and needs_main_abstract
        if text := _format_jats_abstract(abstract):
            yield TextPassage(
                "abstract" if is_main_abstract else _normalize_section_name(abstract.get("abstract-type") or "summary"),
                text,
            )
            needs_main_abstract = needs_main_abstract and not is_main_abstract


TITLE_PATHS = ("title-group/article-title", "title-group/trans-title-group/trans-title")


def _format_jats_abstract(abstract: MarkupElement) -> str:
    parts: list[str] = []
    label = ""
    for block in iter_markup_blocks(abstract, JATS_MARKUP):
        if block.element.tag != "title":
            parts.append(f"{label.removesuffix(':')}: {block.text}" if label else block.text)
            label = ""
        elif not (block.element.getparent() is abstract and block.text.lower() in ABSTRACT_HEADINGS):
            parts += [f"{label.removesuffix(':')}:"] if label else []
            label = block.text
    return " ".join(parts + ([f"{label.removesuffix(':')}:"] if label else []))


def _iter_section_passages(article: MarkupElement) -> Iterator[TextPassage]:
    for path in ("body", "floats-group", "back"):
        for part in article.iterfind(path):
            section_names: dict[MarkupElement, str] = {}
            for block in islice(iter_markup_blocks(part, JATS_MARKUP), MOST_PASSAGES + 1):
                yield TextPassage(_find_section_type(block, part, section_names), block.text)


def _find_section_type(block: MarkupBlock, part: MarkupElement, section_names: dict[MarkupElement, str]) -> str:
    """heading, figure, table, or the name of the outermost section that contains the block."""
    ancestors = [block.element, *block.element.iterancestors()]
    tags = {element.tag for element in ancestors[: ancestors.index(part)]} if part in ancestors else set()
    for tag, name in (("table-wrap", "table"), ("fig", "figure")):
        if tag in tags:
            return name
    if block.element.tag in ("title", "subtitle"):
        return HEADING
    section = ancestors[ancestors.index(part) - 1] if part in ancestors and block.element is not part else part
    if section not in section_names:
        title = section.find("title")
        section_names[section] = join_block_texts_with_spaces(title, JATS_MARKUP) if title is not None else "text"
    return _normalize_section_name(section_names[section])


def _normalize_section_name(name: str) -> str:
    return " ".join(name.split())[:LONGEST_TYPE] or "text"


def _find_first_path_text(element: MarkupElement, *paths: str) -> str:
    texts = ("".join(match.itertext()).strip() for path in paths if (match := element.find(path)) is not None)
    return next((text for text in texts if text), "")


def _find_earliest_year(meta: MarkupElement) -> int | None:
    """The earliest year of publication."""
    years = [_find_first_path_text(date, "year") for date in meta.iterfind("pub-date")]
    return min((int(year) for year in years if JATS_YEAR.fullmatch(year)), default=None)


def _iter_jats_authors(meta: Any) -> Iterator[str]:
    for author in meta.iterfind("contrib-group/contrib[@contrib-type='author']"):
        initials = "".join(
            part[0] for part in _find_first_path_text(author, "name/given-names").replace("-", " ").split()
        )
        personal = f"{_find_first_path_text(author, 'name/surname')} {initials}".strip()
        if name := personal or _find_first_path_text(author, "collab"):
            yield " ".join(name.split())[:200]
