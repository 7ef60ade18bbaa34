"""Reads Results and their annotations, each with a fixed number of queries."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from annotations.articles.models import Article
from annotations.results.annotation_rows import list_row_fields, read_annotation_row
from annotations.results.models import Annotation, Producer, Result
from annotations.schema import AnnotationData, Kind

ROWS_PER_CHUNK = 2000


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A Result without its annotations.

    duration is in seconds, text_version the version of the annotated text, stated_version that of the producing system
    ("" if unknown). moved_from: the version of the text that was annotated, if the annotations have been moved to
    text_version, or CARRIED_TEXT if they came with their text; not_movable: how many have not, because it does not have
    their words.
    """

    id: int
    kind: Kind
    producer: int
    received: datetime
    duration: float | None
    empty_reason: str
    text_version: int
    stated_version: str
    moved_from: int | None = None
    not_movable: int | None = None


def list_current_results_on_current_text(article: Article, producer_keys: Collection[int]) -> list[StoredResult]:
    """The current Results by these producers on the article's current text, in the order they were received."""
    latest = list_current_results_on_any_text(article, producer_keys)
    return [result for result in latest if result.text_version == article.text_version]


def list_current_results_on_any_text(article: Article, producer_keys: Collection[int]) -> list[StoredResult]:
    """The current Results by these producers on any text of the article, in the order they were received."""
    rows = Result.objects.filter(article=article, producer__in=producer_keys, superseded__isnull=True)
    return read_stored_results(rows.order_by("received", "pk"))


def list_last_even_superseded_results_on_text(article: Article, producer_keys: Collection[int]) -> list[StoredResult]:
    """The last Results of each of these producers on the text that the article object has, even if superseded since."""
    rows = Result.objects.filter(article=article, producer__in=producer_keys, text_version=article.text_version)
    last = rows.order_by("producer", "kind", "-received", "-pk").distinct("producer", "kind")
    return read_stored_results(Result.objects.filter(pk__in=last.values("pk")).order_by("received", "pk"))


def read_stored_results(rows: QuerySet[Result]) -> list[StoredResult]:
    """The rows as plain data, in their order: 1 query."""
    first = ("id", "kind", "producer_id", "received", "duration", "empty_reason", "text_version", "stated_version")
    fields = (*first, "moved_from", "not_movable")
    return [StoredResult(pk, Kind(kind), *rest) for pk, kind, *rest in rows.values_list(*fields)]


def load_annotations_by_result_id(results: Collection[StoredResult]) -> Mapping[int, list[AnnotationData]]:
    """The annotations of each Result by its id: 1 query."""
    kinds = {result.id: result.kind for result in results}
    annotations: dict[int, list[AnnotationData]] = defaultdict(list)
    rows = Annotation.objects.filter(result__in=list(kinds)).order_by("pk")
    for row in rows.values_list("result_id", *list_row_fields(kinds.values())):
        annotations[row[0]].append(read_annotation_row(kinds[row[0]], *row[1:]))
    return annotations


def load_annotations_of_many_results(kinds: Mapping[int, Kind]) -> Mapping[int, list[AnnotationData]]:
    """The annotations of each Result by its id, of which the kinds are given: 1 query."""
    # One array, as thousands of single parameters would take longer than reading the rows.
    rows = Annotation.objects.filter(result__in=RawSQL("SELECT unnest(%s::bigint[])", [list(kinds)])).order_by("pk")
    annotations: dict[int, list[AnnotationData]] = defaultdict(list)
    for result_id, *values in rows.values_list("result_id", *list_row_fields(kinds.values())).iterator(
        chunk_size=ROWS_PER_CHUNK
    ):
        annotations[result_id].append(read_annotation_row(kinds[result_id], *values))
    return annotations


# The latest Results of each producer, so that producers with millions of Results take no longer.
NEWEST_ANNOTATED = """
    SELECT article_id FROM unnest(%(producers)s::bigint[]) AS producer CROSS JOIN LATERAL (
        SELECT article_id, received FROM annotations_result
        WHERE producer_id = producer AND superseded IS NULL ORDER BY received DESC LIMIT %(results)s
    ) AS latest GROUP BY article_id ORDER BY max(received) DESC, article_id DESC LIMIT %(articles)s
"""


def list_newest_annotated_articles(producers: QuerySet[Producer], most_articles: int) -> list[int]:
    """The primary keys of the articles that these producers annotated last, the newest first: 2 queries."""
    values: dict[str, list[int] | int] = {
        "producers": list(producers.values_list("pk", flat=True)),
        "results": most_articles * len(Kind),
        "articles": most_articles,
    }
    with connection.cursor() as cursor:
        cursor.execute(NEWEST_ANNOTATED, values)
        return [article for (article,) in cursor.fetchall()]
