"""Score runs: read what a run and the gold standard say of a phase's articles, and store the figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import fmean, median
from time import perf_counter
from typing import Any

from django.db import transaction
from django.db.models import CharField, Count, F, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Result
from bcms.lib.version import VERSION
from evaluation.accessions import tables_for
from evaluation.analyses.board_scores import SAMPLES, SEED, InScenario, of_calls, of_lists, of_mentions, of_passages
from evaluation.analyses.pooling import listed
from evaluation.articles import articles_of
from evaluation.errors import ChallengeError
from evaluation.gold import opened
from evaluation.measures.board_scenarios import OFFICIAL
from evaluation.measures.classification import Judgement
from evaluation.measures.finding_figures import Keys, mention_sides, sides_of
from evaluation.measures.passages import Pair, Verdict
from evaluation.mentions.alternatives import accepted_by
from evaluation.models import Alternatives, GoldStandard, PooledPassage, Run, Score

FINDING_FIELDS = ("confidence", "rank", "database", "identifier", "partner", "relevant", "text", "start", "end", "type")
JUDGED_FIELDS = ("article", "first", "second", "passage", "relevant", "best")
Said = Mapping[int, list[Finding]]
# A run that takes longer to score than this rests for REST times as long before newer answers are scored.
QUICK, REST = 1.0, 10


@dataclass(frozen=True, slots=True)
class Answers:
    """What one producer says in one kind: findings by article, empty lists too; state tells when it has changed.

    seconds: how long each timed answer took.
    """

    findings: Said
    state: str
    seconds: Sequence[float] = field(default=())


def score_run(run: Run, now: datetime | None = None) -> Score:
    """Score one run in every scenario by what is stored now; returns the official score.

    An article without an answer counts as unanswered. ChallengeError when the task has no gold standard in the phase.
    """
    begun = perf_counter()
    gold = GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id).first()
    if gold is None:
        raise ChallengeError(
            f"{run.task} has no gold standard in the {run.phase.sort} phase; upload one to score runs."
        )
    kind, names = Kind(run.task.kind), articles_of(run.phase)
    right, said = right_of(gold, kind), answers_of(run.producer_id, kind)
    known = {article: name for article, name in by_name(names) if article in right.findings}
    scored = in_scenarios(gold, kind, known, right.findings, said.findings)
    fields = {
        "gold": gold,
        "checksum": gold.checksum,
        "version": VERSION,
        "seen": seen(said.state, gold.checksum, run.phase.revision),
        "computed": now or timezone.now(),
        "confidence": mean_confidence(said.findings[article] for article in known if article in said.findings),
        **seconds_of(said.seconds),
        "took": perf_counter() - begun,
    }
    answered = sum(article in said.findings for article in known)
    return store(run, [score_of(run, kind, own, fields, (len(known), answered)) for own in scored], gold)


def by_name(names: Mapping[int, str]) -> list[tuple[int, str]]:
    """Articles and their names in the order of the names, so that samples are drawn alike each time."""
    return sorted(names.items(), key=lambda item: item[1])


def current(producer: int | OuterRef, kind: str | OuterRef) -> QuerySet[Result]:
    return Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)


def answers_of(producer: int, kind: Kind) -> Answers:
    """The current Results of a producer, in two queries.

    What is superseded between the two leaves a state that no longer fits, so that the run is scored again. Places mean
    something in the text that they were found in alone: mentions in a text that the article had before are left out.
    """
    own = F("text_version") if kind != Kind.MENTION else F("article__text_version")
    rows = list(current(producer, kind).values_list("pk", "article_id", "duration", "text_version", own))
    results = {pk: article for pk, article, _, version, wanted in rows if version == wanted}
    findings: dict[int, list[Finding]] = {article: [] for article in results.values()}
    said = Annotation.objects.filter(
        result__producer=producer, result__kind=kind, result__superseded__isnull=True
    ).values_list("result_id", *FINDING_FIELDS)
    for row in said.iterator(chunk_size=10_000):
        result, confidence, rank, database, identifier, partner, relevant, text, start, end, sort = row
        if result in results:
            findings[results[result]].append(
                Finding(
                    kind,
                    confidence,
                    rank,
                    database=database,
                    identifier=identifier,
                    partner=partner,
                    relevant=relevant,
                    text=text,
                    start=start,
                    end=end,
                    type=sort,
                )
            )
    seconds = [duration for _, _, duration, *_ in rows if duration is not None]
    return Answers(findings, f"{len(rows)}:{max((row[0] for row in rows), default=0)}", seconds)


def right_of(gold: GoldStandard, kind: Kind) -> Answers:
    """What is right of a task in a phase. Of a test that is not published it is in the sealed file, which only the
    scoring worker can open: SealError everywhere else."""
    if gold.producer_id is not None:
        return answers_of(gold.producer_id, kind)
    return Answers(opened(gold), gold.checksum)


def in_scenarios(
    gold_standard: GoldStandard, kind: Kind, names: Mapping[int, str], right: Said, said: Said
) -> list[InScenario]:
    """The figures over the articles named in every scenario of the kind; right and said hold findings by article."""
    if kind == Kind.PASSAGE:
        return of_passages(judged(gold_standard, names), submitted(names, said))
    if kind == Kind.MENTION:
        sides = mention_sides(by_names(names, right), by_names(names, said))
        return of_mentions(sides, accepted_by(gold_standard, names))
    if kind == Kind.CLASSIFICATION:
        gold = {name: any(finding.relevant for finding in right[article]) for article, name in names.items()}
        return of_calls(gold, list(judgements(names, said)))
    keys: dict[str, Keys] = {name: frozenset(finding.key for finding in right[pk]) for pk, name in names.items()}
    sides = sides_of(keys, {name: said[article] for article, name in names.items() if article in said})
    return of_lists(sides, tables_for(kind, sides, {str(key[0]) for own in keys.values() for key in own}))


def by_names(names: Mapping[int, str], said: Said) -> dict[str, list[Finding]]:
    return {name: said[article] for article, name in names.items() if article in said}


def judgements(names: Mapping[int, str], said: Said) -> Iterable[Judgement]:
    """A run's calls; an article with an empty Result has none and is an unreported one."""
    for article, name in names.items():
        for finding in said.get(article, ())[:1]:
            yield Judgement(name, bool(finding.relevant), finding.rank, finding.confidence)


def judged(gold: GoldStandard, names: Mapping[int, str]) -> dict[Pair, dict[str, Verdict]]:
    """What was decided of the pooled passages of the articles named when their judging was closed."""
    rows = PooledPassage.objects.filter(pool__task=gold.task_id, pool__phase=gold.phase_id, relevant__isnull=False)
    verdicts: dict[Pair, dict[str, Verdict]] = {}
    for article, first, second, passage, relevant, best in rows.order_by("pk").values_list(*JUDGED_FIELDS):
        if article in names:
            pair = (names[article], first, second)
            verdicts.setdefault(pair, {})[passage] = Verdict(bool(relevant), bool(best))
    return {pair: verdicts[pair] for pair in sorted(verdicts)}


def submitted(names: Mapping[int, str], said: Said) -> dict[Pair, list[str]]:
    """A run's passages of each pair, best first."""
    return {
        (name, *pair): passages
        for article, name in names.items()
        for pair, passages in listed(said.get(article, ())).items()
    }


def mean_confidence(lists: Iterable[Sequence[Finding]]) -> float | None:
    """The mean of the confidences that the findings have; None where none has any."""
    sure = [finding.confidence for findings in lists for finding in findings if finding.confidence is not None]
    return fmean(sure) if sure else None


def seconds_of(seconds: Sequence[float]) -> dict[str, float]:
    """The fields of a score that say how fast the answers came; none where no answer was timed."""
    if not seconds:
        return {}
    return {"seconds_mean": fmean(seconds), "seconds_median": median(seconds), "seconds_slowest": max(seconds)}


def score_of(run: Run, kind: Kind, own: InScenario, fields: Mapping[str, Any], counted: tuple[int, int]) -> Score:
    """A score to be stored; counted: articles of the gold standard and those answered, for the official one."""
    articles, answered = counted if own.scenario == OFFICIAL else (own.articles, own.answered)
    return Score(
        run=run,
        scenario=own.scenario,
        absent=own.absent[:300],
        figures=dict(own.values),
        intervals={name: list(interval) for name, interval in own.intervals.items()},
        curve=[list(point) for point in own.curve],
        table=own.table,
        articles=articles,
        answered=answered,
        samples=SAMPLES,
        seed=SEED,
        signature=signature(run, kind, fields["gold"], own.scenario, articles),
        **fields,
    )


@transaction.atomic
def store(run: Run, scores: Sequence[Score], gold: GoldStandard) -> Score:
    """Store the scores of a run; what they replace goes if it was made in the same way of fewer answers, else stays."""
    before = Score.objects.filter(run=run, superseded__isnull=True)
    before.filter(seen__endswith=basis(gold.checksum, run.phase.revision)).delete()
    before.update(superseded=scores[0].computed)
    return next(score for score in Score.objects.bulk_create(scores) if score.scenario == OFFICIAL)


def signature(run: Run, kind: Kind, gold: GoldStandard, scenario: str, articles: int) -> str:
    """What the figures mean, so that two scores can be compared: measures, scenario, gold standard, software."""
    if kind == Kind.CLASSIFICATION:
        how = ["mcc,auc_pr,sensitivity,specificity,accuracy", "unreported:negative"]
    elif kind == Kind.PASSAGE:
        how = ["mrr,relevant_share", "unjudged:not-relevant"]
    elif kind == Kind.MENTION:
        how = ["f1,precision,recall", "average:macro,micro", "unanswered:kept", "without-gold:counted"]
        how += [f"alternatives:sha256:{own.checksum[:8]}" for own in Alternatives.objects.filter(gold=gold)]
    else:
        how = ["f1,ap,fap,auc_ipr,precision,recall", "average:macro,micro", "unanswered:kept", "without-gold:ignored"]
    how += [f"scenario:{scenario}", "profile:bc3", f"bootstrap:{SAMPLES}", f"seed:{SEED}"]
    source = [f"gold:sha256:{gold.checksum[:8]}", f"articles:{articles}", f"bcms:{VERSION}"]
    return "|".join([run.task.name.lower(), run.phase.sort, *how, *source])


def seen(state: str, checksum: str, revision: int) -> str:
    """What a score was made from: number of Results, the latest, gold standard, software, articles that count."""
    return f"{state}:{basis(checksum, revision)}"


def basis(checksum: str, revision: int) -> str:
    return f"{checksum[:16]}:{VERSION}:{revision}"


def stale_runs(now: datetime | None = None) -> list[Run]:
    """Runs with an answer and a gold standard whose score is missing or was made from something else, in one query."""
    state = (
        current(OuterRef("producer"), OuterRef("task__kind"))
        .values("producer")
        .annotate(state=Concat(Cast(Count("pk"), CharField()), Value(":"), Cast(Max("pk"), CharField())))
        .values("state")
    )
    checksum = GoldStandard.objects.filter(task=OuterRef("task"), phase=OuterRef("phase")).values("checksum")
    last = Score.objects.filter(run=OuterRef("pk"), scenario=OFFICIAL, superseded__isnull=True)
    runs = Run.objects.select_related("task", "phase__corpus").filter(withdrawn__isnull=True).order_by("pk")
    rows = runs.annotate(
        state=Subquery(state),
        checksum=Subquery(checksum),
        last=Subquery(last.values("seen")),
        scored=Subquery(last.values("computed")),
        took=Subquery(last.values("took")),
    )
    candidates = rows.filter(state__isnull=False, checksum__isnull=False)
    return [run for run in candidates if due(run, now or timezone.now())]


def due(run: Any, now: datetime) -> bool:
    """Whether a run as stale_runs reads it is to be scored now."""
    basis_now = seen(run.state, run.checksum, run.phase.revision)
    if run.last == basis_now:
        return False
    resting = run.took is not None and run.took > QUICK and run.last.endswith(basis(run.checksum, run.phase.revision))
    return not (resting and run.scored + timedelta(seconds=REST * run.took) > now)
