"""Collect the passages of all runs of a task in a phase, each once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotations.kinds import Finding, Kind
from annotations.models import Annotation
from evaluation.analyses.pooling import Pooled, pooled
from evaluation.articles import articles_of
from evaluation.errors import ChallengeError
from evaluation.models import Phase, Run, Task
from evaluation.pooling.models import Pool, PooledPassage

BATCH = 2000


@dataclass(frozen=True, slots=True)
class Collected:
    """What collecting did: passages that are new in the pool, and how many it has."""

    new: int
    whole: int


@transaction.atomic
def collect(task: Task, phase: Phase) -> Collected:
    """Put what the runs of the task say now into its pool; what is in it stays, with what was decided of it.

    ChallengeError for a task without passages, for a pool that is closed, and when no run says anything.
    """
    pool = pool_of(task, phase)
    before = passages_in(pool)
    new = sorted(submitted(task, phase) - before)
    if not new and not before:
        raise ChallengeError(f"No run of {task} in the {phase.sort} phase has a passage yet; collect when one has.")
    PooledPassage.objects.bulk_create((row_of(pool, own) for own in new), batch_size=BATCH)
    return Collected(len(new), len(before) + len(new))


def pool_of(task: Task, phase: Phase) -> Pool:
    """The pool, made if there is none, and nobody else's to change until the end of the transaction."""
    if task.kind != Kind.PASSAGE:
        raise ChallengeError(f"{task} asks for no passages; only these are pooled and judged.")
    Pool.objects.get_or_create(task=task, phase=phase)
    return open_pool(task, phase)


def open_pool(task: Task, phase: Phase) -> Pool:
    """The pool, locked; ChallengeError when it is closed."""
    pool = Pool.objects.select_for_update().get(task=task, phase=phase)
    refuse_closed(pool)
    return pool


def refuse_closed(pool: Pool) -> None:
    if pool.closed:
        raise ChallengeError("The judging is closed, and scores are made from it; the organizers can open it again.")


def uncollected(pool: Pool) -> int:
    """How many passages of runs are not in the pool."""
    return len(submitted(pool.task, pool.phase) - passages_in(pool))


def submitted(task: Task, phase: Phase) -> set[Pooled]:
    """What the runs that count say of the articles that count."""
    counted = articles_of(phase)
    producers = Run.objects.filter(task=task, phase=phase, withdrawn__isnull=True).values("producer")
    rows = Annotation.objects.filter(
        result__producer__in=producers, result__kind=Kind.PASSAGE, result__superseded__isnull=True
    ).values_list("result__article", "database", "identifier", "partner", "text")
    said: dict[int, list[Finding]] = {}
    for article, *fields in rows.iterator(chunk_size=BATCH):
        if article in counted:
            said.setdefault(article, []).append(finding(fields))
    return without_databases(pooled(said))


def finding(fields: Sequence[str]) -> Finding:
    database, identifier, partner, text = fields
    return Finding(Kind.PASSAGE, database=database, identifier=identifier, partner=partner, text=text)


def without_databases(passages: set[Pooled]) -> set[Pooled]:
    """Each passage of a pair once, should two databases name a pair alike; of the first of them."""
    first: Mapping[object, Pooled] = {(own.pair, own.passage): own for own in sorted(passages, reverse=True)}
    return set(first.values())


def passages_in(pool: Pool) -> set[Pooled]:
    rows = pool.passages.values_list("article", "first", "second", "passage", "database")
    return {Pooled(*row) for row in rows.iterator(chunk_size=BATCH)}


def row_of(pool: Pool, own: Pooled) -> PooledPassage:
    pair = {"first": own.first, "second": own.second}
    return PooledPassage(pool=pool, article_id=own.article, **pair, passage=own.passage, database=own.database)
