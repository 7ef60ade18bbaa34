"""Score runs: read what a run and the gold standard say of a phase's articles, and store the figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import CharField, Count, F, Max, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Article, Result
from bcms.lib.version import VERSION
from evaluation.errors import ChallengeError
from evaluation.measures.classification import Judgement
from evaluation.measures.finding_figures import Figures, Keys, of_classification, of_lists
from evaluation.models import GoldStandard, Phase, Run, Score

FINDING_FIELDS = ("confidence", "rank", "database", "identifier", "partner", "relevant")
Said = Mapping[int, list[Finding]]


@dataclass(frozen=True, slots=True)
class Answers:
    """What one producer says in one kind: findings by article, empty lists too; state tells when it has changed."""

    findings: Said
    state: str


def score_run(run: Run, now: datetime | None = None) -> Score:
    """Score one run by what is stored now, and store it in the place of its earlier score.

    An article without an answer counts as unanswered. ChallengeError when the task has no gold standard in the phase.
    """
    gold = GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id).first()
    if gold is None:
        raise ChallengeError(
            f"{run.task} has no gold standard in the {run.phase.sort} phase; upload one to score runs."
        )
    kind, names = Kind(run.task.kind), names_in(run.phase)
    right, said = answers_of(gold.producer_id, kind), answers_of(run.producer_id, kind)
    known = {article: name for article, name in names.items() if article in right.findings}
    figures = figures_of(kind, known, right.findings, said.findings)
    score, _ = Score.objects.update_or_create(
        run=run,
        defaults={
            "gold": gold,
            "figures": dict(figures.values),
            "curve": [list(point) for point in figures.curve],
            "articles": len(known),
            "answered": sum(article in said.findings for article in known),
            "signature": signature(run, kind, gold, len(known)),
            "seen": seen(said.state, gold.checksum),
            "computed": now or timezone.now(),
        },
    )
    return score


def names_in(phase: Phase) -> dict[int, str]:
    """What the phase calls its articles: the PMID or DOI, in a blind corpus the opaque id. Ties go by this name."""
    rows = Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "pmid", "doi", "opaque")
    if phase.corpus.blind:
        return {pk: opaque for pk, _, _, opaque in rows}
    return {pk: str(pmid or doi or opaque) for pk, pmid, doi, opaque in rows}


def current(producer: int | OuterRef, kind: str | OuterRef) -> QuerySet[Result]:
    return Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)


def answers_of(producer: int, kind: Kind) -> Answers:
    """The current Results of a producer, in two queries.

    What is superseded between the two leaves a state that no longer fits, so that the run is scored again.
    """
    results = dict(current(producer, kind).values_list("pk", "article_id"))
    findings: dict[int, list[Finding]] = {article: [] for article in results.values()}
    rows = Annotation.objects.filter(
        result__producer=producer, result__kind=kind, result__superseded__isnull=True
    ).values_list("result_id", *FINDING_FIELDS)
    for result, confidence, rank, database, identifier, partner, relevant in rows:
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
                )
            )
    return Answers(findings, f"{len(results)}:{max(results, default=0)}")


def figures_of(kind: Kind, names: Mapping[int, str], right: Said, said: Said) -> Figures:
    """The figures over the articles named; right and said hold findings by article."""
    if kind == Kind.CLASSIFICATION:
        gold = {name: any(finding.relevant for finding in right[article]) for article, name in names.items()}
        return of_classification(gold, list(judgements(names, said)))
    keys: dict[str, Keys] = {name: frozenset(finding.key for finding in right[pk]) for pk, name in names.items()}
    return of_lists(keys, {name: said[article] for article, name in names.items() if article in said})


def judgements(names: Mapping[int, str], said: Said) -> Iterable[Judgement]:
    """A run's calls; an article with an empty Result has none and is an unreported one."""
    for article, name in names.items():
        for finding in said.get(article, ())[:1]:
            yield Judgement(name, bool(finding.relevant), finding.rank, finding.confidence)


def signature(run: Run, kind: Kind, gold: GoldStandard, articles: int) -> str:
    """What the figures mean, so that two scores can be compared: measures, scenario, gold standard, software."""
    if kind == Kind.CLASSIFICATION:
        scenario = ["mcc,auc_pr,sensitivity,specificity,accuracy", "unreported:negative"]
    else:
        measures = "f1,ap,fap,auc_ipr,precision,recall"
        scenario = [measures, "average:macro,micro", "unanswered:kept", "without-gold:ignored"]
    source = ["profile:bc3", f"gold:sha256:{gold.checksum[:8]}", f"articles:{articles}", f"bcms:{VERSION}"]
    return "|".join([run.task.name.lower(), run.phase.sort, *scenario, *source])


def seen(state: str, checksum: str) -> str:
    """What a score was made from: how many Results, the latest of them, and the gold standard."""
    return f"{state}:{checksum[:16]}"


def stale_runs() -> list[Run]:
    """Runs with an answer and a gold standard whose score is missing or was made from other Results, in one query."""
    state = (
        current(OuterRef("producer"), OuterRef("task__kind"))
        .values("producer")
        .annotate(state=Concat(Cast(Count("pk"), CharField()), Value(":"), Cast(Max("pk"), CharField())))
        .values("state")
    )
    checksum = GoldStandard.objects.filter(task=OuterRef("task"), phase=OuterRef("phase")).values("checksum")
    runs = Run.objects.select_related("task", "phase__corpus").order_by("pk")
    rows = runs.annotate(state=Subquery(state), checksum=Subquery(checksum), last=F("score__seen"))
    candidates = rows.filter(state__isnull=False, checksum__isnull=False)
    return [run for run in candidates if run.last != seen(run.state, run.checksum)]
