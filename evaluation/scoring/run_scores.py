"""Score runs: compare the annotations of a run with the gold standard of its phase, and store the figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from statistics import fmean, median
from time import perf_counter
from typing import Any
from zlib import crc32

from django.db import transaction
from django.utils import timezone

from annotations.schema import AnnotationData, Kind
from bcms.lib.version import VERSION
from evaluation.analyses.scores.leaderboard_scores import (
    BOOTSTRAP_SAMPLES,
    BOOTSTRAP_SEED,
    RunScenarioScore,
)
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Task
from evaluation.errors import ChallengeError
from evaluation.gold.models import Alternatives, GoldStandard
from evaluation.measures.items.counted_types import keep_counted_annotations
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.measures.open_tasks import COMMAND_TASKS, ComparedForm, list_ordering_measures
from evaluation.measures.scored_annotations import (
    KINDS_OF_DATABASE_IDENTIFIERS,
    collect_databases,
    keep_scored_annotations,
)
from evaluation.runs.models import Run
from evaluation.runs.uploads.outcome_news import notify_team_of_first_score
from evaluation.scoring.answers import (
    AnnotationsByArticle,
    load_current_lists,
    load_gold_item_keys_by_name,
    load_open_or_sealed_gold_annotations,
    load_task_annotations,
)
from evaluation.scoring.models import Score
from evaluation.scoring.scenario_scores import (
    list_optional_figure_names,
    score_in_scenarios,
    score_lists_in_scenarios,
    sort_articles_by_name,
)

LONGEST_DESCRIBED_SETTINGS = 200


@dataclass(frozen=True, slots=True)
class ScoredAnswers:
    """The scores of a run, and what is known of its answers to the articles of the gold standard.

    confidence: mean of the scored annotations that have one, or None; articles, answered: number of articles of the
    gold standard, and of those with a result; state, seconds: those of all its answers, as in CurrentAnnotations.
    """

    scenario_scores: Sequence[RunScenarioScore]
    confidence: float | None
    articles: int
    answered: int
    state: str
    seconds: Sequence[float]


def compute_and_store_run_scores(run: Run, now: datetime | None = None) -> Score:
    """Score the stored annotations of one run in every scenario; return the official score.

    An article without an answer counts as unanswered. ChallengeError when the task has no gold standard in the phase.
    """
    start = perf_counter()
    gold = GoldStandard.objects.select_related("task").filter(task=run.task_id, phase=run.phase_id).first()
    if gold is None:
        raise ChallengeError(
            f"{run.task} has no gold standard in the {run.phase.sort} phase. Upload one to score runs."
        )
    kind = Kind(run.task.kind)
    names = dict(sort_articles_by_name(list_unexcluded_article_names(run.phase)))
    are_lists = run.task.settings is None and kind in KINDS_OF_DATABASE_IDENTIFIERS
    scored = (_score_list_answers if are_lists else _score_annotation_answers)(run, gold, names)
    fields = {
        "gold": gold,
        "checksum": gold.checksum,
        "version": VERSION,
        "seen": join_score_fingerprint_parts(
            scored.state, gold.checksum, run.phase.revision, list_optional_figure_names(run.task)
        ),
        "computed": now or timezone.now(),
        "confidence": scored.confidence,
        **_compute_time_fields(scored.seconds),
        "took": perf_counter() - start,
    }
    return _store_scores(
        run,
        [
            _build_score(run, kind, scenario_score, fields, (scored.articles, scored.answered))
            for scenario_score in scored.scenario_scores
        ],
        gold,
    )


def _score_list_answers(run: Run, gold: GoldStandard, name_by_article_id: Mapping[int, str]) -> ScoredAnswers:
    """Score a run of ranked lists."""
    kind = Kind(run.task.kind)
    gold_keys = load_gold_item_keys_by_name(gold, kind, name_by_article_id)
    in_gold = {article: name for article, name in name_by_article_id.items() if name in gold_keys}
    lists = load_current_lists(run.producer_id, kind, in_gold)
    databases = {str(key[0]) for keys in gold_keys.values() for key in keys}
    return ScoredAnswers(
        score_lists_in_scenarios(gold, kind, gold_keys, lists.rows),
        lists.rows.compute_mean_confidence(databases),
        len(gold_keys),
        len(lists.rows.article.names),
        lists.state,
        lists.seconds,
    )


def _score_annotation_answers(run: Run, gold: GoldStandard, name_by_article_id: Mapping[int, str]) -> ScoredAnswers:
    """Score a run of another kind."""
    kind = Kind(run.task.kind)
    gold_by_article, answers = (
        load_open_or_sealed_gold_annotations(gold, kind).by_article,
        load_task_annotations(run.producer_id, run.task),
    )
    in_gold = {article: name for article, name in name_by_article_id.items() if article in gold_by_article}
    keep_scored = _choose_scored_filter(run.task, {article: gold_by_article[article] for article in in_gold})
    answered = [article for article in in_gold if article in answers.by_article]
    return ScoredAnswers(
        score_in_scenarios(gold, kind, in_gold, gold_by_article, answers.by_article),
        mean_confidence(keep_scored(answers.by_article[article]) for article in answered),
        len(in_gold),
        len(answered),
        answers.state,
        answers.seconds,
    )


def _choose_scored_filter(
    task: Task, counted_gold: AnnotationsByArticle
) -> Callable[[Sequence[AnnotationData]], list[AnnotationData]]:
    """The function that keeps the annotations of an article that are scored."""
    if (settings := task.get_settings()) is not None:
        return partial(keep_counted_annotations, settings=settings)
    return partial(keep_scored_annotations, gold_databases=collect_databases(counted_gold))


def mean_confidence(annotation_lists: Iterable[Sequence[AnnotationData]]) -> float | None:
    """The mean confidence of the annotations that have one; None without any."""
    confidences = [
        annotation.confidence
        for annotations in annotation_lists
        for annotation in annotations
        if annotation.confidence is not None
    ]
    return fmean(confidences) if confidences else None


def _compute_time_fields(seconds: Sequence[float]) -> dict[str, float]:
    """The fields of a score for the time per answer; {} when no answer was timed."""
    if not seconds:
        return {}
    return {"seconds_mean": fmean(seconds), "seconds_median": median(seconds), "seconds_slowest": max(seconds)}


def _build_score(
    run: Run, kind: Kind, scenario_score: RunScenarioScore, fields: Mapping[str, Any], official_counts: tuple[int, int]
) -> Score:
    """An unsaved Score; official_counts: articles of the gold standard and answered ones, for the official scenario."""
    articles, answered = (
        official_counts
        if scenario_score.scenario == OFFICIAL_SCENARIO
        else (scenario_score.articles, scenario_score.answered)
    )
    return Score(
        run=run,
        scenario=scenario_score.scenario,
        absent=scenario_score.absent[:300],
        figures=dict(scenario_score.values),
        intervals={name: list(interval) for name, interval in scenario_score.intervals.items()},
        curve=[list(point) for point in scenario_score.curve],
        table=scenario_score.table,
        articles=articles,
        answered=answered,
        samples=BOOTSTRAP_SAMPLES,
        seed=BOOTSTRAP_SEED,
        signature=_format_score_signature(run, kind, fields["gold"], scenario_score.scenario, articles),
        **fields,
    )


@transaction.atomic
def _store_scores(run: Run, scores: Sequence[Score], gold: GoldStandard) -> Score:
    """Store the scores of a run. Earlier ones are deleted if only answers have changed, else superseded and kept."""
    current = Score.objects.filter(run=run, superseded__isnull=True)
    deleted, _ = current.filter(
        seen__endswith=format_score_fingerprint_ending_without_answers(
            gold.checksum, run.phase.revision, list_optional_figure_names(run.task)
        )
    ).delete()
    if not current.update(superseded=scores[0].computed) and not deleted:
        notify_team_of_first_score(run)
    return next(score for score in Score.objects.bulk_create(scores) if score.scenario == OFFICIAL_SCENARIO)


def _format_score_signature(run: Run, kind: Kind, gold: GoldStandard, scenario: str, articles: int) -> str:
    """The measures, scenario, gold standard and software of a score, so that two scores can be compared."""
    if (form := run.task.compared_form) is not None:
        parts = _list_open_signature_parts(run.task, form)
    elif kind == Kind.CLASSIFICATION:
        parts = ["mcc,auc_pr,sensitivity,specificity,accuracy", "unreported:negative"]
    elif kind == Kind.PASSAGE:
        parts = ["mrr,relevant_share", "unjudged:not-relevant"]
    elif kind == Kind.MENTION:
        parts = ["f1,precision,recall", "average:macro,micro", "unanswered:kept", "without-gold:counted"]
        parts += [f"alternatives:sha256:{accepted.checksum[:8]}" for accepted in Alternatives.objects.filter(gold=gold)]
    else:
        parts = ["f1,ap,fap,auc_ipr,precision,recall", "average:macro,micro", "unanswered:kept", "without-gold:ignored"]
    if optional := list_optional_figure_names(run.task):
        parts[0] = ",".join([parts[0], *optional])
    parts += [f"scenario:{scenario}", "profile:bc3", f"bootstrap:{BOOTSTRAP_SAMPLES}", f"seed:{BOOTSTRAP_SEED}"]
    source = [f"gold:sha256:{gold.checksum[:8]}", f"articles:{articles}", f"bcms:{VERSION}"]
    return "|".join([run.task.name.lower(), run.phase.sort, *parts, *source])


def _list_open_signature_parts(task: Task, form: ComparedForm) -> list[str]:
    """The measures and the settings of a task with settings; a checksum for settings that are too long."""
    settings = task.get_settings()
    described = "|".join(settings.describe()) if settings else ""
    if len(described) > LONGEST_DESCRIBED_SETTINGS:
        described = f"settings:sha256:{sha256(described.encode()).hexdigest()[:16]}"
    measures = ",".join(measure.name for measure in list_ordering_measures(form))
    return [COMMAND_TASKS[form], measures, "unanswered:kept", "without-gold:counted", *filter(None, [described])]


def join_score_fingerprint_parts(
    results_state: str, gold_checksum: str, phase_revision: int, optional_figures: Sequence[str]
) -> str:
    """The inputs of a score: state of the Results, gold standard, software, revision of the counted articles, and the
    figures that are computed because the task chose them."""
    ending = format_score_fingerprint_ending_without_answers(gold_checksum, phase_revision, optional_figures)
    return f"{results_state}:{ending}"


def format_score_fingerprint_ending_without_answers(
    gold_checksum: str, phase_revision: int, optional_figures: Sequence[str]
) -> str:
    figures = f":{crc32(','.join(optional_figures).encode()):08x}" if optional_figures else ""
    return f"{gold_checksum[:16]}:{VERSION}:{phase_revision}{figures}"
