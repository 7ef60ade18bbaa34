"""Reads an article from a web page: its title, abstract and sections, without scripts, menus and forms.

The text is taken from the only `article` or `main` element, or else from the body. Identifiers and title come from the
meta tags that publishers write for Google Scholar (citation_title, citation_pmid, ...); without them, the title is the
first h1. Nothing that the page refers to is fetched, and nothing in it is executed.
"""

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree, html

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
    prepend_empty_title_if_missing,
)
from annotations.formats.errors import FormatError
from annotations.formats.plain.reader import decode_utf8_without_byte_order_mark

NO_HTML = "R444"
HTML_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
HTML_BLOCKS = frozenset(
    {
        *("p", "div", "section", "article", "main", "ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "caption"),
        *("pre", "figure", "figcaption", "blockquote", "address", "details", "summary", "hr", "center"),
        *("tbody", "thead"),
        *HTML_HEADINGS,
    }
)
HTML_SKIPPED = frozenset(
    {
        *("script", "style", "noscript", "template", "nav", "header", "footer", "aside", "form", "button", "select"),
        *("textarea", "iframe", "object", "embed", "svg", "canvas", "audio", "video", "head", "annotation", "dialog"),
    }
)
DECLARED_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
HTML_YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
ABSTRACT_HEADING = re.compile(r"\babstract\b", re.IGNORECASE)


def _is_html_skipped(element: MarkupElement) -> bool:
    return not isinstance(element.tag, str) or element.tag in HTML_SKIPPED or element.get("hidden") is not None


HTML_MARKUP = MarkupRules(HTML_BLOCKS, _is_html_skipped)


def read_html(content: bytes, source: str) -> ArticleFileContent:
    """One article. FormatError: not in its character set (R445), not HTML (R444), or not storable (R447 to R449)."""
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(_decode_page(content, source), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        message = f"this is not an HTML page ({error}) - save the article's page again"
        raise FormatError(source, 1, 1, NO_HTML, message) from None
    return ArticleFileContent([check_article_size_and_characters(_build_html_article(root), source)])


def _decode_page(content: bytes, source: str) -> str:
    """The text, decoded with the character set that the page declares, by default UTF-8."""
    declared = DECLARED_CHARSET.search(content[:4096])
    name = declared[1].decode() if declared else "utf-8"
    if name.lower() in ("utf-8", "utf8"):
        return _strip_xml_declaration(decode_utf8_without_byte_order_mark(content, source))
    try:
        # On the web, Latin-1 means Windows-1252 (WHATWG Encoding Standard).
        return _strip_xml_declaration(content.decode("cp1252" if "8859-1" in name else name))
    except (UnicodeDecodeError, LookupError):
        message = f"the page declares the character set {name}, but is not valid in it - save it as UTF-8"
        raise FormatError(source, 0, 0, "R445", message) from None


def _strip_xml_declaration(text: str) -> str:
    """The text without its XML declaration, because lxml rejects text that declares an encoding."""
    return re.sub(r"^\s*<\?xml[^>]*\?>", "", text)


def _build_html_article(root: MarkupElement) -> ParsedArticle:
    meta_tags = _collect_meta_tags(root)
    body = _find_content_element(root)
    blocks = list(islice(iter_markup_blocks(body, HTML_MARKUP), MOST_PASSAGES + 2))
    title = _find_html_title(root, meta_tags, blocks)
    return ParsedArticle(
        ArticleIds(
            parse_article_id_or_empty(meta_tags.get("citation_pmid", "")).pmid,
            parse_article_id_or_empty(meta_tags.get("citation_pmcid", "")).pmcid,
            parse_article_id_or_empty(meta_tags.get("citation_doi", "") or meta_tags.get("dc.identifier", "")).doi,
        ),
        prepend_empty_title_if_missing([TextPassage("title", title), *_iter_html_passages(blocks, title)]),
        journal=meta_tags.get("citation_journal_abbrev", "") or meta_tags.get("citation_journal_title", ""),
        year=_find_date_year(meta_tags.get("citation_publication_date", "") or meta_tags.get("citation_date", "")),
        volume=meta_tags.get("citation_volume", ""),
        issue=meta_tags.get("citation_issue", ""),
        pages="-".join(filter(None, (meta_tags.get("citation_firstpage"), meta_tags.get("citation_lastpage")))),
        authors=tuple(
            tag.get("content", "").strip()[:200]
            for tag in root.iter("meta")
            if tag.get("name") == "citation_author" and tag.get("content", "").strip()
        ),
    )


def _collect_meta_tags(root: MarkupElement) -> dict[str, str]:
    """{name in lower case: content} of the first meta tag of each name."""
    tags: dict[str, str] = {}
    for tag in root.iter("meta"):
        tags.setdefault((tag.get("name") or "").lower(), (tag.get("content") or "").strip()[:2000])
    return tags


def _find_content_element(root: MarkupElement) -> MarkupElement:
    """The element that contains the article."""
    for tag in ("article", "main"):
        elements = list(root.iter(tag))
        if len(elements) == 1:
            return elements[0]
    body = root.find("body")
    return root if body is None else body


def _find_html_title(root: MarkupElement, meta_tags: dict[str, str], blocks: list[MarkupBlock]) -> str:
    headings = (block.text for block in blocks if block.element.tag == "h1")
    title_element = root.find("head/title")
    return (
        meta_tags.get("citation_title")
        or meta_tags.get("dc.title")
        or next(headings, "")
        or ("" if title_element is None else _flatten_html(title_element))
    )


def _flatten_html(element: MarkupElement) -> str:
    return join_block_texts_with_spaces(element, HTML_MARKUP)


def _iter_html_passages(blocks: list[MarkupBlock], title: str) -> Iterator[TextPassage]:
    """The blocks after the title as passages: headings, the text below each, and the abstract as one passage."""
    section = "text"
    abstract: list[str] = []
    for block in blocks:
        if block.element.tag in HTML_HEADINGS:
            if block.text == title:
                continue
            section = " ".join(block.text.split())[:LONGEST_TYPE]
            if not ABSTRACT_HEADING.fullmatch(section):
                yield from _iter_abstract_passage(abstract)
                abstract = []
                yield TextPassage(HEADING, block.text)
        elif ABSTRACT_HEADING.fullmatch(section):
            abstract.append(block.text)
        else:
            yield TextPassage(_find_block_type(block, section), block.text)
    yield from _iter_abstract_passage(abstract)


def _iter_abstract_passage(abstract: list[str]) -> Iterator[TextPassage]:
    if abstract:
        yield TextPassage("abstract", " ".join(abstract))


def _find_block_type(block: MarkupBlock, section: str) -> str:
    tags = {block.element.tag, *(element.tag for element in block.element.iterancestors())}
    return "table" if "table" in tags else "figure" if "figure" in tags else section


def _find_date_year(date: str) -> int | None:
    year = HTML_YEAR.search(date)
    return int(year[0]) if year else None
