"""The progress of a judging: each judge's progress, agreement, conflicts, and the verdicts so far."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.db.models import QuerySet

from evaluation.analyses.passage_pools import (
    JudgeAgreement,
    JudgedPair,
    JudgeKey,
    VerdictsByJudge,
    compute_judge_agreements,
    find_adjudicated_or_unanimous_verdict,
    has_unadjudicated_verdict_conflict,
)
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.challenges.models import ExcludedArticle
from evaluation.measures.passages import Verdict
from evaluation.pooling.models import Judgement, Pool, PooledPassage, PoolJudge
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class JudgedPassage:
    """A passage with the verdicts (marks) of its judges, and the adjudicated one, if any."""

    passage: PooledPassage
    marks: VerdictsByJudge
    adjudicated: Verdict | None

    @property
    def pair(self) -> JudgedPair:
        return self.passage.article_id, self.passage.first, self.passage.second

    @property
    def verdict(self) -> Verdict | None:
        return find_adjudicated_or_unanimous_verdict(self.marks.values(), self.adjudicated)

    @property
    def in_conflict(self) -> bool:
        return has_unadjudicated_verdict_conflict(self.marks.values(), self.adjudicated)


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """The progress of one judge. judged: passages, of a whole number; seconds: median per judgement."""

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
class AgreementOfJudges:
    first: PoolJudge
    second: PoolJudge
    agreement: JudgeAgreement


@dataclass(frozen=True, slots=True)
class JudgingStatus:
    """The state of a pool. unjudged: number of passages that not every judge has judged."""

    pool: Pool
    passages: Sequence[JudgedPassage]
    judges: Sequence[JudgeProgress]
    adjudicators: Sequence[PoolJudge]
    agreements: Sequence[AgreementOfJudges]

    @property
    def conflicts(self) -> Sequence[JudgedPassage]:
        return [passage for passage in self.passages if passage.in_conflict]

    @property
    def unjudged(self) -> int:
        judges = len(self.judges)
        return sum(passage.adjudicated is None and len(passage.marks) < judges for passage in self.passages)

    @property
    def with_two_bests(self) -> int:
        """The number of pairs with two best passages: a judge chose another best one after an adjudication."""
        best_counts = Counter(
            passage.pair for passage in self.passages if passage.verdict is not None and passage.verdict.best
        )
        return sum(count > 1 for count in best_counts.values())

    @property
    def articles(self) -> int:
        return len({judged.passage.article_id for judged in self.passages})

    @property
    def pairs(self) -> int:
        return len({passage.pair for passage in self.passages})

    @property
    def relevant(self) -> int:
        """The number of passages that are relevant by the verdicts so far."""
        return sum(passage.verdict is not None and passage.verdict.relevant for passage in self.passages)


def build_judging_status(pool: Pool) -> JudgingStatus:
    """Load the state of a pool in three queries."""
    all_judges = list(pool.judges.select_related("user").order_by("pk"))
    judges = {judge.account_or_pseudonym: judge for judge in all_judges if not judge.adjudicates}
    judgements = group_current_judgements_by_passage(pool)
    passages = [
        build_judged_passage(passage, judgements.get(passage.pk, ()), judges)
        for passage in list_passages_of_unexcluded_articles(pool).order_by("pk")
    ]
    by_pair: dict[JudgedPair, list[VerdictsByJudge]] = {}
    for judged in passages:
        by_pair.setdefault(judged.pair, []).append(judged.marks)
    get_weights = build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
    return JudgingStatus(
        pool,
        passages,
        [_compute_judge_progress(judge, passages, judgements) for judge in judges.values()],
        [judge for judge in all_judges if judge.adjudicates],
        [
            AgreementOfJudges(judges[first], judges[second], agreement)
            for (first, second), agreement in compute_judge_agreements(by_pair, list(judges), get_weights).items()
        ],
    )


def list_passages_of_unexcluded_articles(pool: Pool) -> QuerySet[PooledPassage]:
    """The passages of the articles that count; the others need not be judged."""
    return pool.passages.exclude(article__in=ExcludedArticle.objects.filter(phase=pool.phase_id).values("article"))


def group_current_judgements_by_passage(
    pool: Pool, only_verdicts_of_judge: User | None = None
) -> Mapping[int, Sequence[Judgement]]:
    """Return {key of a passage: its current judgements}, of one judge or, with None, of all; one query."""
    by_passage: dict[int, list[Judgement]] = {}
    judgements = Judgement.objects.filter(passage__pool=pool, superseded__isnull=True).order_by("pk")
    for judgement in (
        judgements
        if only_verdicts_of_judge is None
        else judgements.filter(judge=only_verdicts_of_judge.pk, adjudicates=False)
    ):
        by_passage.setdefault(judgement.passage_id, []).append(judgement)
    return by_passage


def build_judged_passage(
    passage: PooledPassage, judgements: Iterable[Judgement], counted_judges: Container[JudgeKey]
) -> JudgedPassage:
    marks = {
        judgement.account_or_pseudonym: build_verdict(judgement)
        for judgement in judgements
        if not judgement.adjudicates and judgement.account_or_pseudonym in counted_judges
    }
    adjudicated = next((build_verdict(judgement) for judgement in judgements if judgement.adjudicates), None)
    return JudgedPassage(passage, marks, adjudicated)


def build_verdict(judgement: Judgement) -> Verdict:
    return Verdict(judgement.relevant, judgement.best)


def _compute_judge_progress(
    judge: PoolJudge, passages: Sequence[JudgedPassage], judgements: Mapping[int, Sequence[Judgement]]
) -> JudgeProgress:
    own_judgements = [
        judgement
        for passage_judgements in judgements.values()
        for judgement in passage_judgements
        if judgement.account_or_pseudonym == judge.account_or_pseudonym
    ]
    seconds = [
        judgement.seconds for judgement in own_judgements if judgement.seconds is not None and not judgement.adjudicates
    ]
    judged = sum(judge.account_or_pseudonym in passage_judgements.marks for passage_judgements in passages)
    return JudgeProgress(judge, judged, len(passages), median(seconds) if seconds else None)
