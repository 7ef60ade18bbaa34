"""Reads PubMed XML: responses of E-utilities (efetch), baseline and update files, plain or gzipped.

The characters of the text are kept, because positions count them: inner markup (<i>, <sup>, MathML) is flattened to its
characters, and white space, including line ends in mixed content, is neither trimmed nor collapsed. Only XML itself
turns CR LF into LF and resolves references such as &amp; and &#945;. A structured abstract is one passage, its parts
`LABEL: text` joined by one space; a labelled part without text becomes `LABEL:`, an unlabelled one is skipped.
Copyright lines and abstracts in other languages (OtherAbstract) are not part of the text.

Format: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, NoReturn

from lxml import etree

from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.errors import FormatError, quote_file_text

BROKEN_ARCHIVE = "R401"
NOT_PUBMED_XML = "R402"
NCBI_ERROR = "R403"
NOT_WELL_FORMED = "R404"
DEFINES_ENTITIES = "R405"
BAD_PMID = "R406"

PUBMED_CHUNK = 1 << 16
PUBMED_SET_ROOTS = {"PubmedArticleSet", "PubmedBookArticleSet"}
PUBMED_RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")
PMID_DIGITS = re.compile(r"\s*([1-9][0-9]{0,9})\s*")
PUBMED_YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
DAY = re.compile(r"[12][0-9]{3} [0-9]{1,2} [0-9]{1,2}", re.ASCII)
PROLOG = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)
ROOT_NAME = re.compile(rb"<([A-Za-z_][\w.:-]*)")
DOCTYPE_SUBSET = re.compile(rb"<!DOCTYPE[^>\[]*\[")
ERROR_ELEMENT = re.compile(rb"<ERROR>(.*?)</ERROR>", re.DOTALL)
ERROR_OBJECT = re.compile(rb"\s*\{.*?\"error\"\s*:\s*\"([^\"]*)\"", re.DOTALL)
AUTHOR_NAME_TAGS = ("LastName", "Initials", "ForeName", "CollectiveName")
LONGEST_IDENTIFIER = 255
LONGEST_PMCID = 32
MAX_ERROR_QUOTE_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Citation:
    """One record of PubMed. Values that it does not give are empty, or None for year.

    passages: the title, then the abstract if there is one; revised: the day of the last revision, such as 2026-01-31.
    """

    pmid: int
    version: int
    passages: tuple[TextPassage, ...]
    doi: str = ""
    pmcid: str = ""
    journal: str = ""
    year: int | None = None
    volume: str = ""
    issue: str = ""
    pages: str = ""
    authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    mesh: tuple[str, ...] = ()
    revised: str = ""

    @property
    def ids(self) -> list[str]:
        """PMID, PMCID and DOI, as far as the record has them."""
        return [name for name in (str(self.pmid), self.pmcid, self.doi) if name]

    @property
    def title(self) -> str:
        return self.passages[0].text

    @property
    def abstract(self) -> str:
        return self.passages[1].text if len(self.passages) > 1 else ""

    @property
    def text(self) -> str:
        """The canonical text: passages joined by one newline. All positions count its Unicode code points."""
        return "\n".join(passage.text for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Deletion:
    """PubMed withdraws this record in this version and all earlier ones."""

    pmid: int
    version: int


def iter_citations_and_deletions(stream: BinaryIO, source: str) -> Iterator[Citation | Deletion]:
    """Yield the records of a seekable PubMed XML stream, gzipped or not, in their order and in constant memory.

    source names the stream in errors. FormatError (R401 to R406) at the first fault, after the records before it were
    yielded. Nothing outside the stream is read: no DTD, no entity, no network.
    """
    chunks = _iter_unpacked_chunks(stream, source)
    head = next(chunks, b"")
    _check_pubmed_start(head, source)
    parser = etree.XMLPullParser(
        events=("end",),
        tag=PUBMED_RECORDS,
        load_dtd=False,
        no_network=True,
        resolve_entities=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    yield from _iter_fed_records(parser, head, source)
    for chunk in chunks:
        yield from _iter_fed_records(parser, chunk, source)
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        _raise_syntax_fault(error, source)


def _iter_unpacked_chunks(stream: BinaryIO, source: str) -> Iterator[bytes]:
    start = stream.tell()
    is_gzip = stream.read(2) == b"\x1f\x8b"
    stream.seek(start)
    # read1 returns what can be unpacked before a fault; read would lose it.
    read = gzip.GzipFile(fileobj=stream).read1 if is_gzip else stream.read
    try:
        while chunk := read(PUBMED_CHUNK):
            yield chunk
    except EOFError:
        fix = "download the file again"
        raise FormatError(source, 0, 0, BROKEN_ARCHIVE, f"the gzip archive is truncated - {fix}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        fix = "compare its checksum and download the file again"
        raise FormatError(source, 0, 0, BROKEN_ARCHIVE, f"the gzip archive is damaged ({error}) - {fix}") from None


def _check_pubmed_start(head: bytes, source: str) -> None:
    if not head.strip():
        raise FormatError(source, 1, 1, NOT_PUBMED_XML, "the file is empty - download it again from PubMed as XML")
    if error := ERROR_ELEMENT.search(head, 0, 4096) or ERROR_OBJECT.match(head, 0, 4096):
        quote = _quote_foreign_text(error[1].decode("utf-8", "replace"))
        fix = "try again, or correct the query if the error is about it"
        raise FormatError(source, 1, 1, NCBI_ERROR, f"NCBI sent an error instead of articles, {quote} - {fix}")
    prolog_free = PROLOG.sub(b"", head)
    if DOCTYPE_SUBSET.search(prolog_free):
        fix = "download the file from PubMed, whose files never do"
        raise FormatError(source, 1, 1, DEFINES_ENTITIES, f"the file defines its own entities - {fix}")
    root = ROOT_NAME.search(prolog_free)
    if root is None or root[1].decode() not in PUBMED_SET_ROOTS:
        raise FormatError(source, 1, 1, NOT_PUBMED_XML, _explain_not_pubmed(head, root[1].decode() if root else ""))


def _quote_foreign_text(foreign: str) -> str:
    return quote_file_text(" ".join(foreign.split()), MAX_ERROR_QUOTE_LENGTH)


def _explain_not_pubmed(head: bytes, root: str) -> str:
    if root.lower() == "html" or b"<!doctype html" in head[:1024].lower():
        return "the file is an HTML page from a server or proxy, not PubMed XML - download it again"
    if root:
        problem = f"the root element is {_quote_foreign_text(root)}, not PubMed's <PubmedArticleSet>"
        return f"{problem} - save the articles from PubMed as XML"
    return "the file is not XML - save the articles from PubMed as XML (efetch with retmode=xml)"


def _iter_fed_records(parser: etree.XMLPullParser, chunk: bytes, source: str) -> Iterator[Citation | Deletion]:
    fault = None
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        fault = error
    for _, element in parser.read_events():
        yield from _iter_element_records(element, source)
        _release_element(element)
    if fault is not None:
        _raise_syntax_fault(fault, source)


def _raise_syntax_fault(error: etree.XMLSyntaxError, source: str) -> NoReturn:
    line, column = error.position
    problem = f"the XML is not well-formed here, {_quote_foreign_text(str(error.msg))}"
    text = f"{problem} - it was truncated or edited; download it again"
    raise FormatError(source, line or 0, column or 0, NOT_WELL_FORMED, text) from None


def _release_element(element: Any) -> None:
    element.clear(keep_tail=False)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _iter_element_records(element: Any, source: str) -> Iterator[Citation | Deletion]:
    if element.tag == "PubmedArticle":
        yield _build_article_citation(element, source)
    elif element.tag == "PubmedBookArticle":
        yield _build_book_citation(element, source)
    else:
        for identifier in element.iterfind("PMID"):
            yield Deletion(*_get_pmid_and_version(identifier, element, source))


def _build_article_citation(element: etree._Element, source: str) -> Citation:
    medline_citation = _find_child(element, "MedlineCitation")
    record = element if medline_citation is None else medline_citation
    article = _find_child(record, "Article")
    pmid, version = _get_pmid_and_version(_find_child(record, "PMID"), element, source)
    if article is None:
        return Citation(pmid, version, (TextPassage("title", ""),))
    identifiers = _collect_identifiers_by_type(_find_child(element, "PubmedData/ArticleIdList"), article)
    return Citation(
        pmid,
        version,
        _build_citation_passages(article, ("ArticleTitle", "VernacularTitle")),
        doi=identifiers.get("doi", ""),
        pmcid=identifiers.get("pmc", ""),
        journal=_find_first_text(
            record, "MedlineJournalInfo/MedlineTA", "Article/Journal/ISOAbbreviation", "Article/Journal/Title"
        ),
        year=_find_first_year(article, "Journal/JournalIssue/PubDate", "ArticleDate"),
        volume=_find_first_text(article, "Journal/JournalIssue/Volume"),
        issue=_find_first_text(article, "Journal/JournalIssue/Issue"),
        pages=_find_first_text(article, "Pagination/MedlinePgn", "Pagination/StartPage"),
        authors=_list_citation_authors(article),
        languages=_list_distinct_texts(article, "Language"),
        mesh=_list_mesh_descriptors(_find_child(record, "MeshHeadingList")),
        revised=_format_revision_day(_find_child(record, "DateRevised")),
    )


def _build_book_citation(element: etree._Element, source: str) -> Citation:
    document = _find_child(element, "BookDocument")
    record = element if document is None else document
    pmid, version = _get_pmid_and_version(_find_child(record, "PMID"), element, source)
    identifiers = _collect_identifiers_by_type(_find_child(record, "ArticleIdList"), record)
    is_chapter = _find_child(record, "ArticleTitle") is not None
    return Citation(
        pmid,
        version,
        _build_citation_passages(record, ("ArticleTitle", "VernacularTitle", "Book/BookTitle")),
        doi=identifiers.get("doi", ""),
        pmcid=identifiers.get("pmc", ""),
        journal=_find_first_text(record, "Book/BookTitle") if is_chapter else "",
        year=_find_first_year(record, "Book/PubDate", "ContributionDate"),
        volume=_find_first_text(record, "Book/Volume"),
        pages=_find_first_text(record, "Pagination/MedlinePgn", "Pagination/StartPage"),
        authors=_list_citation_authors(record) or _list_citation_authors(_find_child(record, "Book")),
        languages=_list_distinct_texts(record, "Language"),
        revised=_format_revision_day(_find_child(record, "DateRevised")),
    )


@cache
def _split_path(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _find_child(element: etree._Element | None, path: str) -> etree._Element | None:
    """The element at a path of child names, or None.

    Faster than find(), and equal to it where only the last element may be repeated, as in the DTD.
    """
    for name in _split_path(path):
        if element is None:
            return None
        element = next(element.iterchildren(name), None)
    return element


def _iter_named_children(element: etree._Element | None, name: str) -> Iterable[etree._Element]:
    """The children of that name, none if element is None."""
    return () if element is None else element.iterchildren(name)


def _get_pmid_and_version(identifier: etree._Element | None, record: Any, source: str) -> tuple[int, int]:
    text = "" if identifier is None else _flatten_element(identifier)
    digits = PMID_DIGITS.fullmatch(text)
    if identifier is None or digits is None:
        message = f"a record has {_quote_foreign_text(text)} instead of a PMID - correct or remove the record"
        raise FormatError(source, record.sourceline or 0, 1, BAD_PMID, message)
    version = identifier.get("Version", "1")
    return int(digits[1]), int(version) if version.isdecimal() and len(version) < 5 else 1


def _build_citation_passages(article: etree._Element, title_paths: tuple[str, ...]) -> tuple[TextPassage, ...]:
    texts = (_flatten_element(element) for path in title_paths if (element := _find_child(article, path)) is not None)
    title = TextPassage("title", next((text for text in texts if text.strip()), ""))
    parts = [
        _format_abstract_part(element)
        for element in _iter_named_children(_find_child(article, "Abstract"), "AbstractText")
    ]
    abstract = " ".join(part for part in parts if part)
    return (title, TextPassage("abstract", abstract)) if abstract else (title,)


def _format_abstract_part(element: etree._Element) -> str:
    label = element.get("Label", "").strip()
    text = _flatten_element(element)
    if not text.strip():
        return f"{label}:" if label else ""
    return f"{label}: {text}" if label else text


def _flatten_element(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def _find_first_text(element: etree._Element, *paths: str) -> str:
    for path in paths:
        child = _find_child(element, path)
        if child is not None and (text := _flatten_element(child).strip()):
            return text
    return ""


def _list_distinct_texts(element: etree._Element, name: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(text for child in element.iterchildren(name) if (text := _flatten_element(child).strip()))
    )


def _list_mesh_descriptors(heading_list: etree._Element | None) -> tuple[str, ...]:
    """The names of the descriptors, one per heading, without repetitions."""
    names = (
        ()
        if heading_list is None
        else (_flatten_element(name).strip() for name in heading_list.iterdescendants("DescriptorName"))
    )
    return tuple(dict.fromkeys(filter(None, names)))


def _collect_identifiers_by_type(id_list: etree._Element | None, article: etree._Element) -> dict[str, str]:
    """Identifiers by type; those longer than 255 characters, or 32 for a PMCID, are skipped."""
    pairs = [
        (element.get("EIdType", ""), _flatten_element(element).strip())
        for element in article.iterchildren("ELocationID")
    ]
    pairs += [
        (element.get("IdType", ""), _flatten_element(element).strip())
        for element in _iter_named_children(id_list, "ArticleId")
    ]
    max_lengths = {"pmc": LONGEST_PMCID}
    return {
        id_type: text for id_type, text in pairs if text and len(text) <= max_lengths.get(id_type, LONGEST_IDENTIFIER)
    }


def _find_first_year(element: etree._Element, *paths: str) -> int | None:
    """The year of the first date that has one; of a MedlineDate such as `1979 Dec-1980 Jan` the first year."""
    date_texts = (
        " ".join(map(_flatten_element, date)) for path in paths if (date := _find_child(element, path)) is not None
    )
    return next((int(year[0]) for text in date_texts if (year := PUBMED_YEAR.search(text))), None)


def _format_revision_day(date: etree._Element | None) -> str:
    """The day in ISO format, such as 2026-01-31; empty if the date is incomplete or invalid."""
    if date is None:
        return ""
    parts = {part.tag: _flatten_element(part).strip() for part in date}
    year, month, day = (parts.get(name, "") for name in ("Year", "Month", "Day"))
    return f"{year}-{month:0>2}-{day:0>2}" if DAY.fullmatch(f"{year} {month} {day}") else ""


def _list_citation_authors(element: etree._Element | None) -> tuple[str, ...]:
    """Names such as `McCulloch B` or the name of a group, without those that a later correction removed."""
    authors = (
        author
        for author in _iter_named_children(_find_child(element, "AuthorList"), "Author")
        if author.get("ValidYN") != "N"
    )
    return tuple(name for author in authors if (name := _format_citation_author(author)))


def _format_citation_author(author: etree._Element) -> str:
    parts = {part.tag: _flatten_element(part).strip() for part in author.iterchildren(*AUTHOR_NAME_TAGS)}
    last, initials, fore, group = (parts.get(name, "") for name in AUTHOR_NAME_TAGS)
    return f"{last} {initials or fore}".strip() or group
