"""Power analysis of a task: how small a difference between two runs the test set can detect.

The variation between runs is estimated from the training runs, or assumed when there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.significance.power import (
    deviation_if_articles_differ_by_one,
    pooled_deviation_of_unequal_run_pairs,
    required_articles,
    smallest_detectable_difference_capped_at_one,
)
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.gold.models import GoldStandard
from evaluation.measures.items.split_annotations import MatchedItems, match_items_of_article, split_counted_items
from evaluation.measures.scored_annotations import collect_databases, keep_scored_annotations_by_article
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.models import Run
from evaluation.scoring.answers import load_current_annotations, load_task_annotations

# The variation is estimated from the newest runs, of which these are enough.
MAX_TRAINING_RUNS = 12
# The difference that organizers most often want to detect.
WANTED_DIFFERENCE = 0.05


@dataclass(frozen=True, slots=True)
class PowerAnalysis:
    """What the test set of a task can detect.

    articles: number in the test set; difference: smallest difference between two runs that can be significant, in
    units of unit, None if there is none; source: where the variation comes from, as a sentence; needed: articles to
    detect a difference of WANTED_DIFFERENCE.
    """

    task: Task
    articles: int
    difference: float | None
    unit: str
    source: str
    needed: int


def compute_power_from_training_or_assumed_variation(task: Task, test_phase: Phase) -> PowerAnalysis:
    """For p <= 0.05 and a power of 80 %."""
    articles, (deviation, source) = len(list_unexcluded_article_names(test_phase)), _estimate_training_deviation(task)
    unit = "accuracy" if task.kind == Kind.CLASSIFICATION else "F1 of an article"
    difference = smallest_detectable_difference_capped_at_one(articles, deviation)
    return PowerAnalysis(task, articles, difference, unit, source, required_articles(WANTED_DIFFERENCE, deviation))


def _estimate_training_deviation(task: Task) -> tuple[float, str]:
    """The standard deviation of the difference between two runs on one article, and a sentence about its source."""
    gold = GoldStandard.objects.filter(
        task=task, phase__sort=Phase.Type.TRAINING, phase__challenge=task.challenge_id, producer__isnull=False
    ).first()
    figures = _compute_article_figures(task, gold) if gold is not None else []
    deviation = pooled_deviation_of_unequal_run_pairs(figures)
    if deviation is None:
        source = "Assumed: two runs differ on one article in five. There are no training runs that differ yet."
        return deviation_if_articles_differ_by_one(), source
    return deviation, f"Estimated from the differences between {len(figures)} training runs on each article."


def _compute_article_figures(task: Task, gold: GoldStandard) -> list[list[float]]:
    """A score for each training run on each article that has gold annotations: [runs][articles], from 0 to 1."""
    if (settings := task.get_settings()) is not None:
        return _compute_open_article_figures(task, settings, gold)
    kind = Kind(task.kind)
    gold_annotations = load_current_annotations(gold.producer_id or 0, kind).by_article
    names = list_unexcluded_article_names(gold.phase)
    counted = [article for article in names if kind == Kind.CLASSIFICATION or gold_annotations.get(article)]
    runs = _list_training_runs(task, gold)
    databases = collect_databases({article: gold_annotations.get(article, ()) for article in counted})
    predictions = [
        keep_scored_annotations_by_article(load_current_annotations(run.producer_id, kind).by_article, databases)
        for run in runs
    ]
    score = _classification_accuracy if kind == Kind.CLASSIFICATION else _article_f1
    return [
        [score(gold_annotations.get(article, ()), run.get(article, ())) for article in counted] for run in predictions
    ]


def _list_training_runs(task: Task, gold: GoldStandard) -> list[Run]:
    """The newest training runs that are no baselines."""
    runs = Run.objects.filter(task=task, phase=gold.phase, baseline=False).exclude(sort=Run.Source.BASELINE)
    return list(runs.order_by("-pk")[:MAX_TRAINING_RUNS])


def _compute_open_article_figures(task: Task, settings: TaskSettings, gold: GoldStandard) -> list[list[float]]:
    """For each training run of a task with settings, the F1 of every article with gold items that count."""
    form = None if task.compared_form == "label" else task.compared_form
    gold_annotations = load_current_annotations(gold.producer_id or 0, Kind(task.kind)).by_article
    counted = {
        article: gold_annotations[article]
        for article in list_unexcluded_article_names(gold.phase)
        if split_counted_items(form, gold_annotations.get(article, ()), settings)
    }
    return [
        [
            _matched_f1(match_items_of_article(form, in_article, run.get(article, ()), settings))
            for article, in_article in counted.items()
        ]
        for run in (load_task_annotations(run.producer_id, task).by_article for run in _list_training_runs(task, gold))
    ]


def _matched_f1(matched: MatchedItems) -> float:
    """The F1 of an article that has gold items."""
    hits = len(matched.found)
    return 2 * hits / (2 * hits + len(matched.missed) + len(matched.false))


def _classification_accuracy(gold: Sequence[AnnotationData], predicted: Sequence[AnnotationData]) -> float:
    """1 if the predicted class of an article is correct, else 0. An article without a prediction is negative."""
    return float(any(one.relevant for one in gold) == any(one.relevant for one in predicted))


def _article_f1(gold: Sequence[AnnotationData], predicted: Sequence[AnnotationData]) -> float:
    """The F1 of the predictions for one article that has gold annotations."""
    gold_keys, predicted_keys = {one.key for one in gold}, {one.key for one in predicted}
    return 2 * len(gold_keys & predicted_keys) / (len(gold_keys) + len(predicted_keys))
