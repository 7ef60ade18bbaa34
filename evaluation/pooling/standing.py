"""How far a judging has come: who judged how much, how far judges agree, where they differ, and what counts."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.db.models import QuerySet

from evaluation.analyses.pooling import Judge, JudgesAgreement, Marks, agreement_of, in_conflict, settled
from evaluation.measures.passages import Verdict
from evaluation.models import ExcludedArticle
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge

Pair = tuple[int, str, str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A passage with what its judges say, and what was adjudicated, if anything."""

    passage: PooledPassage
    marks: Marks
    adjudicated: Verdict | None

    @property
    def pair(self) -> Pair:
        return self.passage.article_id, self.passage.first, self.passage.second

    @property
    def verdict(self) -> Verdict | None:
        return settled(self.marks.values(), self.adjudicated)

    @property
    def in_conflict(self) -> bool:
        return in_conflict(self.marks.values(), self.adjudicated)


@dataclass(frozen=True, slots=True)
class Progress:
    """One judge: how many passages are judged, of how many, and the median seconds of a decision."""

    judge: PoolJudge
    judged: int
    whole: int
    seconds: float | None

    @property
    def done(self) -> bool:
        return self.judged == self.whole

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.whole if self.whole else 0


@dataclass(frozen=True, slots=True)
class Agreed:
    first: PoolJudge
    second: PoolJudge
    agreement: JudgesAgreement


@dataclass(frozen=True, slots=True)
class Standing:
    """Everything of a pool; unjudged: passages that not every judge has judged."""

    pool: Pool
    passages: Sequence[Judged]
    judges: Sequence[Progress]
    adjudicators: Sequence[PoolJudge]
    agreements: Sequence[Agreed]

    @property
    def conflicts(self) -> Sequence[Judged]:
        return [own for own in self.passages if own.in_conflict]

    @property
    def unjudged(self) -> int:
        judges = len(self.judges)
        return sum(own.adjudicated is None and len(own.marks) < judges for own in self.passages)

    @property
    def with_two_bests(self) -> int:
        """Pairs of which two passages count as the best: a judge moved a best after it was adjudicated."""
        bests = Counter(own.pair for own in self.passages if own.verdict is not None and own.verdict.best)
        return sum(number > 1 for number in bests.values())

    @property
    def articles(self) -> int:
        return len({own.passage.article_id for own in self.passages})

    @property
    def pairs(self) -> int:
        return len({own.pair for own in self.passages})

    @property
    def relevant(self) -> int:
        """Passages that count as relevant as it stands."""
        return sum(own.verdict is not None and own.verdict.relevant for own in self.passages)


def standing_of(pool: Pool) -> Standing:
    """In three queries, whatever the number of passages and judges."""
    named = list(pool.judges.select_related("user").order_by("pk"))
    judges = {judge.who: judge for judge in named if not judge.adjudicates}
    judgements = current_of(pool)
    passages = [judged_of(own, judgements.get(own.pk, ()), judges) for own in counted(pool).order_by("pk")]
    by_pair: dict[Any, list[Marks]] = {}
    for each in passages:
        by_pair.setdefault(each.pair, []).append(each.marks)
    return Standing(
        pool,
        passages,
        [progress_of(judge, passages, judgements) for judge in judges.values()],
        [judge for judge in named if judge.adjudicates],
        [Agreed(judges[a], judges[b], own) for (a, b), own in agreement_of(by_pair, list(judges)).items()],
    )


def counted(pool: Pool) -> QuerySet[PooledPassage]:
    """The passages of the articles that count: those of the others need not be judged."""
    return pool.passages.exclude(article__in=ExcludedArticle.objects.filter(phase=pool.phase_id).values("article"))


def current_of(pool: Pool, by: Any = None) -> Mapping[int, Sequence[Judgement]]:
    """What is said now of each passage, by its key, by everybody or by one judge: one query."""
    found: dict[int, list[Judgement]] = {}
    said = Judgement.objects.filter(passage__pool=pool, superseded__isnull=True).order_by("pk")
    for own in said if by is None else said.filter(judge=by, adjudicates=False):
        found.setdefault(own.passage_id, []).append(own)
    return found


def judged_of(passage: PooledPassage, said: Iterable[Judgement], judges: Container[Judge]) -> Judged:
    marks = {own.who: verdict_of(own) for own in said if not own.adjudicates and own.who in judges}
    adjudicated = next((verdict_of(own) for own in said if own.adjudicates), None)
    return Judged(passage, marks, adjudicated)


def verdict_of(judgement: Judgement) -> Verdict:
    return Verdict(judgement.relevant, judgement.best)


def progress_of(
    judge: PoolJudge, passages: Sequence[Judged], judgements: Mapping[int, Sequence[Judgement]]
) -> Progress:
    own = [said for each in judgements.values() for said in each if said.who == judge.who]
    seconds = [said.seconds for said in own if said.seconds is not None and not said.adjudicates]
    judged = sum(judge.who in each.marks for each in passages)
    return Progress(judge, judged, len(passages), median(seconds) if seconds else None)
