"""What an annotation must have to match a filter of a search, and the articles with an annotation that matches several.

A condition is stated twice, for annotations and for summaries of articles, which are faster to search. Annotations are
read where one of them has to match several conditions, and for texts and pairs, by which there is an index.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BooleanField,
    Expression,
    F,
    FloatField,
    Func,
    Q,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Right
from django.db.models.lookups import GreaterThanOrEqual, In

from annotations.articles.models import Article
from annotations.results.annotation_rows import parse_stored_curie
from annotations.results.models import FOLDED_TEXT, Annotation, Producer
from annotations.schema import Kind
from annotations.search.annotated_types import list_annotated_types
from annotations.search.entity_curies import (
    list_entity_curies_by_name_or_id,
    list_method_curies_by_name_or_id,
)
from annotations.search.greek import list_greek_spellings
from bcms.lib.text import strip_case_spaces_and_dashes

# As in the index annotation_of_text.
LONGEST_TEXT = 200
TEXT_ARRAY = ArrayField(TextField())
IS_IN_SUMMARIES = Q(result__producer__public=True) & ~Q(result__producer__sort=Producer.Type.GOLD)


@dataclass(frozen=True, slots=True)
class AnnotationCondition:
    """in_summary: of an Article, whether any annotation in its summary matches, None if summaries do not say.

    for_annotation: of an Annotation.
    """

    in_summary: Q | None
    for_annotation: Q


def build_type_condition(entity_type: str, confidence: float | None = None) -> AnnotationCondition:
    """A mention or entity has this type in any spelling, and at least this confidence: one query."""
    spellings = list_annotated_types().list_spellings_of_entity_type(entity_type)
    columns = ("result__kind", "type", "database")
    type_of_row = Func(*columns, function="annotations_entity_type", output_field=TextField())
    return _build_typed_condition("type", spellings, type_of_row, confidence)


def build_relation_type_condition(relation_type: str, confidence: float | None = None) -> AnnotationCondition:
    """A relation has this type, ignoring case and punctuation, and at least this confidence: one query.

    A pair is an interaction.
    """
    spellings = list_annotated_types().list_spellings_of_relation_type(relation_type)
    type_of_row = Func("result__kind", "type", function="annotations_relation_type", output_field=TextField())
    return _build_typed_condition("relation", spellings, type_of_row, confidence)


def _build_typed_condition(
    category: str, spellings: Sequence[str], type_of_row: Expression, confidence: float | None
) -> AnnotationCondition:
    terms = [f"{category}:{spelling}" for spelling in spellings]
    in_summary, for_annotation = Q(standing__terms__overlap=terms), Q(In(type_of_row, spellings))
    if confidence is None:
        return AnnotationCondition(in_summary, for_annotation)
    is_sure = Q()
    for term in terms:
        best = Func("standing__best_confidences", Value(term), function="jsonb_extract_path_text")
        is_sure |= Q(GreaterThanOrEqual(Cast(best, FloatField()), confidence))
    return AnnotationCondition(in_summary & is_sure, for_annotation & Q(confidence__gte=confidence))


def build_text_condition(text: str) -> AnnotationCondition:
    """A mention has this text, ignoring case, spaces, dashes and whether Greek letters are spelled out."""
    spellings = (strip_case_spaces_and_dashes(each[:LONGEST_TEXT]) for each in list_greek_spellings(text))
    folded = [each for each in dict.fromkeys(spellings) if each]
    # Only mentions have positions.
    return AnnotationCondition(None, Q(start__isnull=False) & Q(In(FOLDED_TEXT, folded)))


def build_entity_condition(name_or_id: str) -> AnnotationCondition:
    """An annotation has this entity: one query."""
    return _build_curie_condition(list_entity_curies_by_name_or_id(name_or_id))


def build_method_condition(name_or_id: str) -> AnnotationCondition:
    """An annotation is of this method, or a relation was found by it: one query."""
    curies = list_method_curies_by_name_or_id(name_or_id)
    condition = _build_curie_condition(curies)
    numbers = [curie[-4:] for curie in curies]
    of_relation = Q(result__kind=Kind.RELATION) & Q(In(Right(KT("detail__q__method"), 4), numbers))
    return AnnotationCondition(condition.in_summary, condition.for_annotation | of_relation)


def _build_curie_condition(curies: Sequence[str]) -> AnnotationCondition:
    rows = _match_column("identifier", curies) | _match_column("partner", curies) | Q(curies__overlap=curies)
    return AnnotationCondition(Q(standing__named__overlap=curies), rows)


def _match_column(column: str, curies: Sequence[str]) -> Q:
    """The rows with one of these identifiers in a column, stated as the indexes of identifiers need it."""
    by_database: dict[str, list[str]] = {}
    for database, identifier in map(parse_stored_curie, curies):
        by_database.setdefault(database, []).append(identifier)
    condition = Q(pk__in=[])
    for database, identifiers in by_database.items():
        condition |= Q(database=database) & Q(**{f"{column}__in": identifiers}) & ~Q(**{column: ""})
    return condition


def build_pair_condition(name_or_id: str, other_name_or_id: str) -> AnnotationCondition:
    """A relation or pair has both entities, as two of its arguments: two queries."""
    one, other = (list_entity_curies_by_name_or_id(each) for each in (name_or_id, other_name_or_id))
    is_pair = _match_column("identifier", one) & _match_column("partner", other) | _match_column(
        "identifier", other
    ) & _match_column("partner", one)
    arrays = [Value(list(each), output_field=TEXT_ARRAY) for each in (one, other)]
    relates = Func("detail", *arrays, function="annotations_relates", output_field=BooleanField())
    is_relation = Q(curies__overlap=one) & Q(curies__overlap=other, detail__isnull=False) & Q(relates)
    return AnnotationCondition(None, is_pair | is_relation)


def build_confidence_condition(confidence: float) -> AnnotationCondition:
    """An annotation has at least this confidence; one without a confidence does not match."""
    return AnnotationCondition(None, Q(confidence__gte=confidence))


def filter_articles_by_one_annotation(
    articles: QuerySet[Article], conditions: Sequence[AnnotationCondition], producers: Sequence[int] | None = None
) -> QuerySet[Article]:
    """The articles with an annotation that matches all conditions.

    It is an annotation of the current text by one of these producers or, for None, by any public one that is no gold
    standard, as in summaries.
    """
    if producers is None and len(conditions) == 1 and (in_summary := conditions[0].in_summary) is not None:
        return articles.filter(in_summary)
    allowed = Q(result__producer__in=producers) if producers is not None else IS_IN_SUMMARIES
    annotations = Annotation.objects.filter(
        allowed,
        *(condition.for_annotation for condition in conditions),
        result__text_version=F("result__article__text_version"),
        result__superseded__isnull=True,
    )
    return articles.filter(pk__in=annotations.values("result__article"))
