"""Collect the passages of all runs of a task in a phase, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotations.results.models import Annotation
from annotations.schema import AnnotationData, Kind
from evaluation.analyses.passage_pools import PoolItem, collect_pool_items
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.pooling.models import Pool, PooledPassage
from evaluation.runs.models import Run

POOL_BATCH_SIZE = 2000


@dataclass(frozen=True, slots=True)
class CollectedPassages:
    """new: passages added by a collection; total: passages now in the pool."""

    new: int
    total: int


@transaction.atomic
def add_run_passages_to_open_pool(task: Task, phase: Phase) -> CollectedPassages:
    """Add the current passages of all runs to the pool; existing passages keep their judgements.

    Raises ChallengeError for a task that is not about passages, if the pool is closed, or if no run has a passage.
    """
    pool = _lock_or_create_pool(task, phase)
    pooled = _load_pooled_passages(pool)
    new = sorted(_collect_submitted_passages(task, phase) - pooled)
    if not new and not pooled:
        raise ChallengeError(f"No run of {task} in the {phase.sort} phase has a passage yet; collect passages later.")
    PooledPassage.objects.bulk_create((_build_pooled_passage(pool, item) for item in new), batch_size=POOL_BATCH_SIZE)
    return CollectedPassages(len(new), len(pooled) + len(new))


def _lock_or_create_pool(task: Task, phase: Phase) -> Pool:
    """Return the pool, created if missing, and lock it until the end of the transaction.

    Raises ChallengeError for a task that is not about passages, or if the pool is closed.
    """
    if task.kind != Kind.PASSAGE:
        raise ChallengeError(f"{task} is not about passages; only passages are pooled and judged.")
    Pool.objects.get_or_create(task=task, phase=phase)
    return lock_open_pool(task, phase)


def lock_open_pool(task: Task, phase: Phase) -> Pool:
    """Lock the pool. Raises ChallengeError if it is closed."""
    pool = Pool.objects.select_for_update().get(task=task, phase=phase)
    check_pool_open(pool)
    return pool


def check_pool_open(pool: Pool) -> None:
    if pool.closed:
        raise ChallengeError("The judging is closed and the runs are scored by it; the organizers can reopen it.")


def count_uncollected_passages(pool: Pool) -> int:
    """The number of passages of runs that are not in the pool."""
    return len(_collect_submitted_passages(pool.task, pool.phase) - _load_pooled_passages(pool))


def _collect_submitted_passages(task: Task, phase: Phase) -> set[PoolItem]:
    """The passages of all runs that are not withdrawn, in articles that count."""
    counted = list_unexcluded_article_names(phase)
    producers = Run.objects.filter(task=task, phase=phase, withdrawn__isnull=True).values("producer")
    rows = Annotation.objects.filter(
        result__producer__in=producers, result__kind=Kind.PASSAGE, result__superseded__isnull=True
    ).values_list("result__article", "database", "identifier", "partner", "text")
    annotations: dict[int, list[AnnotationData]] = {}
    for article, *fields in rows.iterator(chunk_size=POOL_BATCH_SIZE):
        if article in counted:
            annotations.setdefault(article, []).append(_build_submitted_annotation(fields))
    return _keep_one_per_pair_and_passage(collect_pool_items(annotations))


def _build_submitted_annotation(fields: Sequence[str]) -> AnnotationData:
    database, identifier, partner, text = fields
    return AnnotationData(Kind.PASSAGE, database=database, identifier=identifier, partner=partner, text=text)


def _keep_one_per_pair_and_passage(passages: set[PoolItem]) -> set[PoolItem]:
    """Keep each passage of a pair once: if two databases use the same identifiers, that of the first database."""
    chosen: Mapping[object, PoolItem] = {(item.pair, item.passage): item for item in sorted(passages, reverse=True)}
    return set(chosen.values())


def _load_pooled_passages(pool: Pool) -> set[PoolItem]:
    rows = pool.passages.values_list("article", "first", "second", "passage", "database")
    return {PoolItem(*row) for row in rows.iterator(chunk_size=POOL_BATCH_SIZE)}


def _build_pooled_passage(pool: Pool, item: PoolItem) -> PooledPassage:
    pair = {"first": item.first, "second": item.second}
    return PooledPassage(pool=pool, article_id=item.article, **pair, passage=item.passage, database=item.database)
