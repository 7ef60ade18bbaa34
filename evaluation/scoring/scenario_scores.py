"""The figures of a run in every scenario of its kind, from the annotations of the run and the gold standard."""

from collections.abc import Iterable, Mapping

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.leaderboard_scores import (
    RunScenarioScore,
    score_calls_in_scenarios,
    score_lists_in_scenarios,
    score_mentions_in_scenarios,
    score_passages_in_scenarios,
)
from evaluation.analyses.passage_pools import rank_passages_by_pair
from evaluation.gold.alternatives import find_accepted_spans
from evaluation.gold.models import GoldStandard
from evaluation.measures.classification import ArticleCall
from evaluation.measures.leaderboard_figures import ItemKeys, build_list_columns, build_mention_columns
from evaluation.measures.passages import PassagePair, Verdict
from evaluation.pooling.models import PooledPassage
from evaluation.scoring.accession_tables import load_accession_tables
from evaluation.scoring.answers import AnnotationsByArticle

VERDICT_FIELDS = ("article", "first", "second", "passage", "relevant", "best")


def sort_articles_by_name(names: Mapping[int, str]) -> list[tuple[int, str]]:
    """(article, name) in the order of the names, so that the bootstrap draws the same samples each time."""
    return sorted(names.items(), key=lambda item: item[1])


def score_in_scenarios(
    gold_standard: GoldStandard,
    kind: Kind,
    names: Mapping[int, str],
    gold: AnnotationsByArticle,
    predictions: AnnotationsByArticle,
) -> list[RunScenarioScore]:
    """Score the articles in `names`, {article: name}, in every scenario of the kind.

    gold, predictions: {article: annotations}.
    """
    if kind == Kind.PASSAGE:
        return score_passages_in_scenarios(
            load_passage_verdicts(gold_standard, names), group_passages_by_pair(names, predictions)
        )
    if kind == Kind.MENTION:
        columns = build_mention_columns(
            index_annotations_by_name(names, gold), index_annotations_by_name(names, predictions)
        )
        return score_mentions_in_scenarios(columns, find_accepted_spans(gold_standard, names))
    if kind == Kind.CLASSIFICATION:
        relevance = {name: any(annotation.relevant for annotation in gold[article]) for article, name in names.items()}
        return score_calls_in_scenarios(relevance, list(iter_article_calls(names, predictions)))
    keys: dict[str, ItemKeys] = {
        name: frozenset(annotation.key for annotation in gold[article]) for article, name in names.items()
    }
    columns = build_list_columns(
        keys, {name: predictions[article] for article, name in names.items() if article in predictions}
    )
    return score_lists_in_scenarios(
        columns, load_accession_tables(kind, columns, {str(key[0]) for gold_keys in keys.values() for key in gold_keys})
    )


def index_annotations_by_name(
    names: Mapping[int, str], annotations: AnnotationsByArticle
) -> dict[str, list[AnnotationData]]:
    return {name: annotations[article] for article, name in names.items() if article in annotations}


def iter_article_calls(names: Mapping[int, str], predictions: AnnotationsByArticle) -> Iterable[ArticleCall]:
    """The calls of a run; an article with an empty Result has none and counts as unreported."""
    for article, name in names.items():
        for annotation in predictions.get(article, ())[:1]:
            yield ArticleCall(name, bool(annotation.relevant), annotation.rank, annotation.confidence)


def load_passage_verdicts(gold: GoldStandard, names: Mapping[int, str]) -> dict[PassagePair, dict[str, Verdict]]:
    """{pair: {passage: verdict}} of the judged pooled passages of these articles, {article: name}."""
    rows = PooledPassage.objects.filter(pool__task=gold.task_id, pool__phase=gold.phase_id, relevant__isnull=False)
    verdicts: dict[PassagePair, dict[str, Verdict]] = {}
    for article, first, second, passage, relevant, best in rows.order_by("pk").values_list(*VERDICT_FIELDS):
        if article in names:
            pair = (names[article], first, second)
            verdicts.setdefault(pair, {})[passage] = Verdict(bool(relevant), bool(best))
    return {pair: verdicts[pair] for pair in sorted(verdicts)}


def group_passages_by_pair(names: Mapping[int, str], predictions: AnnotationsByArticle) -> dict[PassagePair, list[str]]:
    """{pair: passages, best first} of a run; names: {article: name}."""
    return {
        (name, *pair): passages
        for article, name in names.items()
        for pair, passages in rank_passages_by_pair(predictions.get(article, ())).items()
    }
