"""Identifiers of any database: links of mentions, entities and arguments of relations (R117 to R119)."""

from collections.abc import Iterator

from annotations.identifiers.curies import PREFIXED_IDENTIFIERS
from annotations.identifiers.namespace_table import ANY_IDENTIFIER
from annotations.identifiers.namespaces import find_namespace
from annotations.rule_registry import LocatedFault, RuleContext, register_rule_on_single_annotation
from annotations.rules.messages import quote_value
from annotations.schema import AnnotationData, EntityId, Kind

LONGEST_DATABASE, LONGEST_IDENTIFIER = 32, 200
MOST_LINKS = 100
LINKED_KINDS = (Kind.MENTION, Kind.ENTITY, Kind.RELATION)


def _iter_entity_ids_with_fields(annotation: AnnotationData) -> Iterator[tuple[str, EntityId]]:
    """Each identifier of an annotation with its path."""
    if annotation.kind is Kind.ENTITY:
        yield "identifier", EntityId(annotation.database, annotation.identifier)
    for index, entity in enumerate(annotation.identifiers):
        yield f"identifiers[{index}]", entity
    for index, argument in enumerate(annotation.arguments):
        for entity in argument.identifiers:
            yield f"arguments[{index}]", entity


@register_rule_on_single_annotation(
    "R117",
    f"An identifier has at most {LONGEST_IDENTIFIER} characters, and no white space at its ends.",
    "Send the identifier of one entry, with the name of its database: MESH:D001943.",
    kinds=LINKED_KINDS,
)
def explain_empty_or_too_long_identifier(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    for field, (database, identifier) in _iter_entity_ids_with_fields(annotation):
        if not identifier:
            return LocatedFault("The identifier is empty.", field)
        if identifier != identifier.strip():
            return LocatedFault(f"The identifier {quote_value(identifier)} has white space at its ends.", field)
        if len(identifier) > LONGEST_IDENTIFIER or len(database) > LONGEST_DATABASE:
            message = f"The identifier {quote_value(identifier)} has {len(identifier):,} characters."
            return LocatedFault(message, field)
    return None


@register_rule_on_single_annotation(
    "R118",
    "An identifier has the form that its database documents.",
    "Send the identifier as the database writes it (MESH:D001943, CHEBI:15377, rs334, CVCL_0440), not a name.",
    kinds=LINKED_KINDS,
)
def explain_identifier_unlike_those_of_database(annotation: AnnotationData, _: RuleContext) -> LocatedFault | None:
    for field, (database, identifier) in _iter_entity_ids_with_fields(annotation):
        namespace = find_namespace(database) if database and identifier else None
        if namespace is None or namespace.pattern is ANY_IDENTIFIER or namespace.pattern.fullmatch(identifier):
            continue
        bare = identifier.removeprefix(PREFIXED_IDENTIFIERS.get(database, ""))
        pattern = namespace.pattern.pattern
        message = f"{quote_value(bare)} is not an identifier of {namespace.title}; these match the pattern {pattern}"
        return LocatedFault(message, field)
    return None


@register_rule_on_single_annotation(
    "R119",
    f"A mention has at most {MOST_LINKS} identifiers, and so has each argument of a relation.",
    "Send the identifiers of the best entries only.",
    field="identifiers",
    kinds=[Kind.MENTION, Kind.RELATION],
)
def explain_too_many_links(annotation: AnnotationData, _: RuleContext) -> str | LocatedFault | None:
    if (number := len(annotation.identifiers)) > MOST_LINKS:
        return f"The mention has {number:,} identifiers; at most {MOST_LINKS} are allowed."
    for index, argument in enumerate(annotation.arguments):
        if (number := len(argument.identifiers)) > MOST_LINKS:
            message = f"The argument has {number:,} identifiers; at most {MOST_LINKS} are allowed."
            return LocatedFault(message, f"arguments[{index}]")
    return None
