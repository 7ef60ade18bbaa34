"""Close a pool: its judgements become the gold standard of the task and phase, and the runs are scored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.articles.models import Article
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.phase_reader import KnownArticle
from evaluation.gold.storage import lock_phase_and_replace_open_gold
from evaluation.pooling.collection import count_uncollected_passages, lock_open_pool
from evaluation.pooling.judging_status import JudgingStatus, build_judging_status
from evaluation.pooling.models import Pool, PooledPassage
from evaluation.runs.uploads.intake import SCORE_RUNS_TASK, enqueue_celery_task_on_commit
from servers.teams.permissions import User

PASSAGES_PER_UPDATE = 2000


@transaction.atomic
def close_decided_pool_and_store_gold(pool: Pool, closed_by: User) -> GoldStandard:
    """Store the final verdicts as gold standard and have the runs scored. Raises ChallengeError if any is missing."""
    status = build_judging_status(lock_open_pool(pool.task, pool.phase))
    _check_pool_decided(status)
    verdicts = {judged.passage.pk: judged.verdict for judged in status.passages if judged.verdict is not None}
    passages = [judged.passage for judged in status.passages]
    for passage in passages:
        verdict = verdicts[passage.pk]
        passage.relevant, passage.best = verdict.relevant, verdict.best
    PooledPassage.objects.bulk_update(passages, ["relevant", "best"], batch_size=PASSAGES_PER_UPDATE)
    Pool.objects.filter(pk=pool.pk).update(closed=timezone.now(), closed_by_id=closed_by.pk)
    gold = _store_pool_gold(pool, passages)
    enqueue_celery_task_on_commit(SCORE_RUNS_TASK)
    return gold


def _check_pool_decided(status: JudgingStatus) -> None:
    if not status.judges:
        raise ChallengeError("There are no judges; appoint two, and close the judging when both are done.")
    if status.unjudged:
        raise ChallengeError(
            f"{_format_passage_count(status.unjudged)} not judged by every judge yet; close the judging when all are."
        )
    if status.conflicts:
        raise ChallengeError(
            f"The judges disagree on {len(status.conflicts)} of the passages; adjudicate them, then close the judging."
        )
    if status.with_two_bests:
        raise ChallengeError(
            "A pair has two best passages, one of them by adjudication; adjudicate which one is the best."
        )
    if uncollected := count_uncollected_passages(status.pool):
        raise ChallengeError(
            f"{_format_passage_count(uncollected)} new in the runs; collect them, so that they are judged too."
        )


def _format_passage_count(number: int) -> str:
    return "1 passage is" if number == 1 else f"{number:,} passages are"


@transaction.atomic
def reopen_pool(pool: Pool) -> bool:
    """Reopen a pool; the scores stay until it is closed again. Returns False if it was open."""
    return bool(Pool.objects.filter(pk=pool.pk, closed__isnull=False).update(closed=None, closed_by=None))


def _store_pool_gold(pool: Pool, passages: Sequence[PooledPassage]) -> GoldStandard:
    """Store the relevant passages as gold standard, the best ones at rank 1.

    Its checksum is that of the file of judgements.
    """
    article_ids = {passage.article_id for passage in passages}
    rows = Article.objects.filter(pk__in=article_ids).values_list("pk", "text_version")
    articles = {pk: KnownArticle(pk, text_version, "") for pk, text_version in rows}
    annotations: dict[int, list[AnnotationData]] = {}
    for passage in passages:
        if passage.relevant:
            annotations.setdefault(passage.article_id, []).append(_build_judged_annotation(passage))
    content = format_final_verdicts_tsv(pool).encode()
    return lock_phase_and_replace_open_gold(
        pool.task, pool.phase, articles, annotations, content, "judgements of pooled passages"
    )


def _build_judged_annotation(passage: PooledPassage) -> AnnotationData:
    return AnnotationData(
        Kind.PASSAGE,
        rank=1 if passage.best else None,
        text=passage.passage,
        database=passage.database,
        identifier=passage.first,
        partner=passage.second,
    )


def format_final_verdicts_tsv(pool: Pool) -> str:
    """Write the verdicts of the closed pool as the gold standard file that `python -m evaluation` reads for task iss.

    Columns: article, both identifiers, passage, relevant, best. Only articles that count are included.
    """
    rows = PooledPassage.objects.filter(pool=pool, relevant__isnull=False).values_list(
        "article", "first", "second", "passage", "relevant", "best"
    )
    return "".join(sorted(_iter_counted_judgement_lines(list_unexcluded_article_names(pool.phase), rows)))


def _iter_counted_judgement_lines(names: Mapping[int, str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for article, first, second, passage, relevant, best in rows:
        if article in names:
            yield f"{names[article]}\t{first}\t{second}\t{passage}\t{int(bool(relevant))}\t{int(bool(best))}\n"
