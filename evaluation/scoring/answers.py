"""The current annotations of a run or a gold standard, loaded for scoring."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import F, OuterRef, QuerySet

from annotations.results.annotation_rows import list_row_fields, read_annotation_row
from annotations.results.models import Annotation, Result
from annotations.schema import SEVEN_KINDS, AnnotationData, Kind
from evaluation.challenges.models import Task
from evaluation.gold.models import GoldStandard
from evaluation.gold.unsealing import read_sealed_gold
from evaluation.measures.lists.list_rows import ItemKey, ListRows, encode_list_rows
from evaluation.measures.open_tasks import list_counted_result_kinds

LIST_ROW_FIELDS = ("result__article", "rank", "confidence", "database", "identifier", "partner")
AnnotationsByArticle = Mapping[int, list[AnnotationData]]


@dataclass(frozen=True, slots=True)
class CurrentAnnotations:
    """The annotations of one producer in one kind by article, including empty lists.

    state: a text that changes with the annotations; seconds: the time of each timed answer.
    """

    by_article: AnnotationsByArticle
    state: str
    seconds: Sequence[float] = field(default=())


@dataclass(frozen=True, slots=True)
class CurrentLists:
    """The annotations of one producer in one kind of KINDS_OF_DATABASE_IDENTIFIERS in some articles, by name.

    state, seconds: those of its answers to all articles, as in CurrentAnnotations.
    """

    rows: ListRows
    state: str
    seconds: Sequence[float]


def filter_current_results(producer_id: int | OuterRef, kind: str | OuterRef) -> QuerySet[Result]:
    return Result.objects.filter(producer=producer_id, kind=kind, superseded__isnull=True)


def filter_current_annotations(producer_id: int, kind: Kind) -> QuerySet[Annotation]:
    return Annotation.objects.filter(result__producer=producer_id, result__kind=kind, result__superseded__isnull=True)


def load_task_annotations(producer_id: int, task: Task) -> CurrentAnnotations:
    """Load the annotations of a producer that count in a task, of one kind or of two.

    Entities of articles are those of mentions, too, of which those in an earlier version of the text are left out.
    """
    parts = [load_current_annotations(producer_id, kind) for kind in list_result_kinds(task)]
    if len(parts) == 1:
        return parts[0]
    by_article: dict[int, list[AnnotationData]] = {}
    for part in parts:
        for article, annotations in part.by_article.items():
            by_article.setdefault(article, []).extend(annotations)
    seconds = max((part.seconds for part in parts), key=len)
    return CurrentAnnotations(by_article, merge_states([part.state for part in parts]), seconds)


def merge_states(states: Sequence[str]) -> str:
    """The state of the Results of several kinds together, as stale_scores.py computes it."""
    numbers = [tuple(map(int, state.split(":"))) for state in states]
    return f"{sum(number for number, _ in numbers)}:{max(newest for _, newest in numbers)}"


def list_result_kinds(task: Task) -> tuple[Kind, ...]:
    """The kinds of Results that count in a task."""
    kind = Kind(task.kind)
    return (kind,) if task.settings is None else list_counted_result_kinds(kind)


def load_current_annotations(producer_id: int, kind: Kind) -> CurrentAnnotations:
    """Load the annotations of a producer's current Results in two queries.

    When a Result is superseded between the two queries, the state is out of date, so the run is scored again. Spans of
    mentions are valid only in the text that was annotated, so mentions in an earlier version of it are left out.
    """
    current_version = F("text_version") if kind != Kind.MENTION else F("article__text_version")
    rows = list(
        filter_current_results(producer_id, kind).values_list(
            "pk", "article_id", "duration", "text_version", current_version
        )
    )
    results = {pk: article for pk, article, _, version, current in rows if version == current}
    by_article: dict[int, list[AnnotationData]] = {article: [] for article in results.values()}
    annotations = filter_current_annotations(producer_id, kind).values_list("result_id", *list_row_fields([kind]))
    if kind not in SEVEN_KINDS:
        # Items of equal rank and confidence are scored in the order in which they were given.
        annotations = annotations.order_by("pk")
    for result, *row in annotations.iterator(chunk_size=10_000):
        if result in results:
            by_article[results[result]].append(read_annotation_row(kind, *row))
    seconds = [duration for _, _, duration, *_ in rows if duration is not None]
    return CurrentAnnotations(by_article, _format_state([row[0] for row in rows]), seconds)


def _format_state(results: Sequence[int]) -> str:
    """The state of Results with these primary keys."""
    return f"{len(results)}:{max(results, default=0)}"


def load_current_lists(producer_id: int, kind: Kind, name_by_article_id: Mapping[int, str]) -> CurrentLists:
    """Load the annotations of a producer's current Results in these articles as columns, in two queries.

    When a Result is superseded between the two queries, the state is out of date, so the run is scored again.
    """
    results = list(filter_current_results(producer_id, kind).values_list("pk", "article_id", "duration"))
    articles = [article for _, article, _ in results if article in name_by_article_id]
    numbers = {article: number for number, article in enumerate(articles)}
    # One row of arrays takes less time than many rows.
    arrays = filter_current_annotations(producer_id, kind).aggregate(
        **{f"{field}_array": ArrayAgg(field) for field in LIST_ROW_FIELDS}
    )
    columns = [array or [] for array in arrays.values()]
    in_articles = [article in numbers for article in columns[0]]
    article, *others = (compress(column, in_articles) for column in columns)
    names = [name_by_article_id[each] for each in articles]
    rows = encode_list_rows(names, [numbers[each] for each in article], *map(list, others))
    seconds = [duration for _, _, duration in results if duration is not None]
    return CurrentLists(rows, _format_state([pk for pk, *_ in results]), seconds)


def load_open_or_sealed_gold_annotations(gold: GoldStandard, kind: Kind) -> CurrentAnnotations:
    """Load the annotations of a gold standard, which are of the kind of its task alone.

    Those of an unpublished test are in the sealed file, which only the scoring worker can open: SealError elsewhere.
    """
    if gold.producer_id is not None:
        return load_current_annotations(gold.producer_id, kind)
    return CurrentAnnotations(read_sealed_gold(gold), gold.checksum)


def load_gold_item_keys_by_name(
    gold: GoldStandard, kind: Kind, name_by_article_id: Mapping[int, str]
) -> dict[str, frozenset[ItemKey]]:
    """{article: keys of its items} of a gold standard of ranked lists, in these articles and in their order.

    SealError as in load_open_or_sealed_gold_annotations.
    """
    if gold.producer_id is None:
        by_article = load_open_or_sealed_gold_annotations(gold, kind).by_article
        return {
            name: frozenset(annotation.key for annotation in by_article[article])
            for article, name in name_by_article_id.items()
            if article in by_article
        }
    keys_by_name = load_current_lists(gold.producer_id, kind, name_by_article_id).rows.group_item_keys_by_article()
    return {name: keys_by_name[name] for name in name_by_article_id.values() if name in keys_by_name}
