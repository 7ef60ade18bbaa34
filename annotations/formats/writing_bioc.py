"""BioC in XML and in JSON: passages at their offsets, mentions in them, and all else as relations of the document.

Infons carry what BioC has no element for: producer, server and the version of its system, kind, confidence, rank,
database, identifier, taxon. What is said of the article as a whole is a relation without nodes; an interaction pair is
one of type PPI with Gene1 and Gene2. A producer that looked for a kind and found nothing is a relation of type `none`.
Offsets count code points.
Source: BioC.dtd, Comeau et al. 2013, doi:10.1093/database/bat064.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from annotations.formats.bioc_documents import CANONICAL
from annotations.formats.collected import AnnotatedArticle, NamedProducer, Statement, said_in, words_of
from annotations.formats.pubmed import Passage
from annotations.kinds import Finding, Kind

Infons = Mapping[str, str]
NOTHING = "none"
# What no XML 1.0 can hold, not even as a reference.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"
XML_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
    "<collection><source>BioCreative Meta-Server</source><date/><key>bcms</key>\n"
)
JSON_HEAD = '{"source": "BioCreative Meta-Server", "date": "", "key": "bcms", "infons": {}, "documents": [\n'


@dataclass(frozen=True, slots=True)
class WrittenMention:
    id: str
    infons: Infons
    start: int
    end: int
    text: str


@dataclass(slots=True)
class WrittenPassage:
    offset: int
    passage: Passage
    mentions: list[WrittenMention] = field(default_factory=list)

    @property
    def infons(self) -> Infons:
        return {"type": self.passage.type}


@dataclass(frozen=True, slots=True)
class WrittenRelation:
    id: str
    infons: Infons


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    id: str
    infons: Infons
    passages: list[WrittenPassage]
    relations: list[WrittenRelation]


def write_bioc_xml(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, a document at a time. Characters that XML cannot hold become U+FFFD, so that offsets stay."""
    yield XML_HEAD
    for article in articles:
        yield "".join(xml_of(document_of(article)))
    yield "</collection>\n"


def write_bioc_json(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """One collection, a document a line."""
    between = JSON_HEAD
    for article in articles:
        yield between + json.dumps(json_of(document_of(article)), ensure_ascii=False)
        between = ",\n"
    yield (JSON_HEAD if between == JSON_HEAD else "\n") + "]}\n"


def document_of(article: AnnotatedArticle) -> WrittenDocument:
    """The article with its mentions in the passages where they start."""
    passages = [WrittenPassage(start, passage) for start, passage in article.placed()]
    for number, (producer, finding) in enumerate(article.of_kind(Kind.MENTION), 1):
        if finding.start is not None and finding.end is not None:
            mention = WrittenMention(
                f"T{number}", infons_of(producer, finding), finding.start, finding.end, finding.text
            )
            passage_at(passages, finding.start).mentions.append(mention)
    relations = (infons for statement in article.statements for infons in relations_of(statement))
    numbered = [WrittenRelation(f"R{number}", infons) for number, infons in enumerate(relations, 1)]
    return WrittenDocument(article.id, infons_of_article(article), passages, numbered)


def passage_at(passages: list[WrittenPassage], start: int) -> WrittenPassage:
    """The last passage that begins at or before a position."""
    low, high = 0, len(passages)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passages[middle].offset <= start else (low, middle)
    return passages[low]


def infons_of_article(article: AnnotatedArticle) -> Infons:
    """The keys of PubMed Central's BioC where there are any."""
    relevant = article.only_class()
    given = {
        "article-id_pmid": str(article.name.pmid or ""),
        "article-id_pmc": article.name.pmcid.removeprefix("PMC"),
        "article-id_doi": article.name.doi,
        "journal-title": article.journal,
        "year": str(article.year or ""),
        "authors": ", ".join(article.authors),
        "relevant": "" if relevant is None else words_of(relevant),
        "text_version": str(article.text_version),
    }
    return {key: value for key, value in given.items() if value} | dict([CANONICAL])


def infons_of(producer: NamedProducer, finding: Finding) -> Infons:
    """Who says it and all of a finding but its place, which BioC has elements for."""
    said = {key: words_of(value) for key, value in said_in(finding).items() if key not in ("start", "end")}
    if finding.kind is Kind.MENTION:
        said.pop("text", None)
    return of_producer(producer, finding.kind) | said


def of_producer(producer: NamedProducer, kind: Kind) -> dict[str, str]:
    given = producer.told() | {"kind": kind.value}
    return {key: value for key, value in given.items() if value}


def relations_of(statement: Statement) -> Iterator[Infons]:
    """The infons of the relations that say what is not said of a place."""
    if not statement.findings:
        yield {"type": NOTHING} | of_producer(statement.producer, statement.kind)
    elif statement.kind is not Kind.MENTION:
        for finding in statement.findings:
            yield {**relation_type(finding), **infons_of(statement.producer, finding)}


def relation_type(finding: Finding) -> dict[str, str]:
    if finding.kind is not Kind.PAIR:
        return {"type": finding.kind.value}
    return {"type": "PPI", "Gene1": finding.identifier, "Gene2": finding.partner}


def xml_of(document: WrittenDocument) -> Iterator[str]:
    yield f"<document><id>{in_xml(document.id)}</id>{xml_infons(document.infons)}\n"
    for passage in document.passages:
        yield f"<passage>{xml_infons(passage.infons)}<offset>{passage.offset}</offset>"
        yield f"<text>{in_xml(passage.passage.text)}</text>\n"
        for mention in passage.mentions:
            place = f'<location offset="{mention.start}" length="{mention.end - mention.start}"/>'
            text = f"<text>{in_xml(mention.text)}</text>"
            yield f'<annotation id="{mention.id}">{xml_infons(mention.infons)}{place}{text}</annotation>\n'
        yield "</passage>\n"
    for relation in document.relations:
        yield f'<relation id="{relation.id}">{xml_infons(relation.infons)}</relation>\n'
    yield "</document>\n"


def xml_infons(infons: Infons) -> str:
    return "".join(f"<infon key={quoteattr(key)}>{in_xml(value)}</infon>" for key, value in infons.items())


def in_xml(text: str) -> str:
    """The text as content of an element, code point for code point; a bare CR would be read as LF."""
    return escape(NOT_IN_XML.sub(REPLACEMENT, text), {"\r": "&#13;"})


def json_of(document: WrittenDocument) -> dict[str, object]:
    return {
        "id": document.id,
        "infons": document.infons,
        "passages": [json_passage(passage) for passage in document.passages],
        "annotations": [],
        "relations": [{"id": relation.id, "infons": relation.infons, "nodes": []} for relation in document.relations],
    }


def json_passage(passage: WrittenPassage) -> dict[str, object]:
    return {
        "offset": passage.offset,
        "infons": passage.infons,
        "text": passage.passage.text,
        "sentences": [],
        "annotations": [json_mention(mention) for mention in passage.mentions],
        "relations": [],
    }


def json_mention(mention: WrittenMention) -> dict[str, object]:
    locations = [{"offset": mention.start, "length": mention.end - mention.start}]
    return {"id": mention.id, "infons": mention.infons, "text": mention.text, "locations": locations}
