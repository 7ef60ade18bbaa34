"""What the test set of a task can tell: from how much the training runs differ, or from a stated assumption."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.kinds import Finding, Kind
from evaluation.analyses.resolution import articles_needed, assumed_spread, smallest_difference, spread_of
from evaluation.articles import articles_of
from evaluation.models import GoldStandard, Phase, Run, Task
from evaluation.scoring import answers_of

# A spread needs no more runs than these, the newest.
MOST_RUNS = 12
# The difference that organizers most often want to tell.
WISHED = 0.05


@dataclass(frozen=True, slots=True)
class Resolution:
    """difference: the smallest one between two runs that could be called significant, in unit; None when there is
    none; source says where the spread comes from; needed: articles that would tell a difference of 0.05."""

    task: Task
    articles: int
    difference: float | None
    unit: str
    source: str
    needed: int


def resolution_of(task: Task, test: Phase) -> Resolution:
    """p <= 0.05 with 80 % power; the training runs of the task say how much two runs differ from article to article."""
    articles, (spread, source) = len(articles_of(test)), spread_in_training(task)
    unit = "accuracy" if task.kind == Kind.CLASSIFICATION else "F1 of an article"
    difference = smallest_difference(articles, spread)
    return Resolution(task, articles, difference, unit, source, articles_needed(WISHED, spread))


def spread_in_training(task: Task) -> tuple[float, str]:
    gold = GoldStandard.objects.filter(
        task=task, phase__sort=Phase.Sort.TRAINING, phase__challenge=task.challenge_id, producer__isnull=False
    ).first()
    figures = figures_of_runs(task, gold) if gold is not None else []
    spread = spread_of(figures)
    if spread is None:
        said = "No two training runs differ yet; assumed is that two runs differ in one article of five."
        return assumed_spread(), said
    return spread, f"From how much {len(figures)} training runs differ from article to article."


def figures_of_runs(task: Task, gold: GoldStandard) -> list[list[float]]:
    """One figure for each training run and each article with something right: the share of it that the run has."""
    kind = Kind(task.kind)
    right = answers_of(gold.producer_id or 0, kind).findings
    names = articles_of(gold.phase)
    counted = [article for article in names if kind == Kind.CLASSIFICATION or right.get(article)]
    runs = Run.objects.filter(task=task, phase=gold.phase).exclude(sort=Run.Sort.BASELINE).order_by("-pk")
    said = [answers_of(run.producer_id, kind).findings for run in runs[:MOST_RUNS]]
    figure = agreed if kind == Kind.CLASSIFICATION else f1
    return [[figure(right.get(article, ()), own.get(article, ())) for article in counted] for own in said]


def agreed(right: Sequence[Finding], said: Sequence[Finding]) -> float:
    """Whether a run's class is the right one; an article without an answer is judged negative."""
    return float(any(own.relevant for own in right) == any(own.relevant for own in said))


def f1(right: Sequence[Finding], said: Sequence[Finding]) -> float:
    """Of one article with something right."""
    wanted, got = {own.key for own in right}, {own.key for own in said}
    return 2 * len(wanted & got) / (len(wanted) + len(got))
