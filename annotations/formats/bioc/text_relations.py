"""Reads relations of BioC: relations between mentions or entities, and what exports write as relations without nodes.

An argument is a node that refers to an annotation, or an infon: entity1, entity2 and so on (BioRED), Gene1 and Gene2
(BioCreative VI), or a type of entity (`Chemical`, BioCreative V). Exports of a BioCreative Meta-Server number entities
by their places among all arguments; the nodes are the other arguments in their order.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from annotations.entity_types import find_known_entity_type
from annotations.formats.annotated_text.mentions import LeftOut, TextArgument, TextEntity, TextLabel, TextRelation
from annotations.formats.bioc.declared_infons import (
    EVIDENCE_ROLE,
    QUALIFIER_PREFIX,
    QUALIFIERS_BY_INFON,
    YES,
    Infons,
    parse_confidence_or_none,
    parse_exact_identifiers,
    parse_positive_number_or_none,
)
from annotations.formats.errors import quote_file_text
from annotations.schema import (
    NOT_RELEVANT_LABEL,
    RELEVANCE_LABEL_NAME,
    RELEVANT_LABEL,
    SHAPES,
    EntityId,
    Kind,
    Qualifier,
    Shape,
    Span,
)

Statement = TextRelation | TextEntity | TextLabel | LeftOut | None
NUMBERED_ARGUMENT = re.compile(r"entity([1-9][0-9]?)(?:exact1)?")
ARGUMENT_INFON = re.compile(r"(?:entity|role)[1-9][0-9]?(?:exact[0-9]+)?|gene[12]")
DECLARED_KEYS = frozenset(
    ("type", "relation", "kind", "producer", "sort", "server", "statedversion", "confidence", "rank", "directed")
) | {"reported", "scope"}
MOST_ARGUMENTS = 16


class ReadRelation(Protocol):
    """What is read of a relation element; see BiocRelation."""

    line: int
    infons: dict[str, str]
    nodes: list[str]
    roles: list[str]
    names: dict[str, str]
    ordered: bool


@dataclass(slots=True)
class DocumentNodes:
    """What the relations of a document can refer to, by the ID of the annotation; repeated: IDs of several."""

    arguments: dict[str, TextArgument] = field(default_factory=dict)
    evidence: dict[str, tuple[Span, ...]] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)


def read_statement(
    document: str, relation: ReadRelation, kind: Kind | None, relation_type: str, nodes: DocumentNodes
) -> Statement:
    """What a relation element says of a document; LeftOut if it cannot be kept, None if it says that there is nothing.

    kind: as the file states it.
    """
    infons = relation.infons
    if kind is None or kind is Kind.RELATION:
        return _read_relation(document, relation, kind, relation_type, nodes)
    has_content = any(infons.get(key) for key in ("identifier", "text", "relevant", "partner"))
    if infons.get("type") == "none" and not has_content:
        return None
    if SHAPES[kind] is Shape.LABEL:
        return _read_label(document, relation, kind)
    if SHAPES[kind] is Shape.MENTION:
        return LeftOut(document, "mentions", "it has no position in the text", relation.line)
    if not infons.get("identifier") or (SHAPES[kind] is Shape.RELATION and not infons.get("partner")):
        return LeftOut(
            document, "entities" if SHAPES[kind] is Shape.ENTITY else "relations", "no identifier", relation.line
        )
    database, confidence, rank = infons.get("database", ""), *_parse_certainty(infons)
    exact = (EntityId(database, infons["identifier"]),)
    if SHAPES[kind] is Shape.ENTITY:
        # Exports write the kind in place of a type that is missing.
        entity_type = "" if infons.get("type") == kind.value and kind is not Kind.ENTITY else infons.get("type", "")
        taxon, text = parse_positive_number_or_none(infons.get("taxon", "")), infons.get("text", "")
        return TextEntity(
            document, entity_type, relation.line, "", exact, taxon, text, confidence=confidence, rank=rank, kind=kind
        )
    arguments = tuple(TextArgument("", exact=(EntityId(database, infons[key]),)) for key in ("identifier", "partner"))
    text = infons.get("text", "") if kind is Kind.PASSAGE else ""
    return TextRelation(
        document, relation_type, arguments, relation.line, confidence=confidence, rank=rank, kind=kind, text=text
    )


def _read_label(document: str, relation: ReadRelation, kind: Kind) -> TextLabel:
    infons = relation.infons
    confidence, rank = _parse_certainty(infons)
    name, value = infons.get("type", ""), infons.get("text", "")
    if kind is Kind.CLASSIFICATION:
        relevant = infons.get("relevant", "")
        name = RELEVANCE_LABEL_NAME
        value = (RELEVANT_LABEL if relevant == YES else NOT_RELEVANT_LABEL) if relevant else ""
    return TextLabel(document, name, value, relation.line, confidence, rank, kind)


def _read_relation(
    document: str, relation: ReadRelation, kind: Kind | None, relation_type: str, nodes: DocumentNodes
) -> Statement:
    infons = relation.infons
    if kind and infons.get("type") == "none" and not relation.nodes and not _find_entities(infons, has_nodes=False):
        return None
    arguments = _list_arguments(document, relation, kind, nodes)
    if isinstance(arguments, LeftOut):
        return arguments
    evidence = [span for node in relation.nodes for span in nodes.evidence.get(node, ())]
    if kind:
        directed = infons.get("directed") == YES
    else:
        roles = [argument.role for argument in arguments]
        directed = relation.ordered or (all(roles) and len(set(roles)) > 1)
    confidence, rank = _parse_certainty(infons)
    return TextRelation(
        document,
        relation_type,
        arguments,
        relation.line,
        directed,
        tuple(Qualifier(name, value) for name, value in sorted(dict(_iter_qualifiers(relation)).items())),
        tuple(sorted(set(evidence))),
        confidence,
        rank,
    )


def _list_arguments(
    document: str, relation: ReadRelation, kind: Kind | None, nodes: DocumentNodes
) -> tuple[TextArgument, ...] | LeftOut:
    entities = _find_entities(relation.infons, has_nodes=bool(relation.nodes))
    if kind:
        # Exports write CURIEs, whose meaning does not depend on a type.
        entities = {place: replace(each, given="", exact=each.list_links()) for place, each in entities.items()}
    remaining: list[TextArgument] = []
    if kind or len(entities) < 2:
        entities = entities if kind or not relation.nodes else {}
        for node, role in zip(relation.nodes, relation.roles, strict=True):
            if node in nodes.repeated:
                reason = f"several annotations have the ID {quote_file_text(node)}"
                return LeftOut(document, "relations", reason, relation.line, rule="R208")
            if node in nodes.arguments:
                remaining.append(replace(nodes.arguments[node], role=role))
            elif node not in nodes.evidence or role != EVIDENCE_ROLE:
                reason = "it refers to what is not an annotation of the document"
                return LeftOut(document, "relations", reason, relation.line, rule="R126")
    number = len(entities) + len(remaining)
    if number < 2:
        return LeftOut(document, "relations", "it has fewer than two arguments", relation.line, rule="R125")
    if number > MOST_ARGUMENTS:
        reason = f"it has more than {MOST_ARGUMENTS} arguments"
        return LeftOut(document, "relations", reason, relation.line, rule="R125")
    mentions = iter(remaining)
    places = (entities.pop(place, None) or next(mentions, None) for place in range(1, number + 1))
    arguments = [argument for argument in places if argument is not None]
    return (*arguments, *entities.values(), *mentions)


def _find_entities(infons: Infons, *, has_nodes: bool) -> dict[int, TextArgument]:
    """The arguments that infons name, by their places; types of entities name some only where there are no nodes."""
    numbered = {
        int(match[1]): TextArgument(
            infons.get(f"role{match[1]}", ""),
            infons.get(f"entity{match[1]}", "").strip(),
            exact=parse_exact_identifiers(f"entity{match[1]}", infons),
        )
        for key in infons
        if (match := NUMBERED_ARGUMENT.fullmatch(key)) and infons[key].strip()
    }
    if numbered:
        return dict(sorted(numbered.items()))
    genes = [TextArgument("", infons[key].strip(), "Gene") for key in ("gene1", "gene2") if infons.get(key, "").strip()]
    typed = [
        TextArgument(known_type.name, value.strip(), known_type.name)
        for key, value in infons.items()
        if not has_nodes and (known_type := find_known_entity_type(key)) and value.strip()
    ]
    return dict(enumerate(genes or typed, 1))


def _iter_qualifiers(relation: ReadRelation) -> Iterator[tuple[str, str]]:
    """The infons that say nothing else of a relation, by their keys as written."""
    for key, value in relation.infons.items():
        if key.startswith(QUALIFIER_PREFIX):
            yield key.removeprefix(QUALIFIER_PREFIX), value
        elif value and not _is_part_of_relation(key, has_nodes=bool(relation.nodes)):
            yield QUALIFIERS_BY_INFON.get(key, relation.names.get(key, key)), value


def _is_part_of_relation(key: str, *, has_nodes: bool) -> bool:
    return (
        key in DECLARED_KEYS
        or ARGUMENT_INFON.fullmatch(key) is not None
        or (not has_nodes and find_known_entity_type(key) is not None)
    )


def _parse_certainty(infons: Infons) -> tuple[float | None, int | None]:
    """Confidence and rank."""
    return (
        parse_confidence_or_none(infons.get("confidence", "")),
        parse_positive_number_or_none(infons.get("rank", "")),
    )
