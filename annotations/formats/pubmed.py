"""PubMed XML: answers of E-utilities (efetch), baseline and update files, plain or gzipped.

The text is kept as it came: inner markup (<i>, <sup>, MathML) is flattened to its characters, and white space, line
ends in mixed content included, is neither trimmed nor folded, because positions count these very characters. XML
itself turns CR LF into LF and resolves &amp; and &#945;; nothing else is changed. A structured abstract is one passage,
its parts `LABEL: text` joined by one space; a labelled part without text is `LABEL:`, an unlabelled one is left out.
Copyright lines and abstracts in other languages (OtherAbstract) are no part of the text.

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

from annotations.formats.errors import FormatError

BROKEN_ARCHIVE = "R401"
NOT_PUBMED_XML = "R402"
NCBI_ERROR = "R403"
NOT_WELL_FORMED = "R404"
OWN_ENTITIES = "R405"
BAD_PMID = "R406"

CHUNK = 1 << 16
ROOTS = {"PubmedArticleSet", "PubmedBookArticleSet"}
RECORDS = ("PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument")
PMID_DIGITS = re.compile(r"\s*([1-9][0-9]{0,9})\s*")
YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
DAY = re.compile(r"[12][0-9]{3} [0-9]{1,2} [0-9]{1,2}", re.ASCII)
PROLOG = re.compile(rb"<\?.*?\?>|<!--.*?-->", re.DOTALL)
ROOT_NAME = re.compile(rb"<([A-Za-z_][\w.:-]*)")
DOCTYPE_SUBSET = re.compile(rb"<!DOCTYPE[^>\[]*\[")
ERROR_ELEMENT = re.compile(rb"<ERROR>(.*?)</ERROR>", re.DOTALL)
ERROR_OBJECT = re.compile(rb"\s*\{.*?\"error\"\s*:\s*\"([^\"]*)\"", re.DOTALL)
PARTS_OF_A_NAME = ("LastName", "Initials", "ForeName", "CollectiveName")
LONGEST_IDENTIFIER = 255
LONGEST_PMCID = 32
LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Passage:
    type: str  # "title" or "abstract"
    text: str


@dataclass(frozen=True, slots=True)
class Citation:
    """One record of PubMed. doi, pmcid, journal, volume, issue, pages and revised, the day of its last revision
    (2026-01-31), are "" and year None when not given."""

    pmid: int
    version: int
    passages: tuple[Passage, ...]
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
    def names(self) -> list[str]:
        """By each of them it is known: PMID, PMCID, DOI."""
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
    """PubMed withdraws this record, in this version and all before it."""

    pmid: int
    version: int


def read_citations(stream: BinaryIO, source: str) -> Iterator[Citation | Deletion]:
    """The records of a seekable PubMed XML stream, gzipped or not, in their order, one at a time in constant memory.

    source names the stream in errors. Raises FormatError (R401-R406) when the stream is broken; what was read whole
    before the fault has been yielded by then. Nothing outside the stream is read: no DTD, no entity, no network.
    """
    chunks = _chunks(stream, source)
    head = next(chunks, b"")
    _check_start(head, source)
    parser = etree.XMLPullParser(
        events=("end",),
        tag=RECORDS,
        load_dtd=False,
        no_network=True,
        resolve_entities=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    yield from _fed(parser, head, source)
    for chunk in chunks:
        yield from _fed(parser, chunk, source)
    try:
        parser.close()
    except etree.XMLSyntaxError as error:
        _refuse_syntax(error, source)


def _chunks(stream: BinaryIO, source: str) -> Iterator[bytes]:
    start = stream.tell()
    zipped = stream.read(2) == b"\x1f\x8b"
    stream.seek(start)
    # read1 gives what can be unpacked before a fault, where read would lose it.
    read = gzip.GzipFile(fileobj=stream).read1 if zipped else stream.read
    try:
        while chunk := read(CHUNK):
            yield chunk
    except EOFError:
        mend = "the download broke off; fetch the file again"
        raise FormatError(source, 0, 0, BROKEN_ARCHIVE, f"the gzip archive is cut off - {mend}") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        mend = "compare its checksum and fetch the file again"
        raise FormatError(source, 0, 0, BROKEN_ARCHIVE, f"the gzip archive is damaged ({error}) - {mend}") from None


def _check_start(head: bytes, source: str) -> None:
    if not head.strip():
        raise FormatError(source, 1, 1, NOT_PUBMED_XML, "the file is empty - fetch it again from PubMed as XML")
    if said := ERROR_ELEMENT.search(head, 0, 4096) or ERROR_OBJECT.match(head, 0, 4096):
        quote = _quoted(said[1].decode("utf-8", "replace"))
        mend = "ask again, or mend the question if it says so"
        raise FormatError(source, 1, 1, NCBI_ERROR, f"NCBI sent an error instead of articles, {quote} - {mend}")
    prolog_free = PROLOG.sub(b"", head)
    if DOCTYPE_SUBSET.search(prolog_free):
        mend = "PubMed's own files never do; take the file from PubMed"
        raise FormatError(source, 1, 1, OWN_ENTITIES, f"the file defines entities of its own - {mend}")
    root = ROOT_NAME.search(prolog_free)
    if root is None or root[1].decode() not in ROOTS:
        raise FormatError(source, 1, 1, NOT_PUBMED_XML, _not_pubmed(head, root[1].decode() if root else ""))


def _quoted(foreign: str) -> str:
    """Foreign text fit for one line of a message."""
    line = "".join(character if character.isprintable() else "\ufffd" for character in " ".join(foreign.split()))
    return f"“{line if len(line) <= LONGEST_QUOTE else line[:LONGEST_QUOTE] + '…'}”"


def _not_pubmed(head: bytes, root: str) -> str:
    if root.lower() == "html" or b"<!doctype html" in head[:1024].lower():
        return "the file is an HTML page, not PubMed XML - a server or proxy answered instead of PubMed; fetch it again"
    if root:
        return f"the file holds {_quoted(root)}, not PubMed's <PubmedArticleSet> - save the articles from PubMed as XML"
    return "the file is not XML - save the articles from PubMed as XML (efetch with retmode=xml)"


def _fed(parser: etree.XMLPullParser, chunk: bytes, source: str) -> Iterator[Citation | Deletion]:
    fault = None
    try:
        parser.feed(chunk)
    except etree.XMLSyntaxError as error:
        fault = error
    for _, element in parser.read_events():
        yield from _records(element, source)
        _forget(element)
    if fault is not None:
        _refuse_syntax(fault, source)


def _refuse_syntax(error: etree.XMLSyntaxError, source: str) -> NoReturn:
    line, column = error.position
    text = f"the XML is broken here, {_quoted(str(error.msg))} - it was cut off or edited; fetch it again"
    raise FormatError(source, line or 0, column or 0, NOT_WELL_FORMED, text) from None


def _forget(element: Any) -> None:
    element.clear(keep_tail=False)
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def _records(element: Any, source: str) -> Iterator[Citation | Deletion]:
    if element.tag == "PubmedArticle":
        yield _article(element, source)
    elif element.tag == "PubmedBookArticle":
        yield _book(element, source)
    else:
        for identifier in element.iterfind("PMID"):
            yield Deletion(*_pmid(identifier, element, source))


def _article(element: etree._Element, source: str) -> Citation:
    cited = _find(element, "MedlineCitation")
    record = element if cited is None else cited
    article = _find(record, "Article")
    pmid, version = _pmid(_find(record, "PMID"), element, source)
    if article is None:
        return Citation(pmid, version, (Passage("title", ""),))
    identifiers = _identifiers(_find(element, "PubmedData/ArticleIdList"), article)
    return Citation(
        pmid,
        version,
        _passages(article, ("ArticleTitle", "VernacularTitle")),
        doi=identifiers.get("doi", ""),
        pmcid=identifiers.get("pmc", ""),
        journal=_first(
            record, "MedlineJournalInfo/MedlineTA", "Article/Journal/ISOAbbreviation", "Article/Journal/Title"
        ),
        year=_year(article, "Journal/JournalIssue/PubDate", "ArticleDate"),
        volume=_first(article, "Journal/JournalIssue/Volume"),
        issue=_first(article, "Journal/JournalIssue/Issue"),
        pages=_first(article, "Pagination/MedlinePgn", "Pagination/StartPage"),
        authors=_authors(article),
        languages=_each(article, "Language"),
        mesh=_mesh(_find(record, "MeshHeadingList")),
        revised=_day(_find(record, "DateRevised")),
    )


def _book(element: etree._Element, source: str) -> Citation:
    document = _find(element, "BookDocument")
    record = element if document is None else document
    pmid, version = _pmid(_find(record, "PMID"), element, source)
    identifiers = _identifiers(_find(record, "ArticleIdList"), record)
    chapter = _find(record, "ArticleTitle") is not None
    return Citation(
        pmid,
        version,
        _passages(record, ("ArticleTitle", "VernacularTitle", "Book/BookTitle")),
        doi=identifiers.get("doi", ""),
        pmcid=identifiers.get("pmc", ""),
        journal=_first(record, "Book/BookTitle") if chapter else "",
        year=_year(record, "Book/PubDate", "ContributionDate"),
        volume=_first(record, "Book/Volume"),
        pages=_first(record, "Pagination/MedlinePgn", "Pagination/StartPage"),
        authors=_authors(record) or _authors(_find(record, "Book")),
        languages=_each(record, "Language"),
        revised=_day(_find(record, "DateRevised")),
    )


@cache
def _steps(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _find(element: etree._Element | None, path: str) -> etree._Element | None:
    """What find() gives where no child comes twice before the last, as in the DTD; it takes several times as long."""
    for name in _steps(path):
        if element is None:
            return None
        element = next(element.iterchildren(name), None)
    return element


def _all(element: etree._Element | None, name: str) -> Iterable[etree._Element]:
    """The children of that name; none of nothing."""
    return () if element is None else element.iterchildren(name)


def _pmid(identifier: etree._Element | None, record: Any, source: str) -> tuple[int, int]:
    given = "" if identifier is None else _flat(identifier)
    digits = PMID_DIGITS.fullmatch(given)
    if identifier is None or digits is None:
        message = f"a record has {_quoted(given)} where its PMID should be - mend or remove the record"
        raise FormatError(source, record.sourceline or 0, 1, BAD_PMID, message)
    version = identifier.get("Version", "1")
    return int(digits[1]), int(version) if version.isdecimal() and len(version) < 5 else 1


def _passages(article: etree._Element, titles: tuple[str, ...]) -> tuple[Passage, ...]:
    found = (_flat(element) for path in titles if (element := _find(article, path)) is not None)
    title = Passage("title", next((text for text in found if text.strip()), ""))
    parts = [_part(element) for element in _all(_find(article, "Abstract"), "AbstractText")]
    abstract = " ".join(part for part in parts if part)
    return (title, Passage("abstract", abstract)) if abstract else (title,)


def _part(element: etree._Element) -> str:
    label = element.get("Label", "").strip()
    text = _flat(element)
    if not text.strip():
        return f"{label}:" if label else ""
    return f"{label}: {text}" if label else text


def _flat(element: etree._Element) -> str:
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def _first(element: etree._Element, *paths: str) -> str:
    for path in paths:
        found = _find(element, path)
        if found is not None and (text := _flat(found).strip()):
            return text
    return ""


def _each(element: etree._Element, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for found in element.iterchildren(name) if (text := _flat(found).strip())))


def _mesh(listed: etree._Element | None) -> tuple[str, ...]:
    """The descriptors, of which each heading has one."""
    names = () if listed is None else (_flat(name).strip() for name in listed.iterdescendants("DescriptorName"))
    return tuple(dict.fromkeys(filter(None, names)))


def _identifiers(listed: etree._Element | None, article: etree._Element) -> dict[str, str]:
    """Identifiers by their sort; one that is too long to be any (over 255 characters, a PMCID over 32) is left out."""
    pairs = [(found.get("EIdType", ""), _flat(found).strip()) for found in article.iterchildren("ELocationID")]
    pairs += [(found.get("IdType", ""), _flat(found).strip()) for found in _all(listed, "ArticleId")]
    longest = {"pmc": LONGEST_PMCID}
    return {sort: text for sort, text in pairs if text and len(text) <= longest.get(sort, LONGEST_IDENTIFIER)}


def _year(element: etree._Element, *paths: str) -> int | None:
    """The year of the first date that has one; a MedlineDate such as `1979 Jul-Sep` gives its first."""
    dates = (" ".join(map(_flat, found)) for path in paths if (found := _find(element, path)) is not None)
    return next((int(year[0]) for date in dates if (year := YEAR.search(date))), None)


def _day(date: etree._Element | None) -> str:
    """2026-01-31, so that days sort as texts; "" for what is no date."""
    if date is None:
        return ""
    parts = {part.tag: _flat(part).strip() for part in date}
    year, month, day = (parts.get(name, "") for name in ("Year", "Month", "Day"))
    return f"{year}-{month:0>2}-{day:0>2}" if DAY.fullmatch(f"{year} {month} {day}") else ""


def _authors(element: etree._Element | None) -> tuple[str, ...]:
    """Names as `McCulloch B` or the name of a group, without those that a later correction struck out."""
    listed = (author for author in _all(_find(element, "AuthorList"), "Author") if author.get("ValidYN") != "N")
    return tuple(name for author in listed if (name := _name(author)))


def _name(author: etree._Element) -> str:
    parts = {part.tag: _flat(part).strip() for part in author.iterchildren(*PARTS_OF_A_NAME)}
    last, initials, fore, group = (parts.get(name, "") for name in PARTS_OF_A_NAME)
    return f"{last} {initials or fore}".strip() or group
