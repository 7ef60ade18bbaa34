"""Writes PubAnnotation: a list of documents, each with a track for every producer and version of its system.

A mention is a denotation. An annotation of the whole article is a denotation of the whole text with the attribute
`scope` set to `document`; attributes hold confidence, rank, database, identifier and other fields. A pair is two such
denotations and the relation PPI between them. Divisions are the passages; positions count code points.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    ProducerResult,
    build_nonempty_export_fields,
)
from annotations.formats.bioc.documents import DOCUMENT_SCOPE_INFON
from annotations.schema import AnnotationData, Kind

PubAnnotationJson = dict[str, object]
PUBANNOTATION_DEFAULT_TYPE = "mention"


@dataclass(slots=True)
class PubAnnotationTrack:
    """The annotations of one producer. IDs are unique in the track; end: the end of the text, in code points."""

    producer: ExportedProducer
    end: int
    kinds: list[str] = field(default_factory=list)
    denotations: list[PubAnnotationJson] = field(default_factory=list)
    relations: list[PubAnnotationJson] = field(default_factory=list)
    attributes: list[PubAnnotationJson] = field(default_factory=list)

    def add_result(self, result: ProducerResult) -> None:
        self.kinds.append(result.kind.value)
        for annotation in result.annotations:
            self.add_annotation(annotation)

    def add_annotation(self, annotation: AnnotationData) -> None:
        fields = dict(build_nonempty_export_fields(annotation))
        if annotation.kind is Kind.MENTION:
            subject = self.add_denotation(
                int(fields.pop("start")), int(fields.pop("end")), annotation.type or PUBANNOTATION_DEFAULT_TYPE
            )
            fields.pop("text", None)
            # Readers split an object with a colon into type and identifier.
            if ":" not in annotation.type and annotation.type != PUBANNOTATION_DEFAULT_TYPE:
                fields.pop("type", None)
        elif annotation.kind is Kind.PAIR:
            subject = self.add_relation(annotation)
        else:
            subject = self.add_denotation(0, self.end, annotation.kind.value)
            self.add_attributes(subject, dict([DOCUMENT_SCOPE_INFON]))
        self.add_attributes(subject, {"kind": annotation.kind.value, **fields})

    def add_denotation(self, begin: int, end: int, object_text: str) -> str:
        denotation_id = f"T{len(self.denotations) + 1}"
        self.denotations.append({"id": denotation_id, "span": {"begin": begin, "end": end}, "obj": object_text})
        return denotation_id

    def add_relation(self, annotation: AnnotationData) -> str:
        """Add the relation between two partners, each a denotation of the whole text."""
        partners = [self.add_denotation(0, self.end, "Protein") for _ in range(2)]
        for partner, identifier in zip(partners, (annotation.identifier, annotation.partner), strict=True):
            self.add_attributes(partner, {**dict([DOCUMENT_SCOPE_INFON]), "identifier": identifier})
        relation_id = f"R{len(self.relations) + 1}"
        self.relations.append({"id": relation_id, "pred": "PPI", "subj": partners[0], "obj": partners[1]})
        return relation_id

    def add_attributes(self, subject: str, values: Mapping[str, object]) -> None:
        for key, value in values.items():
            attribute_id = f"A{len(self.attributes) + 1}"
            self.attributes.append({"id": attribute_id, "subj": subject, "pred": key, "obj": value})

    def build_json(self) -> PubAnnotationJson:
        header = {
            "project": self.producer.server or self.producer.name,
            **self.producer.export_fields(),
            "kinds": self.kinds,
        }
        annotations = {"denotations": self.denotations, "relations": self.relations, "attributes": self.attributes}
        return {**header, **annotations}


def write_pubannotation(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A JSON list with one document per line."""
    separator = "[\n"
    for article in articles:
        yield separator + json.dumps(_build_pubannotation_document(article), ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _build_pubannotation_document(article: AnnotatedArticle) -> PubAnnotationJson:
    ids = article.ids
    metadata = {"pmcid": ids.pmcid, "doi": ids.doi, "journal": article.journal, "year": article.year}
    return {
        "sourcedb": "PubMed" if ids.pmid else "BCMS",
        "sourceid": article.id,
        **{key: value for key, value in metadata.items() if value},
        "text_version": article.text_version,
        "text": article.text,
        "divisions": [
            {"span": {"begin": start, "end": start + len(passage.text)}, "label": passage.type}
            for start, passage in article.iter_passage_offsets()
        ],
        "tracks": [track.build_json() for track in _iter_pubannotation_tracks(article.results, len(article.text))],
    }


def _iter_pubannotation_tracks(results: Sequence[ProducerResult], end: int) -> Iterator[PubAnnotationTrack]:
    """A track for each producer and version, whose results must follow each other."""
    for producer, producer_results in groupby(results, key=lambda result: result.producer):
        track = PubAnnotationTrack(producer, end)
        for result in producer_results:
            track.add_result(result)
        yield track
