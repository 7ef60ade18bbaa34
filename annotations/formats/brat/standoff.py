"""The columns of brat standoff that its writer and its reader share: types, spans, references and attributes.

Source: https://brat.nlplab.org/standoff.html
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotations.formats.articles.annotated_article import format_field_value_with_yes_no
from annotations.formats.bioc.declared_infons import parse_confidence_or_none, parse_positive_number_or_none
from annotations.identifiers.curies import format_curie
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import NEGATION_QUALIFIER, TRUE_QUALIFIER, EntityId, Qualifier, Span

# The text-bound annotation to which the notes of the article as a whole are attached.
ARTICLE_TYPE, ARTICLE_ID = "Article", "T1"
BRAT_DEFAULT_TYPE = "Mention"
NOT_IN_BRAT_TYPE = re.compile(r"[^A-Za-z0-9_-]+")
# What any program takes for the end of a line: a fragment of brat has none.
NONBREAKING = re.compile("[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
EQUIVALENCE_TYPE = "Equiv"
# Roles that say no more than the order of the arguments, and that of a trigger which is an argument itself.
NUMBERED_ROLE, TRIGGER_ROLE = "Arg", "Trigger"
CONFIDENCE_ATTRIBUTE, RANK_ATTRIBUTE, NEGATION_ATTRIBUTE = "Confidence", "Rank", "Negation"
NEGATION_NAMES = frozenset({"negation", "negated"})
ATTRIBUTE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
ATTRIBUTE_VALUE = re.compile(r"[!-~]+")
# Value by name; an attribute without a value has the value "true".
Attributes = Mapping[str, str]


def clean_brat_type(type_name: str, default: str = BRAT_DEFAULT_TYPE) -> str:
    """A type, reduced to the characters that brat allows."""
    return NOT_IN_BRAT_TYPE.sub("_", type_name).strip("_") or default


def split_spans_at_line_breaks(spans: Iterable[Span], text: str) -> list[Span]:
    """The fragments of spans on each line; none if there are only line breaks."""
    return [Span(*match.span()) for span in spans for match in NONBREAKING.finditer(text, span.start, span.end)]


def format_references(identifiers: Sequence[EntityId], entity_type: str) -> list[str]:
    """The CURIEs of the identifiers that normalizations can have: those that are read back, without white space."""
    curies = [(format_curie(entity), entity) for entity in identifiers if entity.database]
    return [
        curie
        for curie, entity in curies
        if not re.search(r"\s", curie) and parse_identifier_field(curie, entity_type) == (entity,)
    ]


def build_attributes(
    confidence: float | None, rank: int | None, qualifiers: Iterable[Qualifier] = ()
) -> dict[str, str]:
    """Confidence, rank, and the qualifiers of which name and value are single words of ASCII."""
    certainty = {CONFIDENCE_ATTRIBUTE: confidence, RANK_ATTRIBUTE: rank}
    return {
        **{name: format_field_value_with_yes_no(value) for name, value in certainty.items() if value is not None},
        **dict(_iter_qualifier_attributes(qualifiers)),
    }


def _iter_qualifier_attributes(qualifiers: Iterable[Qualifier]) -> Iterator[tuple[str, str]]:
    for name, value in qualifiers:
        if name == NEGATION_QUALIFIER and value == TRUE_QUALIFIER:
            yield NEGATION_ATTRIBUTE, TRUE_QUALIFIER
        elif (
            ATTRIBUTE_NAME.fullmatch(name)
            and ATTRIBUTE_VALUE.fullmatch(value)
            and name not in (CONFIDENCE_ATTRIBUTE, RANK_ATTRIBUTE)
            and name.lower() not in NEGATION_NAMES
        ):
            yield name, value


def parse_certainty_attributes(attributes: Attributes) -> tuple[float | None, int | None]:
    """Confidence and rank; None where the attributes have none, or none that is valid."""
    by_lower_name = {name.lower(): value for name, value in attributes.items()}
    return (
        parse_confidence_or_none(by_lower_name.get(CONFIDENCE_ATTRIBUTE.lower(), "")),
        parse_positive_number_or_none(by_lower_name.get(RANK_ATTRIBUTE.lower(), "")),
    )


def list_qualifier_attributes(attributes: Attributes) -> dict[str, str]:
    """Value by name of the qualifiers among attributes."""
    certainty = (CONFIDENCE_ATTRIBUTE.lower(), RANK_ATTRIBUTE.lower())
    return {
        NEGATION_QUALIFIER if name.lower() in NEGATION_NAMES else name: value
        for name, value in attributes.items()
        if name.lower() not in certainty
    }
