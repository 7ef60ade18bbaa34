"""What the details of an item show, by its kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.curation.contents import read_annotation_content
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Detection, EvidencePassage, Participant
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.psi_mi_terms import BIOLOGICAL_ROLE_BRANCH, EXPERIMENTAL_ROLE_BRANCH, TYPE_BRANCH
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.rules.digital_abstract_rules import LONGEST_COMMENT, LONGEST_FIGURE, LONGEST_NAME, MOST_METHODS
from annotations.rules.mimix import ORGANISM_DATABASES as DATABASES_WITH_ORGANISMS
from annotations.schema import EntityId, Span
from bcms.curation.decision_form import find_items
from bcms.curation.interaction_form import format_span
from bcms.curation.item_details import (
    InteractionDetails,
    NamingSentence,
    list_sentences_with_spans,
    load_entity_details,
    load_interaction_details,
)
from bcms.curation.open_model.annotation_items import OPEN_ITEM_KINDS
from bcms.curation.open_model.form_context import build_label_context, build_relation_context
from bcms.curation.terms import group_method_terms, list_branch_terms


@dataclass(frozen=True, slots=True)
class DetectionFields:
    """A detection method as the form shows it, or an empty one to add. figure: of its first passage.

    passages: each with its figure if that is another one, else "". sentences: those that are no passages of it yet.
    """

    method: str
    figure: str
    passages: Sequence[tuple[EvidencePassage, str]]
    sentences: Sequence[NamingSentence]


@dataclass(frozen=True, slots=True)
class ParticipantFields:
    """A participant as the form shows it, None for one to add.

    organism: the identifier in its field, "" if none is recorded or the entry has the same. organism_note: its name, or
    what the entry says. is_organism_open: whether it has an organism that neither the record nor its entry states.
    """

    participant: Participant | None
    organism: str = ""
    organism_note: str = ""
    is_organism_open: bool = False


def build_item_context(curation: Curation, kind: str, key: str) -> dict[str, object]:
    """The context of the template; CurationError if there is no such item. Interactions, relations and labels without a
    key are new."""
    if kind not in tuple(ItemKind):
        raise CurationError("There is no such kind of item.")
    item_kind = ItemKind(kind)
    if item_kind is ItemKind.INTERACTION:
        return _build_interaction_context(curation, key)
    if item_kind is ItemKind.MENTION:
        return _build_mention_context(curation, key)
    if item_kind in OPEN_ITEM_KINDS:
        return _build_open_context(curation, item_kind, key)
    (item,) = find_items(curation, item_kind, [key])
    annotation = read_annotation_content(item.content)
    context: dict[str, object] = {"kind": item_kind, "key": key, "annotation": annotation}
    entity = next(annotation.iter_entity_ids(), None)
    if entity is None:
        return context
    details = load_entity_details(curation, entity, [annotation.text])
    return context | {"details": details, "sentences": details.sentences, "span_values": details.span_values}


def _build_open_context(curation: Curation, kind: ItemKind, key: str) -> dict[str, object]:
    item = find_items(curation, kind, [key])[0] if key else None
    before = read_annotation_content(item.content) if item else None
    context: dict[str, object] = {"kind": kind, "key": key}
    if kind is ItemKind.LABEL:
        return context | build_label_context(curation, before)
    context |= {"entities": list_accepted_entities(curation)}
    return context | build_relation_context(curation, before)


def _build_mention_context(curation: Curation, group: str) -> dict[str, object]:
    mentions = [read_annotation_content(each.content) for each in find_items(curation, ItemKind.MENTION, (), group)]
    spans = sorted({part for mention in mentions for part in mention.parts})
    first = mentions[0]
    details = load_entity_details(curation, first.identifiers[0], [first.text]) if first.identifiers else None
    return {
        "kind": ItemKind.MENTION,
        "key": group,
        "annotation": first,
        "details": details,
        "number": len(mentions),
        "sentences": list_sentences_with_spans(curation.article, [spans]),
        "span_values": _format_span_values(spans),
    }


def _build_interaction_context(curation: Curation, key: str) -> dict[str, object]:
    item = find_items(curation, ItemKind.INTERACTION, [key])[0] if key else None
    details = load_interaction_details(curation, item)
    terms = find_psi_mi_terms()
    given_participants = _list_participant_fields(details)
    empty_participants = [ParticipantFields(None)] * max(3 - len(given_participants), 1)
    type_terms = list_branch_terms(terms, TYPE_BRANCH)
    given = details.interaction.detections
    detections = [*given, *[Detection("")] * max(2 - len(given), 1)][:MOST_METHODS]
    return {
        "kind": ItemKind.INTERACTION,
        "key": key,
        "details": details,
        "sentences": details.sentences,
        "span_values": details.span_values,
        "participants": [*given_participants, *empty_participants],
        "detections": [_build_detection_fields(detection, details.sentences) for detection in detections],
        "longest": {"name": LONGEST_NAME, "figure": LONGEST_FIGURE, "comment": LONGEST_COMMENT},
        "entities": list_accepted_entities(curation),
        "type_terms": type_terms,
        "directed_types": {term.id for term in type_terms if terms.has_direction(term.id)},
        "method_terms": group_method_terms(curation, terms),
        "biological_roles": list_branch_terms(terms, BIOLOGICAL_ROLE_BRANCH),
        "experimental_roles": list_branch_terms(terms, EXPERIMENTAL_ROLE_BRANCH),
    }


def _list_participant_fields(details: InteractionDetails) -> list[ParticipantFields]:
    """The participants of an interaction with their organisms: 1 query if there are any."""
    participants = details.interaction.participants
    taxa = {*details.taxa.values(), *(each.taxon for each in participants if each.taxon)}
    organisms = find_named_entries([(ORGANISM_DATABASE, str(taxon)) for taxon in sorted(taxa)])
    names = {taxon: entry.name for (_, taxon), entry in organisms.items()}
    return [_fill_participant_fields(each, details.taxa.get(each.entity), names) for each in participants]


def _fill_participant_fields(
    participant: Participant, known: int | None, names: Mapping[str, str]
) -> ParticipantFields:
    """known: the organism that its entry has. names: of organisms, by their identifiers."""
    taxon = participant.taxon
    if taxon and taxon != known:
        organism = EntityId(ORGANISM_DATABASE, str(taxon))
        return ParticipantFields(participant, format_curie_for_readers(organism), names.get(str(taxon), ""))
    if known:
        return ParticipantFields(participant, "", f"{names.get(str(known)) or known}, as its entry says")
    is_open = participant.entity.database in DATABASES_WITH_ORGANISMS
    return ParticipantFields(participant, is_organism_open=is_open)


def _build_detection_fields(detection: Detection, sentences: Sequence[NamingSentence]) -> DetectionFields:
    figure = detection.evidence[0].figure if detection.evidence else ""
    chosen = {format_span(passage.span) for passage in detection.evidence}
    return DetectionFields(
        detection.method,
        figure,
        [(passage, passage.figure if passage.figure != figure else "") for passage in detection.evidence],
        [sentence for sentence in sentences if sentence.value not in chosen],
    )


def list_accepted_entities(curation: Curation) -> Sequence[EntityId]:
    """The entities that were accepted, from which participants are chosen: 1 query."""
    rows = curation.items.filter(kind=ItemKind.ENTITY, state=ItemState.ACCEPTED, superseded_by__isnull=True)
    ids = (entity for item in rows.order_by("pk") for entity in read_annotation_content(item.content).iter_entity_ids())
    return list(dict.fromkeys(ids))


def _format_span_values(spans: Sequence[Span]) -> str:
    return " ".join(f"{start}-{end}" for start, end in spans)
