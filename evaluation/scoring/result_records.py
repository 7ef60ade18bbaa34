"""The stored Results of a producer with their annotations, for archives and result files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet

from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Annotation, Result
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Task
from evaluation.runs.files.open_files import list_entities_of_mentions
from evaluation.scoring.answers import filter_current_results, list_result_kinds, merge_states


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """A producer's Result for one article.

    reason: why it is empty; version: that of the system at the time, "" when not stated; superseded: when another
    Result replaced it, None for the current one.
    """

    article: str
    received: datetime
    seconds: float | None
    reason: str
    annotations: Sequence[AnnotationData]
    version: str = ""
    superseded: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResultRecords:
    """A producer's Results, sorted by the name of the article; state: as in CurrentAnnotations."""

    records: Sequence[ResultRecord]
    state: str

    def group_counted_annotations(self, names: Mapping[int, str]) -> dict[str, Sequence[AnnotationData]]:
        """{article name: annotations} of the counted articles, {primary key: name}."""
        counted = set(names.values())
        return {record.article: record.annotations for record in self.records if record.article in counted}


def load_current_records_of_named_articles(
    producer_id: int, kind: Kind, name_by_article_id: Mapping[int, str]
) -> ResultRecords:
    """Load the current Results of a producer in two queries; name_by_article_id: {article: name}."""
    return load_result_records_of_named_articles(filter_current_results(producer_id, kind), kind, name_by_article_id)


def load_task_records_of_named_articles(
    producer_id: int, task: Task, name_by_article_id: Mapping[int, str]
) -> ResultRecords:
    """Load the current Results of a producer that count in a task; those of several kinds become one.

    Their annotations are of the kind of the task: entities of mentions become entities of the article.
    """
    kind, kinds = Kind(task.kind), list_result_kinds(task)
    parts = [load_current_records_of_named_articles(producer_id, each, name_by_article_id) for each in kinds]
    if len(parts) == 1:
        return parts[0]
    by_article: dict[str, list[ResultRecord]] = {}
    for part in parts:
        for record in part.records:
            by_article.setdefault(record.article, []).append(record)
    state = merge_states([part.state for part in parts])
    return ResultRecords([_merge_records(kind, by_article[name]) for name in sorted(by_article)], state)


def _merge_records(kind: Kind, records: Sequence[ResultRecord]) -> ResultRecord:
    """One Result of two for an article, with the time of the newer one."""
    annotations = [annotation for record in records for annotation in record.annotations]
    if any(annotation.kind is not kind for annotation in annotations):
        annotations = list_entities_of_mentions(annotations)
    return replace(max(records, key=lambda record: record.received), annotations=annotations)


def load_result_records_of_named_articles(
    result_rows: QuerySet[Result], kind_of_result_rows: Kind, name_by_article_id: Mapping[int, str]
) -> ResultRecords:
    """Load these Results in two queries; those of one article keep their order. name_by_article_id: {article: name}."""
    columns = ("pk", "article_id", "received", "duration", "empty_reason", "stated_version", "superseded")
    results = {pk: row for pk, *row in result_rows.values_list(*columns)}
    annotations: dict[int, list[AnnotationData]] = {pk: [] for pk in results}
    annotation_rows = Annotation.objects.filter(result__in=result_rows.order_by()).order_by("pk")
    for result, *row in annotation_rows.values_list("result_id", *ANNOTATION_ROW_FIELDS).iterator(chunk_size=10_000):
        if result in annotations:
            annotations[result].append(read_annotation_row(kind_of_result_rows, *row))
    records = [
        ResultRecord(name_by_article_id[article], received, seconds, reason, annotations[pk], version, superseded)
        for pk, (article, received, seconds, reason, version, superseded) in results.items()
        if article in name_by_article_id
    ]
    return ResultRecords(
        sorted(records, key=lambda record: record.article), f"{len(results)}:{max(results, default=0)}"
    )
