"""Close a judging: what was decided becomes the gold standard of its task and phase, by which its runs are scored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotations.kinds import Finding, Kind
from annotations.models import Article
from evaluation.articles import articles_of
from evaluation.errors import ChallengeError
from evaluation.gold import Known, replace
from evaluation.models import GoldStandard
from evaluation.pooling.collecting import open_pool, uncollected
from evaluation.pooling.models import Pool, PooledPassage
from evaluation.pooling.standing import Standing, standing_of
from evaluation.runs import SCORE, wake

BATCH = 2000


@transaction.atomic
def close(pool: Pool, by: Any) -> GoldStandard:
    """Fix what was decided, and have the runs scored by it. ChallengeError as long as anything is undecided."""
    own = standing_of(open_pool(pool.task, pool.phase))
    refuse_undecided(own)
    verdicts = {each.passage.pk: each.verdict for each in own.passages if each.verdict is not None}
    passages = [each.passage for each in own.passages]
    for passage in passages:
        decided = verdicts[passage.pk]
        passage.relevant, passage.best = decided.relevant, decided.best
    PooledPassage.objects.bulk_update(passages, ["relevant", "best"], batch_size=BATCH)
    Pool.objects.filter(pk=pool.pk).update(closed=timezone.now(), closed_by=by)
    gold = as_gold(pool, passages)
    wake(SCORE)
    return gold


def refuse_undecided(own: Standing) -> None:
    if not own.judges:
        raise ChallengeError("Nobody has been named to judge; name two judges, and close when both are done.")
    if own.unjudged:
        raise ChallengeError(f"{passages_in_words(own.unjudged)} not judged by every judge yet; close when all are.")
    if own.conflicts:
        raise ChallengeError(
            f"The judges differ about {len(own.conflicts)} of the passages; adjudicate them, then close."
        )
    if own.with_two_bests:
        raise ChallengeError("A pair has two best passages: one was adjudicated; adjudicate which of them it is.")
    if new := uncollected(own.pool):
        raise ChallengeError(f"{passages_in_words(new)} new in the runs; collect them, so that they are judged, too.")


def passages_in_words(number: int) -> str:
    return "1 passage is" if number == 1 else f"{number:,} passages are"


@transaction.atomic
def reopen(pool: Pool) -> bool:
    """Let judging go on; the scores stay until it is closed again. False when it was not closed."""
    return bool(Pool.objects.filter(pk=pool.pk, closed__isnull=False).update(closed=None, closed_by=None))


def as_gold(pool: Pool, passages: Sequence[PooledPassage]) -> GoldStandard:
    """The relevant passages as Results, the best ones at rank 1; its checksum is that of the file of judgements."""
    articles = {own.article_id for own in passages}
    rows = Article.objects.filter(pk__in=articles).values_list("pk", "text_version")
    known = {pk: Known(pk, version, "") for pk, version in rows}
    findings: dict[int, list[Finding]] = {}
    for own in passages:
        if own.relevant:
            findings.setdefault(own.article_id, []).append(finding_of(own))
    content = judgements_file(pool).encode()
    return replace(pool.task, pool.phase, known, findings, content, "judgements of pooled passages")


def finding_of(own: PooledPassage) -> Finding:
    return Finding(
        Kind.PASSAGE,
        rank=1 if own.best else None,
        text=own.passage,
        database=own.database,
        identifier=own.first,
        partner=own.second,
    )


def judgements_file(pool: Pool) -> str:
    """What was decided when the pool was closed, of the articles that count, as `python -m evaluation --task iss` reads
    it: article, both identifiers, passage, relevant, best."""
    rows = PooledPassage.objects.filter(pool=pool, relevant__isnull=False).values_list(
        "article", "first", "second", "passage", "relevant", "best"
    )
    return "".join(sorted(lines_of(articles_of(pool.phase), rows)))


def lines_of(names: Mapping[int, str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    for article, first, second, passage, relevant, best in rows:
        if article in names:
            yield f"{names[article]}\t{first}\t{second}\t{passage}\t{int(bool(relevant))}\t{int(bool(best))}\n"
