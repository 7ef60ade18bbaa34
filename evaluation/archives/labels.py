"""The labels of curators in an archive: every label with its time, without the curators' names."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from evaluation.archives.result_lines import store_result_records_returning_state
from evaluation.archives.row_values import build_json_field_values, build_validated_row_from_json
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Phase
from evaluation.labelling.models import Label, Labeller, Labelling, Ruling
from evaluation.scoring.result_records import ResultRecord

LABELLING_FIELDS = ("order", "again_every", "guideline", "begun")
LABEL_FIELDS = ("again", "relevant", "seconds", "capped", "at", "superseded")
RULING_FIELDS = ("relevant", "at", "superseded")


def format_labels_path(phase: Phase) -> str:
    return f"{phase.sort}/labels.json"


def find_publishable_labelling(phase: Phase) -> Labelling | None:
    """Return the labelling of a phase's corpus; None for an unpublished test, whose gold standard it may be."""
    if phase.sort == Phase.Type.TEST and phase.published is None:
        return None
    return Labelling.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).first()


def build_labels_document_without_curator_names(
    labelling: Labelling, archive_name_by_article_id: Mapping[int, str]
) -> dict[str, Any]:
    """The document labels.json, with curators in the order in which they were added.

    archive_name_by_article_id: {key of an article: its name in the archive}.
    """
    labellers = labelling.labellers.order_by("pk")
    return {
        **build_json_field_values(labelling, LABELLING_FIELDS),
        "curators": [
            _build_label_documents(labeller.labels.order_by("pk"), LABEL_FIELDS, archive_name_by_article_id)
            for labeller in labellers
        ],
        "rulings": _build_label_documents(labelling.rulings.order_by("pk"), RULING_FIELDS, archive_name_by_article_id),
    }


def _build_label_documents(
    rows: QuerySet[Label] | QuerySet[Ruling], fields: Sequence[str], names: Mapping[int, str]
) -> list[dict[str, Any]]:
    return [
        {"article": names[row.article_id], **build_json_field_values(row, fields)}
        for row in rows
        if row.article_id in names
    ]


def restore_labels_once_per_corpus(
    archive: CheckedArchive, phase: Phase, article_by_archive_name: Mapping[str, Article]
) -> None:
    """Restore the labelling of a phase, once per corpus; its curators have no accounts and cannot label.

    Raises KeyError for an unknown article.
    """
    document = archive.json(format_labels_path(phase))
    if Labelling.objects.filter(challenge=phase.challenge_id, corpus=phase.corpus_id).exists():
        return
    labelling = build_validated_row_from_json(
        Labelling, document, LABELLING_FIELDS, challenge=phase.challenge, corpus=phase.corpus
    )
    labelling.save()
    for number, labels in enumerate(document["curators"], 1):
        _restore_labeller(labelling, f"Curator {number}", labels, article_by_archive_name)
    Ruling.objects.bulk_create(
        build_validated_row_from_json(
            Ruling, row, RULING_FIELDS, labelling=labelling, article=article_by_archive_name[row["article"]]
        )
        for row in document["rulings"]
    )


def _restore_labeller(
    labelling: Labelling, name: str, rows: Sequence[Mapping[str, Any]], articles: Mapping[str, Article]
) -> None:
    """Restore a curator with all labels; the current labels of first readings become Results."""
    producer_name = f"{name}, {labelling.corpus}"[:200]
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name=producer_name)
    labeller = Labeller.objects.create(labelling=labelling, producer=producer, released=labelling.begun)
    labels = [
        build_validated_row_from_json(Label, row, LABEL_FIELDS, labeller=labeller, article=articles[row["article"]])
        for row in rows
    ]
    Label.objects.bulk_create(labels)
    current = [
        ResultRecord(
            row["article"], label.at, label.seconds, "", [AnnotationData(Kind.CLASSIFICATION, relevant=label.relevant)]
        )
        for row, label in zip(rows, labels, strict=True)
        if label.superseded is None and label.relevant is not None and not label.again
    ]
    store_result_records_returning_state(producer, Kind.CLASSIFICATION, current, articles)
