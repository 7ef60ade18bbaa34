"""The figures of a run in every scenario of its kind, from the annotations of the run and the gold standard."""

from collections.abc import Iterable, Mapping, Sequence

from annotations.schema import SEVEN_KINDS, AnnotationData, Kind
from evaluation.analyses.passage_pools import list_distinct_passages_best_first_by_pair
from evaluation.analyses.scores.item_scores import score_items_in_scenarios, score_labels_in_official_scenario
from evaluation.analyses.scores.leaderboard_scores import (
    RunScenarioScore,
    score_calls_in_official_scenario,
    score_mentions_in_scenarios,
    score_or_explain_lists_in_every_scenario,
    score_passages_in_official_scenario,
)
from evaluation.challenges.models import Task
from evaluation.gold.alternatives import find_accepted_spans_unsealing
from evaluation.gold.models import GoldStandard
from evaluation.measures.classification.article_calls import ArticleCall
from evaluation.measures.leaderboard_figures import (
    ItemKeys,
    build_gene_or_untyped_mention_columns,
    build_list_columns_in_gold_databases,
)
from evaluation.measures.lists.list_rows import ListRows
from evaluation.measures.open_tasks import choose_compared_form
from evaluation.measures.passages import PassagePair, Verdict
from evaluation.measures.registry import list_chosen_optional_measures
from evaluation.measures.task_settings import TaskSettings
from evaluation.pooling.models import PooledPassage
from evaluation.scoring.accession_tables import load_accession_tables
from evaluation.scoring.answers import AnnotationsByArticle

AnnotationsByName = Mapping[str, Sequence[AnnotationData]]
VERDICT_FIELDS = ("article", "first", "second", "passage", "relevant", "best")


def list_optional_figure_names(task: Task) -> list[str]:
    """The figures that are computed because the task chose them; none for tasks with settings or an unknown kind."""
    if task.settings is not None or task.kind not in set(SEVEN_KINDS):
        return []
    chosen = list_chosen_optional_measures(Kind(task.kind), {task.primary, *task.further})
    return [measure.name for measure in chosen]


def sort_articles_by_name(name_by_article_id: Mapping[int, str]) -> list[tuple[int, str]]:
    """(article, name) in the order of the names, so that the bootstrap draws the same samples each time."""
    return sorted(name_by_article_id.items(), key=lambda item: item[1])


def score_in_scenarios(
    gold_standard: GoldStandard,
    kind: Kind,
    name_by_article_id: Mapping[int, str],
    gold_by_article: AnnotationsByArticle,
    predictions_by_article: AnnotationsByArticle,
) -> list[RunScenarioScore]:
    """Score the articles in `name_by_article_id`, {article: name}, in every scenario of the kind.

    gold_by_article, predictions_by_article: {article: annotations}.
    """
    if (settings := gold_standard.task.get_settings()) is not None:
        return score_with_settings(
            kind,
            settings,
            index_annotations_by_name(name_by_article_id, gold_by_article),
            index_annotations_by_name(name_by_article_id, predictions_by_article),
        )
    optional_figures = list_optional_figure_names(gold_standard.task)
    if kind == Kind.PASSAGE:
        return score_passages_in_official_scenario(
            load_passage_verdicts(gold_standard, name_by_article_id),
            rank_passages_by_article_and_pair(name_by_article_id, predictions_by_article),
        )
    if kind == Kind.MENTION:
        columns = build_gene_or_untyped_mention_columns(
            index_annotations_by_name(name_by_article_id, gold_by_article),
            index_annotations_by_name(name_by_article_id, predictions_by_article),
        )
        return score_mentions_in_scenarios(columns, find_accepted_spans_unsealing(gold_standard, name_by_article_id))
    if kind == Kind.CLASSIFICATION:
        relevance = {
            name: any(annotation.relevant for annotation in gold_by_article[article])
            for article, name in name_by_article_id.items()
        }
        return score_calls_in_official_scenario(
            relevance,
            list(iter_first_call_per_article(name_by_article_id, predictions_by_article)),
            optional_figures=optional_figures,
        )
    raise ValueError(f"Annotations of the kind {kind} are scored as lists, by score_lists_in_scenarios.")


def score_lists_in_scenarios(
    gold_standard: GoldStandard,
    kind: Kind,
    gold_keys_by_name: Mapping[str, ItemKeys],
    rows: ListRows,
) -> list[RunScenarioScore]:
    """Score the rows of a run of ranked lists in every scenario; gold_keys_by_name: {article: keys of its items}."""
    columns = build_list_columns_in_gold_databases(gold_keys_by_name, rows)
    return score_or_explain_lists_in_every_scenario(
        columns,
        load_accession_tables(kind, columns, {str(key[0]) for keys in gold_keys_by_name.values() for key in keys}),
        optional_figures=list_optional_figure_names(gold_standard.task),
    )


def score_with_settings(
    kind: Kind, settings: TaskSettings, gold: AnnotationsByName, run: AnnotationsByName
) -> list[RunScenarioScore]:
    """Score a run of a task with settings; gold, run: {article name: annotations}, sorted by name."""
    form = choose_compared_form(kind, settings)
    if form == "label":
        return score_labels_in_official_scenario(gold, run, settings.label_set)
    return score_items_in_scenarios(form, gold, run, settings)


def index_annotations_by_name(
    name_by_article_id: Mapping[int, str], annotations_by_article: AnnotationsByArticle
) -> dict[str, list[AnnotationData]]:
    return {
        name: annotations_by_article[article]
        for article, name in name_by_article_id.items()
        if article in annotations_by_article
    }


def iter_first_call_per_article(
    name_by_article_id: Mapping[int, str], predictions_by_article: AnnotationsByArticle
) -> Iterable[ArticleCall]:
    """The calls of a run; an article with an empty Result has none and counts as unreported."""
    for article, name in name_by_article_id.items():
        for annotation in predictions_by_article.get(article, ())[:1]:
            yield ArticleCall(name, bool(annotation.relevant), annotation.rank, annotation.confidence)


def load_passage_verdicts(
    gold: GoldStandard, name_by_article_id: Mapping[int, str]
) -> dict[PassagePair, dict[str, Verdict]]:
    """{pair: {passage: verdict}} of the judged pooled passages of these articles, {article: name}."""
    rows = PooledPassage.objects.filter(pool__task=gold.task_id, pool__phase=gold.phase_id, relevant__isnull=False)
    verdicts: dict[PassagePair, dict[str, Verdict]] = {}
    for article, first, second, passage, relevant, best in rows.order_by("pk").values_list(*VERDICT_FIELDS):
        if article in name_by_article_id:
            pair = (name_by_article_id[article], first, second)
            verdicts.setdefault(pair, {})[passage] = Verdict(bool(relevant), bool(best))
    return {pair: verdicts[pair] for pair in sorted(verdicts)}


def rank_passages_by_article_and_pair(
    name_by_article_id: Mapping[int, str], predictions_by_article: AnnotationsByArticle
) -> dict[PassagePair, list[str]]:
    """{pair: passages, best first} of a run; name_by_article_id: {article: name}."""
    return {
        (name, *pair): passages
        for article, name in name_by_article_id.items()
        for pair, passages in list_distinct_passages_best_first_by_pair(predictions_by_article.get(article, ())).items()
    }
