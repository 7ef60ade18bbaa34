"""BeCalm's predictions as servers send them that are registered for types of entities or open kinds.

Each prediction is a mention of any type of the protocol, with its database_id as identifiers. If the server is
registered for it, an identifier is an entity of the article, too, and one of four databases one of the seven kinds,
with its highest score. BioC also has mentions in parts, identifiers and relations.
"""

from collections.abc import Iterator, Sequence

from annotations.entity_types import fold_type_spelling, get_type_key, normalize_entity_type
from annotations.formats.annotated_text.mentions import TextRelation
from annotations.identifiers.given_identifiers import parse_given_identifier
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    make_entity,
    make_relation,
)
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.becalm_callbacks import BECALM_TYPES, UNKNOWN_BECALM_TYPE, BecalmPrediction
from servers.protocols.entry_labels import KINDS_BY_DATABASE
from servers.protocols.open_members.denotation_spans import extract_text_of_spans
from servers.protocols.parsed_answers import ParsedAnswer, format_unregistered_kind

# The types of the protocol by those of ours that are spelled otherwise.
BECALM_TYPES_BY_ENTITY_TYPE = {
    "Species": "ORGANISM",
    "Variant": "MUTATION",
    "CellLine": "CELL_LINE_AND_CELL_TYPE",
    "CellType": "CELL_LINE_AND_CELL_TYPE",
    "Tissue": "TISSUE_AND_ORGAN",
    "Phenotype": "DISEASE",
    "Complex": "PROTEIN",
}
# The other spelling of ANATOMICAL_COMPONENT, and a type that nobody requests.
UNREQUESTED_TYPES = frozenset({"ANATOMIC_COMPONENT", UNKNOWN_BECALM_TYPE})


def list_types_to_request(entity_types: Sequence[str]) -> list[str]:
    """The types of the protocol for types of entities, as registered; all types for none."""
    requestable = {fold_type_spelling(name): name for name in sorted(BECALM_TYPES - UNREQUESTED_TYPES)}
    if not entity_types:
        return list(requestable.values())
    names = (
        BECALM_TYPES_BY_ENTITY_TYPE.get(normalize_entity_type(each)) or requestable.get(get_type_key(each))
        for each in entity_types
    )
    return list(dict.fromkeys(filter(None, names)))


def add_open_predictions(
    parsed: ParsedAnswer,
    mentions: Sequence[tuple[BecalmPrediction, AnnotationData]],
    relations: Sequence[TextRelation],
    question: AnnotationRequest,
) -> None:
    """Add the mentions, whose positions are in the whole text, what their identifiers say, and relations of BioC."""
    adder = _OpenPredictionAdder(parsed, question)
    best: dict[EntityId, tuple[AnnotationData, str]] = {}
    for prediction, mention in mentions:
        adder.add(mention, prediction.where)
        for entity in mention.identifiers:
            known = best.get(entity)
            if known is None or _has_higher_confidence(mention, known[0]):
                best[entity] = (mention, f"{prediction.where}.database_id")
    for entity, (mention, where) in best.items():
        adder.add_entries(entity, mention, where)
    for relation in relations:
        adder.add_relation(relation)


def list_prediction_identifiers(prediction: BecalmPrediction) -> tuple[EntityId, ...]:
    """The identifiers of a prediction, each once; those that name no database are of one that its type has."""
    given = (parse_given_identifier(label, prediction.type) for label in prediction.database_ids)
    return tuple(dict.fromkeys((*prediction.links, *(entity for entity in given if entity))))


def _has_higher_confidence(mention: AnnotationData, known: AnnotationData) -> bool:
    # NaN counts as higher than any number, so that the rules reject it.
    return mention.confidence is not None and (known.confidence is None or not mention.confidence <= known.confidence)


class _OpenPredictionAdder:
    def __init__(self, parsed: ParsedAnswer, question: AnnotationRequest) -> None:
        self.parsed, self.question = parsed, question

    def add(self, annotation: AnnotationData, where: str) -> None:
        if annotation.kind in self.question.kinds:
            self.parsed.annotations.append(annotation)
            self.parsed.locations.append(where)
        else:
            self.parsed.omitted.add(where, format_unregistered_kind(annotation.kind))

    def add_entries(self, entity: EntityId, mention: AnnotationData, where: str) -> None:
        """Add an identifier as the kinds that the server is registered for."""
        for annotation in self.iter_entries(entity, mention):
            self.add(annotation, where)

    def iter_entries(self, entity: EntityId, mention: AnnotationData) -> Iterator[AnnotationData]:
        kinds, kind = self.question.kinds, KINDS_BY_DATABASE.get(entity.database)
        if Kind.ENTITY in kinds:
            yield make_entity(entity, mention.type, confidence=mention.confidence)
        # The mention breaks a rule if its identifier is malformed.
        is_reported = Kind.MENTION in kinds and not is_well_formed_identifier(*entity)
        if kind in kinds and not is_reported:
            database, identifier = entity
            yield AnnotationData(kind, database=database, identifier=identifier, confidence=mention.confidence)

    def add_relation(self, relation: TextRelation) -> None:
        text = self.question.text
        arguments = [
            RelationArgument(
                each.role,
                each.list_links(),
                each.spans,
                each.type if each.spans else "",
                extract_text_of_spans(each.spans, text) if each.spans else "",
            )
            for each in relation.arguments
        ]
        made = make_relation(
            relation.type,
            arguments,
            directed=relation.directed,
            qualifiers=dict(relation.qualifiers),
            evidence=relation.evidence,
            confidence=relation.confidence,
            rank=relation.rank,
        )
        self.add(made, f"line {relation.line}")
