"""Write runs and gold standards as tab-separated values that `python -m evaluation score` scores like the site.

Articles are sorted by name, because random samples are drawn in that order. An item that is twice in a list is written
once, at its best position, and ranks are positions in the lists, so that the order of ties cannot matter. Mentions are
written as PubTator, which can also name articles without a mention.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from annotations.formats.annotated_text.document_results import ALTERNATIVE_TYPE
from annotations.schema import AnnotationData, Kind
from bcms.lib.text import collapse_white_space
from evaluation.analyses.passage_pools import list_distinct_passages_best_first_by_pair
from evaluation.gold.alternatives import AcceptedSpans
from evaluation.measures.classification.article_calls import ArticleCall, sort_calls_most_likely_relevant_first
from evaluation.measures.leaderboard_figures import (
    list_distinct_gene_or_untyped_spans,
    map_items_to_confidence_surest_first,
)
from evaluation.measures.passages import VerdictsByPair
from evaluation.runs.files.mention_reader import GENE_MENTION_TYPE

AnnotationsByArticleName = Mapping[str, Sequence[AnnotationData]]


def iter_gold_tsv_or_pubtator_lines(
    kind: Kind, gold: AnnotationsByArticleName, accepted_mention_spans: AcceptedSpans | None = None
) -> Iterator[str]:
    """The lines of a gold standard's file. accepted_mention_spans: for gene mentions, the spans accepted instead of a
    gene.
    """
    if kind == Kind.MENTION:
        yield from _iter_pubtator_lines_without_texts(gold, accepted_mention_spans)
        return
    for article, annotations in sorted(gold.items()):
        if kind == Kind.CLASSIFICATION:
            yield f"{article}\t{int(any(annotation.relevant for annotation in annotations))}\n"
        else:
            keys = sorted({annotation.key for annotation in annotations}, key=str)
            yield from ("\t".join([article, *map(str, key[1:])]) + "\n" for key in keys)


def list_run_tsv_or_pubtator_lines(
    kind: Kind, annotations: AnnotationsByArticleName, gold_databases: Collection[str] | None
) -> list[str]:
    """The lines of a run's file, with only the scored annotations. gold_databases: None keeps all databases.

    Confidences are written if every result has one.
    """
    if kind == Kind.MENTION:
        return list(_iter_pubtator_lines_without_texts(annotations))
    if kind == Kind.CLASSIFICATION:
        rows = list(_iter_class_rows(annotations))
    else:
        rows = list(
            _iter_passage_rows(annotations) if kind == Kind.PASSAGE else _iter_item_rows(annotations, gold_databases)
        )
    has_confidences = all(confidence is not None for *_, confidence in rows) and kind != Kind.PASSAGE
    return [
        "\t".join([article, *item, str(rank), *([repr(confidence)] if has_confidences else [])]) + "\n"
        for article, item, rank, confidence in rows
    ]


def _iter_pubtator_lines_without_texts(
    annotations_by_article: AnnotationsByArticleName, accepted: AcceptedSpans | None = None
) -> Iterator[str]:
    """PubTator without texts: every article with the spans of its genes and of the accepted alternatives."""
    for article, annotations in sorted(annotations_by_article.items()):
        texts = {
            (annotation.start, annotation.end): collapse_white_space(annotation.text) for annotation in annotations
        }
        yield f"{article}|t|\n"
        for span in list_distinct_gene_or_untyped_spans(annotations):
            yield f"{article}\t{span.start}\t{span.end}\t{texts[span]}\t{GENE_MENTION_TYPE}\n"
        for span in sorted((accepted or {}).get(article, ())):
            yield f"{article}\t{span.start}\t{span.end}\t\t{ALTERNATIVE_TYPE}\n"


def _iter_item_rows(
    annotations_by_article: AnnotationsByArticleName, gold_databases: Collection[str] | None
) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    for article, annotations in sorted(annotations_by_article.items()):
        databases = {annotation.database for annotation in annotations} if gold_databases is None else gold_databases
        for rank, (key, confidence) in enumerate(
            map_items_to_confidence_surest_first(annotations, databases).items(), 1
        ):
            yield article, [str(part) for part in key[1:]], rank, confidence


def _iter_passage_rows(
    annotations_by_article: AnnotationsByArticleName,
) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    """The passages of each pair by rank, with white space collapsed; of repeated ones the best position counts."""
    for article, annotations in sorted(annotations_by_article.items()):
        for pair, passages in sorted(list_distinct_passages_best_first_by_pair(annotations).items()):
            for rank, passage in enumerate(passages, 1):
                yield article, [*pair, passage], rank, None


def iter_verdict_tsv_lines(verdicts_by_pair: VerdictsByPair) -> Iterator[str]:
    """The lines of a file of judgements: article, both identifiers, passage, relevant, best."""
    for pair, verdicts in verdicts_by_pair.items():
        for passage, verdict in verdicts.items():
            yield "\t".join([*pair, passage, str(int(verdict.relevant)), str(int(verdict.best))]) + "\n"


def _iter_class_rows(
    annotations_by_article: AnnotationsByArticleName,
) -> Iterator[tuple[str, Sequence[str], int, float | None]]:
    """Sorted by article; the rank of a call is its position among the calls of its class."""
    first_annotations = (
        (article, annotations[0]) for article, annotations in annotations_by_article.items() if annotations
    )
    calls = sort_calls_most_likely_relevant_first(
        ArticleCall(name, bool(annotation.relevant), annotation.rank, annotation.confidence)
        for name, annotation in first_annotations
    )
    relevant = [call for call in calls if call.relevant]
    irrelevant = [call for call in reversed(calls) if not call.relevant]
    ranks = {
        call.article: rank for calls_of_class in (relevant, irrelevant) for rank, call in enumerate(calls_of_class, 1)
    }
    for call in sorted(calls, key=lambda call: call.article):
        yield call.article, [str(int(call.relevant))], ranks[call.article], call.confidence


def iter_positive_time_tsv_lines(run_name: str, seconds: Iterable[float]) -> Iterator[str]:
    """One line per answer: the run and the seconds that the answer took."""
    return (f"{run_name}\t{duration!r}\n" for duration in seconds if duration > 0)
