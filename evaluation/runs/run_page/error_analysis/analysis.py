"""Error analysis of a run against its gold standard: errors by cause and by group, articles with errors, best cut-offs.

run_page/lookup.py decides who may see it. A sealed gold standard has no Results to compare with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.cache import cache

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.cutoff_search import (
    Averaging,
    CutoffSearch,
    search_lowest_confidence_with_best_fap,
    search_lowest_rank_with_best_fap,
)
from evaluation.analyses.error_causes import (
    ScoringError,
    count_error_causes_false_negatives_first,
    list_errors_with_likely_causes,
)
from evaluation.analyses.item_groups import GroupCounter, ItemGroup
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Task
from evaluation.gold.alternatives import AcceptedSpans, find_accepted_spans_unsealing
from evaluation.gold.models import GoldStandard
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.items.task_columns import build_item_columns, build_item_scenario
from evaluation.measures.leaderboard_figures import build_gene_or_untyped_mention_columns
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.open_tasks import choose_compared_form
from evaluation.measures.scored_annotations import collect_databases, keep_scored_annotations_by_article
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.models import Run
from evaluation.runs.run_page.article_comparison import (
    collect_annotation_keys,
    format_relevance,
)
from evaluation.runs.run_page.columns import build_gold_columns, build_label_columns, build_run_columns
from evaluation.runs.run_page.error_analysis.item_groups import (
    count_listed_items_by_organism_or_name,
    count_open_items_by_type,
)
from evaluation.scoring.answers import (
    AnnotationsByArticle,
    load_current_annotations,
    load_open_or_sealed_gold_annotations,
    load_task_annotations,
)
from evaluation.scoring.gold_databases import find_gold_databases_else_of_another_phase
from evaluation.scoring.models import Score
from evaluation.scoring.scenario_scores import index_annotations_by_name

ANALYSIS_CACHE_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class CauseRow:
    """One cause of false negatives (miss) or false positives, and its share of them."""

    miss: bool
    cause: str
    number: int
    share: float


@dataclass(frozen=True, slots=True)
class BestCutoff:
    """The cut-off with the highest FAP. by: "confidence" or "rank"; uncut: the FAP without a cut-off."""

    by: str
    value: float
    fap: float
    uncut: float

    @property
    def formatted(self) -> str:
        return f"{self.value:g}"

    @property
    def cuts(self) -> bool:
        """Whether the cut-off improves the FAP."""
        return self.fap > self.uncut


@dataclass(frozen=True, slots=True)
class RunErrorAnalysis:
    """The causes of a run's errors, its best cut-offs, and the keys of the articles with an error.

    groups: its items by what groups_by says, such as “Organism”; none for what has no groups.
    """

    causes: Sequence[CauseRow]
    cuts: Sequence[BestCutoff]
    faulty: Sequence[int]
    groups_by: str = ""
    groups: Sequence[ItemGroup] = ()

    @property
    def largest_group(self) -> int:
        """The number of items that fills the bar of a group."""
        return max((group.items for group in self.groups), default=0)


def find_unsealed_gold(run: Run) -> GoldStandard | None:
    """Return the gold standard of a run's task and phase, None if there is none or it is sealed."""
    return GoldStandard.objects.filter(task=run.task_id, phase=run.phase_id, producer__isnull=False).first()


def get_or_compute_cached_error_analysis(run: Run, gold: GoldStandard, score: Score) -> RunErrorAnalysis:
    """The analysis of a run, cached for an hour per score."""
    key = f"analysis-in-groups:{run.pk}:{score.pk}:{score.computed.timestamp()}"
    analysis: RunErrorAnalysis | None = cache.get(key)
    if analysis is None:
        analysis = _analyse_run(run, gold)
        cache.set(key, analysis, ANALYSIS_CACHE_SECONDS)
    return analysis


def _analyse_run(run: Run, gold: GoldStandard) -> RunErrorAnalysis:
    kind, names = Kind(run.task.kind), list_unexcluded_article_names(run.phase)
    gold_annotations = load_open_or_sealed_gold_annotations(gold, kind).by_article
    run_annotations: AnnotationsByArticle = load_task_annotations(run.producer_id, run.task).by_article
    names_in_gold = {article: name for article, name in names.items() if article in gold_annotations}
    if (settings := run.task.get_settings()) is not None:
        return _analyse_open_items(run.task, settings, names_in_gold, gold_annotations, run_annotations)
    run_annotations = keep_scored_annotations_by_article(
        run_annotations, collect_databases({article: gold_annotations[article] for article in names_in_gold})
    )
    if kind == Kind.CLASSIFICATION:
        return _analyse_classes(names_in_gold, gold_annotations, run_annotations)
    if kind == Kind.PASSAGE:
        return RunErrorAnalysis(
            [],
            [],
            [
                pk
                for pk in names_in_gold
                if collect_annotation_keys(run_annotations.get(pk, ())) != collect_annotation_keys(gold_annotations[pk])
            ],
        )
    if kind == Kind.MENTION:
        return _analyse_mentions(
            names_in_gold, gold_annotations, run_annotations, find_accepted_spans_unsealing(gold, names_in_gold)
        )
    analysis = _analyse_ranked_lists(
        names_in_gold, gold_annotations, run_annotations, average="micro" if kind == Kind.METHOD else "macro"
    )
    groups_by, groups = count_listed_items_by_organism_or_name(kind, names_in_gold, gold_annotations, run_annotations)
    return replace(analysis, groups_by=groups_by, groups=groups)


def _analyse_classes(
    names: Mapping[int, str], gold_annotations: AnnotationsByArticle, run_annotations: AnnotationsByArticle
) -> RunErrorAnalysis:
    classes = {
        pk: (format_relevance(run_annotations.get(pk, ())), format_relevance(gold_annotations[pk])) for pk in names
    }
    counter = GroupCounter()
    for said, right in classes.values():
        counter.add_class(said, right)
    faulty = [pk for pk, (said, right) in classes.items() if said != right]
    return RunErrorAnalysis([], [], faulty, "Class", counter.list_largest_groups())


def _analyse_open_items(
    task: Task,
    settings: TaskSettings,
    names: Mapping[int, str],
    gold_annotations: AnnotationsByArticle,
    run_annotations: AnnotationsByArticle,
) -> RunErrorAnalysis:
    """Analyse a run of a task with settings."""
    form = choose_compared_form(Kind(task.kind), settings)
    groups_by, groups = count_open_items_by_type(task, settings, names, gold_annotations, run_annotations)
    if form == "label":
        gold, run = (
            build_label_columns(names, annotations, settings.label_set)
            for annotations in (gold_annotations, run_annotations)
        )
        errors = list_errors_with_likely_causes(
            GoldColumns(*gold), RunColumns(*run), ScoringScenario(empty_documents=True)
        )
        return replace(_build_run_analysis(names, errors, []), groups_by=groups_by, groups=groups)
    columns = build_item_columns(
        form,
        index_annotations_by_name(names, gold_annotations),
        index_annotations_by_name(names, run_annotations),
        settings,
    )
    scenario = build_item_scenario(form, settings)
    errors = list_errors_with_likely_causes(columns.gold, columns.run, scenario)
    return replace(_build_run_analysis(names, errors, []), groups_by=groups_by, groups=groups)


def _analyse_ranked_lists(
    names: Mapping[int, str],
    gold_annotations: AnnotationsByArticle,
    run_annotations: AnnotationsByArticle,
    average: Averaging,
) -> RunErrorAnalysis:
    """Analyse lists of items. Articles without an item in the gold standard count in the causes, but not in figures."""
    gold, run = build_gold_columns(names, gold_annotations), build_run_columns(names, run_annotations)
    errors, cuts = list_errors_with_likely_causes(gold, run), []
    if len(run) and len(gold.item):
        cuts = [_build_best_cutoff(search_lowest_rank_with_best_fap(gold, run, average=average))]
        if run.confidence is not None:
            cuts.insert(0, _build_best_cutoff(search_lowest_confidence_with_best_fap(gold, run, average=average)))
    return _build_run_analysis(names, errors, cuts)


def _analyse_mentions(
    names: Mapping[int, str],
    gold_annotations: AnnotationsByArticle,
    run_annotations: AnnotationsByArticle,
    accepted: AcceptedSpans | None,
) -> RunErrorAnalysis:
    """Analyse gene mentions, which have no order and so no cut-off."""
    columns = build_gene_or_untyped_mention_columns(
        index_annotations_by_name(names, gold_annotations), index_annotations_by_name(names, run_annotations)
    )
    scenario = ScoringScenario(empty_documents=True, alternatives=accepted)
    return _build_run_analysis(names, list_errors_with_likely_causes(columns.gold, columns.run, scenario), [])


def _build_run_analysis(
    names: Mapping[int, str], errors: Sequence[ScoringError], cuts: Sequence[BestCutoff]
) -> RunErrorAnalysis:
    totals = {miss: sum(error.is_false_negative == miss for error in errors) for miss in (True, False)}
    causes = [
        CauseRow(miss, str(cause), count, count / totals[miss])
        for miss, cause, count in count_error_causes_false_negatives_first(errors)
    ]
    names_with_error = {error.document for error in errors}
    return RunErrorAnalysis(causes, cuts, [pk for pk, name in names.items() if name in names_with_error])


def _build_best_cutoff(search: CutoffSearch) -> BestCutoff:
    uncut = search.tried[0] if search.criterion == "confidence" else search.tried[-1]
    return BestCutoff(search.criterion, search.value, search.fap, uncut.fap)


def load_scored_run_annotations(run: Run) -> Mapping[int, Sequence[AnnotationData]]:
    """The current annotations of a run that are scored, by key of the article.

    While the gold standard is sealed, its databases are those of the task in another phase, where cut-offs are found.
    """
    annotations = load_current_annotations(run.producer_id, Kind(run.task.kind)).by_article
    databases = find_gold_databases_else_of_another_phase(run.task, run.phase)
    return annotations if databases is None else keep_scored_annotations_by_article(annotations, databases)
