"""Articles from annotated text (PubTator, BioC in XML and JSON, PubAnnotation), with what the files say of them.

The characters of every passage stay as they are. Positions are brought from the file's way of counting to that of the
canonical text: they differ where passages stand apart by more than one separator, and where the parts of an abstract
become one passage.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from annotations.formats.article_parts import Part, Placed, divide, parts_of, placed, placed_as_written, written_parts
from annotations.formats.bioc_documents import CANONICAL, BiocReading, Document
from annotations.formats.bioc_json import fill_from_json
from annotations.formats.bioc_xml import fill_from_xml
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.mentions import InteractionPair, Mention, Mentions
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.plain_articles import passages_of_text
from annotations.formats.pubannotation import fill_from_pubannotation
from annotations.formats.pubtator import PubTatorReading, fill_from_pubtator
from annotations.formats.read_article import LONGEST_TYPE, Name, ReadArticle, ReadFile, checked, name_of
from annotations.formats.sniffing import Format
from annotations.formats.tsv_faults import quoted

NO_TEXT = "R446"
# Who brings articles is told every mention that differs, not only the first hundred.
MOST_WARNINGS = 10_000
YEAR = re.compile(r"\b(1[5-9]|2[0-9])[0-9]{2}\b")
LONGEST_AUTHOR = 200


@dataclass(slots=True)
class Source:
    """What a file gives of one document besides what is said of it; infons by plain keys; canonical: whether it says
    that the parts are the passages of a canonical text, those of the site that wrote it."""

    parts: list[Part] = field(default_factory=list)
    infons: Mapping[str, str] = field(default_factory=dict)
    canonical: bool = False

    def placed(self) -> Placed:
        return placed_as_written(self.parts) if self.canonical else placed(self.parts)


class ArticlesOfBioc(BiocReading):
    """A file of BioC, with its texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PlacedFaults(source, MOST_WARNINGS)
        self.sources: dict[str, Source] = {}
        self.last = ""

    def named(self, name: str, line: int, column: int) -> str:
        self.last = super().named(name, line, column)
        return self.last

    def take(self, document: Document) -> None:
        super().take(document)
        infons = document.passages[0].infons if document.passages else {}
        self.sources[self.last] = self.source_of(document, {**infons, **document.infons})

    def source_of(self, document: Document, infons: Mapping[str, str]) -> Source:
        key, value = CANONICAL
        if infons.get(key) == value:
            return Source(written_parts(document.passages), infons, canonical=True)
        return Source(parts_of(document.passages), infons)


class ArticlesOfPubAnnotation(ArticlesOfBioc):
    """A file of PubAnnotation, with its texts, whose first line is the title unless divisions tell the passages."""

    def source_of(self, document: Document, infons: Mapping[str, str]) -> Source:
        text = "".join(passage.text for passage in document.passages)
        if divide(text, document.divisions):
            told = [Part(start, label[:LONGEST_TYPE], text[start:end]) for start, end, label in document.divisions]
            return Source(told, infons, canonical=True)
        parts: list[Part] = []
        for passage in passages_of_text(text):
            at = parts[-1].end + 1 if parts else 0
            parts.append(Part(at, passage.type, passage.text))
        return Source(parts, infons)


class ArticlesOfPubTator(PubTatorReading):
    """A file of PubTator, with its texts."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.warnings = PlacedFaults(source, MOST_WARNINGS)
        self.sources: dict[str, Source] = {}

    def take_text(self, number: int, document: str, part: str, text: str) -> None:
        super().take_text(number, document, part, text)
        parts: list[Part] = []
        for sort, kind in (("t", "title"), ("a", "abstract")):
            if sort in self.texts:
                at = parts[-1].end + 1 if parts else 0
                parts.append(Part(at, kind, self.texts[sort]))
        self.sources[document] = Source(parts)


Reading = ArticlesOfBioc | ArticlesOfPubTator
READERS: Mapping[Format, tuple[Callable[[str], Reading], Callable[[BinaryIO, Any], Mentions]]] = {
    Format.PUBTATOR: (ArticlesOfPubTator, fill_from_pubtator),
    Format.BIOC_XML: (ArticlesOfBioc, fill_from_xml),
    Format.BIOC_JSON: (ArticlesOfBioc, fill_from_json),
    Format.PUBANNOTATION: (ArticlesOfPubAnnotation, fill_from_pubannotation),
}


def read_annotated(stream: BinaryIO, source: str, form: Format) -> ReadFile:
    """The articles of a seekable stream in one of the four formats; source is its name in faults and warnings.

    RefusedFileError with all faults of the file, those of articles that cannot be stored (R447 to R449) among them. A
    document without text is left out and warned of (R446).
    """
    make, fill = READERS[form]
    reading = make(source)
    own = fill(stream, reading)
    return _Gathering(source, own, reading.sources).file()


class _Gathering:
    """Puts together what stands in several places of a reading."""

    def __init__(self, source: str, own: Mentions, sources: Mapping[str, Source]) -> None:
        self.source, self.own, self.sources = source, own, sources
        self.warnings = list(own.warnings)
        self.faults: list[FormatError] = []
        self.mentions: dict[str, list[Mention]] = defaultdict(list)
        self.pairs: dict[str, list[InteractionPair]] = defaultdict(list)

    def file(self) -> ReadFile:
        for mention in self.own.mentions:
            self.mentions[mention.document].append(mention)
        for pair in self.own.pairs:
            self.pairs[pair.document].append(pair)
        articles = list(self.articles())
        if self.faults:
            raise RefusedFileError(self.faults)
        return ReadFile(articles, self.warnings, annotated=True)

    def articles(self) -> Iterator[ReadArticle]:
        for document in self.own.documents:
            source = self.sources.get(document, Source())
            if not any(part.text.strip() for part in source.parts):
                said = f"the document {quoted(document)} has no text, so it is left out - write its title or abstract"
                self.warn(NO_TEXT, 0, said)
                continue
            try:
                yield checked(self.article(document, source), self.source)
            except FormatError as error:
                self.faults.append(error)

    def article(self, document: str, source: Source) -> ReadArticle:
        text = source.placed()
        name = name_in(document, source.infons)
        return ReadArticle(
            name,
            text.passages,
            **described(source.infons),
            source_id="" if name else document,
            pairs=tuple(self.pairs[document]),
            mentions=tuple(self.moved(text, document)),
            relevant=self.own.relevant.get(document),
        )

    def moved(self, text: Placed, document: str) -> Iterator[Mention]:
        """The mentions of a document at their places in its text; one that stands in none is left out and told."""
        for mention in self.mentions[document]:
            if place := text.at(mention.start, mention.end):
                yield replace(mention, start=place[0], end=place[1])
            else:
                said = f"the mention {quoted(mention.text)} stands at {mention.start}, between passages"
                self.warn("R655", mention.line, f"{said}, so it is left out - mend its offset")

    def warn(self, rule: str, line: int, message: str) -> None:
        self.warnings.append(FormatError(self.source, line, 1 if line else 0, rule, message))


def name_in(document: str, infons: Mapping[str, str]) -> Name:
    """The names of an article by its id in the file and by what PubMed Central writes beside it."""
    pmcid = infons.get("articleidpmc", "").strip().upper().removeprefix("PMC")
    pmid = name_of(infons.get("articleidpmid", "")).pmid
    own = Name() if pmcid and document.upper().removeprefix("PMC") == pmcid else name_of(document)
    found = name_of(f"PMC{pmcid}") if pmcid else Name()
    return Name(own.pmid or pmid, own.pmcid or found.pmcid, own.doi or name_of(infons.get("articleiddoi", "")).doi)


def described(infons: Mapping[str, str]) -> dict[str, Any]:
    """Journal, year and authors, as PubTator and PubMed Central write them."""
    year = YEAR.search(infons.get("year", "")) or YEAR.search(infons.get("journal", ""))
    authors = [part.strip()[:LONGEST_AUTHOR] for part in infons.get("authors", "").split(",")]
    return {
        "journal": infons.get("journaltitle", "") or infons.get("journal", "").split(";")[0].strip(),
        "year": int(year[0]) if year else None,
        "authors": tuple(author for author in authors if author),
    }
