"""PubAnnotation: a list of documents, in each a track for every producer and version of its system.

A mention is a denotation; what is said of the article as a whole is a denotation of the whole text that its attribute
`scope` calls `document`; attributes carry confidence, rank, database, identifier and the rest. A pair is two such
denotations and the relation PPI between them. Divisions tell passages; positions count code points.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from annotations.formats.bioc_documents import OF_DOCUMENT
from annotations.formats.collected import AnnotatedArticle, NamedProducer, Statement, said_in
from annotations.kinds import Finding, Kind

Json = dict[str, object]
UNTYPED = "mention"


@dataclass(slots=True)
class Track:
    """What one producer says; ids are of the track. end: of the text, in code points."""

    producer: NamedProducer
    end: int
    kinds: list[str] = field(default_factory=list)
    denotations: list[Json] = field(default_factory=list)
    relations: list[Json] = field(default_factory=list)
    attributes: list[Json] = field(default_factory=list)

    def take(self, statement: Statement) -> None:
        self.kinds.append(statement.kind.value)
        for finding in statement.findings:
            self.finding(finding)

    def finding(self, finding: Finding) -> None:
        said = dict(said_in(finding))
        if finding.kind is Kind.MENTION:
            subject = self.denote(int(said.pop("start")), int(said.pop("end")), finding.type or UNTYPED)
            said.pop("text", None)
            # An object with a colon is read as type and identifier.
            if ":" not in finding.type and finding.type != UNTYPED:
                said.pop("type", None)
        elif finding.kind is Kind.PAIR:
            subject = self.relate(finding)
        else:
            subject = self.denote(0, self.end, finding.kind.value)
            self.tell(subject, dict([OF_DOCUMENT]))
        self.tell(subject, {"kind": finding.kind.value, **said})

    def denote(self, begin: int, end: int, what: str) -> str:
        name = f"T{len(self.denotations) + 1}"
        self.denotations.append({"id": name, "span": {"begin": begin, "end": end}, "obj": what})
        return name

    def relate(self, finding: Finding) -> str:
        """The relation of two partners, each a denotation of the whole text."""
        partners = [self.denote(0, self.end, "Protein") for _ in range(2)]
        for partner, identifier in zip(partners, (finding.identifier, finding.partner), strict=True):
            self.tell(partner, {**dict([OF_DOCUMENT]), "identifier": identifier})
        name = f"R{len(self.relations) + 1}"
        self.relations.append({"id": name, "pred": "PPI", "subj": partners[0], "obj": partners[1]})
        return name

    def tell(self, subject: str, said: Mapping[str, object]) -> None:
        for key, value in said.items():
            name = f"A{len(self.attributes) + 1}"
            self.attributes.append({"id": name, "subj": subject, "pred": key, "obj": value})

    def json(self) -> Json:
        own = {"project": self.producer.server or self.producer.name, **self.producer.told(), "kinds": self.kinds}
        parts = {"denotations": self.denotations, "relations": self.relations, "attributes": self.attributes}
        return {**own, **parts}


def write_pubannotation(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A list, a document a line."""
    between = "[\n"
    for article in articles:
        yield between + json.dumps(document_of(article), ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def document_of(article: AnnotatedArticle) -> Json:
    name = article.name
    ids = {"pmcid": name.pmcid, "doi": name.doi, "journal": article.journal, "year": article.year}
    return {
        "sourcedb": "PubMed" if name.pmid else "BCMS",
        "sourceid": article.id,
        **{key: value for key, value in ids.items() if value},
        "text_version": article.text_version,
        "text": article.text,
        "divisions": [
            {"span": {"begin": start, "end": start + len(passage.text)}, "label": passage.type}
            for start, passage in article.placed()
        ],
        "tracks": [track.json() for track in tracks_of(article.statements, len(article.text))],
    }


def tracks_of(statements: Sequence[Statement], end: int) -> Iterator[Track]:
    """A track for each producer in each version; the statements of one follow each other."""
    for producer, own in groupby(statements, key=lambda statement: statement.producer):
        track = Track(producer, end)
        for statement in own:
            track.take(statement)
        yield track
