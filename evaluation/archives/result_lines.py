"""Results as lines of JSON, one per article: what a producer annotated, when, and how long it took."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from annotations.articles.models import Article
from annotations.results.annotation_rows import build_relation_detail, parse_stored_curie, read_relation_detail
from annotations.results.models import Producer, Result
from annotations.results.storage import store_annotations
from annotations.schema import AnnotationData, Kind, Span
from evaluation.archives.errors import GET_ARCHIVE_AGAIN, ChallengeArchiveError
from evaluation.scoring.result_records import (
    ResultRecord,
    ResultRecords,
)

RESTORED_RESULTS_PER_INSERT = 5000


def iter_result_record_json_lines(records: ResultRecords) -> Iterator[str]:
    return (
        json.dumps(build_result_record_document(record), ensure_ascii=False, allow_nan=False) + "\n"
        for record in records.records
    )


def build_result_record_document(record: ResultRecord) -> dict[str, Any]:
    annotations = [_build_annotation_document(annotation) for annotation in record.annotations]
    document = {"article": record.article, "received": record.received.isoformat(), "findings": annotations}
    duration = {} if record.seconds is None else {"seconds": record.seconds}
    details = {name: value for name, value in (("reason", record.reason), ("version", record.version)) if value}
    superseded = {} if record.superseded is None else {"superseded": record.superseded.isoformat()}
    return document | duration | details | superseded


def _build_annotation_document(annotation: AnnotationData) -> dict[str, Any]:
    """The fields of an annotation that are not empty; spans as pairs, identifiers as stored CURIEs."""
    values = {each.name: getattr(annotation, each.name) for each in fields(annotation) if each.name != "kind"}
    values = {name: value for name, value in values.items() if value not in (None, "", ())}
    if annotation.identifiers:
        values["identifiers"] = [each.curie for each in annotation.identifiers]
    if annotation.relation is not None:
        values["relation"] = build_relation_detail(annotation.relation)
    return values


def _parse_annotation_document(kind: Kind, document: Mapping[str, Any]) -> AnnotationData:
    """The inverse of _build_annotation_document. Raises TypeError, ValueError or AttributeError for anything else."""
    values = dict(document)
    if "spans" in values:
        values["spans"] = tuple(Span(start, end) for start, end in values["spans"])
    if "identifiers" in values:
        values["identifiers"] = tuple(map(parse_stored_curie, values["identifiers"]))
    if "relation" in values:
        values["relation"] = read_relation_detail(values["relation"])
    return AnnotationData(kind, **values)


def parse_result_records(record_documents: Iterator[Any], kind: Kind) -> list[ResultRecord]:
    """Parse the lines of a file of results. Raises ChallengeArchiveError for an invalid line."""
    try:
        return [
            ResultRecord(
                line["article"],
                datetime.fromisoformat(line["received"]),
                line.get("seconds"),
                line.get("reason", ""),
                [_parse_annotation_document(kind, values) for values in line["findings"]],
                line.get("version", ""),
                datetime.fromisoformat(line["superseded"]) if "superseded" in line else None,
            )
            for line in record_documents
        ]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ChallengeArchiveError(
            f"A file of results in the archive has an invalid line: {GET_ARCHIVE_AGAIN}."
        ) from None


def store_result_records_returning_state(
    producer: Producer, kind: Kind, records: Sequence[ResultRecord], article_by_archive_name: Mapping[str, Article]
) -> str:
    """Restore Results. Returns the state that a score of them records. Raises KeyError for an unknown article."""
    results = Result.objects.bulk_create(
        (
            Result(
                article=article_by_archive_name[record.article],
                text_version=article_by_archive_name[record.article].text_version,
                kind=kind,
                producer=producer,
                received=record.received,
                duration=record.seconds,
                empty_reason=record.reason,
                stated_version=record.version,
                superseded=record.superseded,
            )
            for record in records
        ),
        batch_size=RESTORED_RESULTS_PER_INSERT,
    )
    pairs = zip(results, records, strict=True)
    store_annotations((result.pk, annotation) for result, record in pairs for annotation in record.annotations)
    return f"{len(results)}:{max((result.pk for result in results), default=0)}"
