"""Which annotations of a run are scored. Scores, error analysis, calibrations, files and archives all use this filter.

| kind | scored |
|---|---|
| genes and proteins, organisms, methods, pairs | those in a database that the gold standard of the phase uses |
| mentions | those typed as genes, or without a type |
| classifications, passages | all |
"""

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from annotations.entity_types import GENE_TYPES, matches_type_ignoring_case_and_punctuation
from annotations.schema import AnnotationData, Kind

KINDS_OF_DATABASE_IDENTIFIERS = frozenset({Kind.NORMALIZATION, Kind.TAXON, Kind.METHOD, Kind.PAIR})
ArticleKey = TypeVar("ArticleKey")


def collect_databases(annotations_by_article: Mapping[ArticleKey, Iterable[AnnotationData]]) -> frozenset[str]:
    """The databases of a gold standard; give it only the articles that count. {article: annotations}."""
    return frozenset(annotation.database for in_article in annotations_by_article.values() for annotation in in_article)


def keep_scored_annotations(
    annotations: Iterable[AnnotationData], gold_databases: Collection[str]
) -> list[AnnotationData]:
    """The annotations of a run that are scored, in their order. gold_databases: those of the gold standard."""
    return [annotation for annotation in annotations if _is_scored(annotation, gold_databases)]


def keep_scored_annotations_by_article(
    annotations_by_article: Mapping[ArticleKey, Iterable[AnnotationData]], gold_databases: Collection[str]
) -> dict[ArticleKey, list[AnnotationData]]:
    """The annotations of a run that are scored. An article without a scored annotation keeps an empty list."""
    return {
        article: keep_scored_annotations(annotations, gold_databases)
        for article, annotations in annotations_by_article.items()
    }


def is_gene_or_untyped(annotation: AnnotationData) -> bool:
    """Whether a mention counts: its type is that of a gene, or it has none."""
    return not annotation.type or matches_type_ignoring_case_and_punctuation(annotation.type, GENE_TYPES)


def _is_scored(annotation: AnnotationData, gold_databases: Collection[str]) -> bool:
    if annotation.kind == Kind.MENTION:
        return is_gene_or_untyped(annotation)
    return annotation.kind not in KINDS_OF_DATABASE_IDENTIFIERS or annotation.database in gold_databases
