"""Imported annotations of authors and curators in an archive: every reading of every article."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotations.articles.models import Article
from annotations.results.models import Producer, Result
from annotations.schema import Kind
from evaluation.archives.result_lines import (
    build_result_record_document,
    parse_result_records,
    store_result_records_returning_state,
)
from evaluation.archives.row_values import build_json_field_values, build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Phase
from evaluation.manual_annotations.file_import import MANUAL_PRODUCER_TYPES
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.scoring.result_records import load_result_records_of_named_articles

MANUAL_SET_FIELDS = ("kind", "source", "checksum", "brought")
MANUAL_PRODUCER_FIELDS = ("sort", "name")


def format_manual_annotations_path(phase: Phase) -> str:
    return f"{phase.sort}/by_hand.jsonl"


def iter_publishable_manual_annotations_jsonl(
    phase: Phase, archive_name_by_article_id: Mapping[int, str]
) -> Iterator[str]:
    """Yield a line of JSON for each set; none for an unpublished test, whose gold standard it may be.

    archive_name_by_article_id: {key of an article: its name in the archive}.
    """
    if phase.sort == Phase.Type.TEST and phase.published is None:
        return
    rows = ManualAnnotationSet.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).select_related(
        "producer"
    )
    for annotation_set in rows.order_by("pk"):
        readings = Result.objects.filter(producer=annotation_set.producer, kind=annotation_set.kind).order_by("pk")
        records = load_result_records_of_named_articles(
            readings, Kind(annotation_set.kind), archive_name_by_article_id
        ).records
        document = {
            **build_json_field_values(annotation_set.producer, MANUAL_PRODUCER_FIELDS),
            **build_json_field_values(annotation_set, MANUAL_SET_FIELDS),
        }
        document["readings"] = [*map(build_result_record_document, records)]
        yield json.dumps(document, ensure_ascii=False) + "\n"


def restore_manual_annotations_once_per_corpus(
    archive: CheckedArchive, phase: Phase, article_by_archive_name: Mapping[str, Article]
) -> None:
    """Restore all readings, once per corpus, visible only to organizers. Raises KeyError for an unknown article."""
    challenge_and_corpus = {"challenge": phase.challenge, "corpus": phase.corpus}
    if ManualAnnotationSet.objects.filter(**challenge_and_corpus).exists():
        return
    producers: dict[tuple[str, str], Producer] = {}
    for document in archive.json_lines(format_manual_annotations_path(phase)):
        key = document["sort"], document["name"]
        producer = producers[key] = producers.get(key) or _restore_manual_producer(document)
        annotation_set = build_validated_row_from_json(
            ManualAnnotationSet, document, MANUAL_SET_FIELDS, producer=producer, **challenge_and_corpus
        )
        annotation_set.save()
        store_result_records_returning_state(
            producer,
            Kind(annotation_set.kind),
            parse_result_records(iter(document["readings"]), Kind(annotation_set.kind)),
            article_by_archive_name,
        )


def _restore_manual_producer(document: Mapping[str, Any]) -> Producer:
    """Restore a producer. Raises ValueError if it is neither authors nor curators."""
    if document["sort"] not in MANUAL_PRODUCER_TYPES:
        raise ValueError(document["sort"])
    producer = build_validated_row_from_json(Producer, document, MANUAL_PRODUCER_FIELDS)
    producer.save()
    return producer
