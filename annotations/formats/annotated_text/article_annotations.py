"""Genes, organisms, interaction pairs and the class of an article, derived from the mentions and pairs of its file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from annotations.entity_types import GENE_TYPES, SPECIES_TYPES, matches_type_ignoring_case_and_punctuation
from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mentions import TextRelation
from annotations.formats.articles.parsed_article import ParsedArticle
from annotations.identifiers.namespaces import NAMESPACES
from annotations.schema import AnnotationData, Kind

PROTEIN_DATABASES = ("ncbigene", "uniprot")


def add_empty_kinds_of_other_articles(
    articles: Sequence[Mapping[Kind, Sequence[AnnotationData]]],
) -> list[dict[Kind, Sequence[AnnotationData]]]:
    """The annotations of each article of a file, with an empty list for kinds that only other articles have."""
    kinds = [kind for kind in Kind if any(kind in annotations for annotations in articles)]
    return [{kind: annotations.get(kind, ()) for kind in kinds} for annotations in articles]


def _iter_gene_annotations(article: ParsedArticle) -> Iterator[AnnotationData]:
    for mention in article.mentions:
        if matches_type_ignoring_case_and_punctuation(mention.type, GENE_TYPES):
            for database, identifier in _iter_protein_identifiers(mention.identifiers):
                yield AnnotationData(Kind.NORMALIZATION, database=database, identifier=identifier)


def _iter_protein_identifiers(identifiers: Iterable[str]) -> Iterator[tuple[str, str]]:
    for identifier in identifiers:
        for database in PROTEIN_DATABASES:
            if NAMESPACES[database].pattern.fullmatch(identifier):
                yield database, identifier


def _iter_taxon_annotations(article: ParsedArticle) -> Iterator[AnnotationData]:
    for mention in article.mentions:
        if matches_type_ignoring_case_and_punctuation(mention.type, SPECIES_TYPES):
            for identifier in filter(NAMESPACES["ncbitaxon"].pattern.fullmatch, mention.identifiers):
                yield AnnotationData(Kind.TAXON, database="ncbitaxon", identifier=identifier)


def _iter_pair_annotations(article: ParsedArticle) -> Iterator[AnnotationData]:
    for pair in article.pairs:
        if pair.interacts:
            yield from _iter_pairs_of_fields(pair.a, pair.b)


def iter_pairs_of_relation(relation: TextRelation) -> Iterator[AnnotationData]:
    """The pairs of genes or proteins that a relation between two entities means."""
    first, second = relation.arguments
    yield from _iter_pairs_of_fields(first.given, second.given)


def _iter_pairs_of_fields(first_field: str, second_field: str) -> Iterator[AnnotationData]:
    for a, b in product(
        _iter_protein_identifiers(split_distinct_identifiers_without_prefix(first_field)),
        _iter_protein_identifiers(split_distinct_identifiers_without_prefix(second_field)),
    ):
        if a[0] == b[0]:
            first, second = sorted((a[1], b[1]))
            yield AnnotationData(Kind.PAIR, database=a[0], identifier=first, partner=second)


def _iter_class_annotation(article: ParsedArticle) -> Iterator[AnnotationData]:
    if article.relevant is not None:
        yield AnnotationData(Kind.CLASSIFICATION, relevant=article.relevant)


ANNOTATION_BUILDERS: Mapping[Kind, Callable[[ParsedArticle], Iterator[AnnotationData]]] = {
    Kind.NORMALIZATION: _iter_gene_annotations,
    Kind.TAXON: _iter_taxon_annotations,
    Kind.CLASSIFICATION: _iter_class_annotation,
    Kind.PAIR: _iter_pair_annotations,
}
