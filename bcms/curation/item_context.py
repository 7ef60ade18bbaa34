"""What the details of an item show, by its kind."""

from collections.abc import Sequence

from annotations.curation.contents import read_annotation_content
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Detection
from annotations.identifiers.psi_mi_terms import BIOLOGICAL_ROLE_BRANCH, EXPERIMENTAL_ROLE_BRANCH, TYPE_BRANCH
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.schema import EntityId, Span
from bcms.curation.decision_form import find_items
from bcms.curation.item_details import (
    list_sentences_with_spans,
    load_entity_details,
    load_interaction_details,
)
from bcms.curation.terms import group_method_terms, list_branch_terms


def build_item_context(curation: Curation, kind: str, key: str) -> dict[str, object]:
    """The context of the template; CurationError if there is no such item."""
    if kind not in tuple(ItemKind):
        raise CurationError("There is no such kind of item.")
    item_kind = ItemKind(kind)
    if item_kind is ItemKind.INTERACTION:
        return _build_interaction_context(curation, key)
    if item_kind is ItemKind.MENTION:
        return _build_mention_context(curation, key)
    (item,) = find_items(curation, item_kind, [key])
    annotation = read_annotation_content(item.content)
    context: dict[str, object] = {"kind": item_kind, "key": key, "annotation": annotation}
    entity = next(annotation.iter_entity_ids(), None)
    if entity is None:
        return context
    details = load_entity_details(curation, entity, [annotation.text])
    return context | {"details": details, "sentences": details.sentences, "span_values": details.span_values}


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
    participants = [*details.interaction.participants, *[None] * max(3 - len(details.interaction.participants), 1)]
    detections = details.interaction.detections or (Detection(""),)
    return {
        "kind": ItemKind.INTERACTION,
        "key": key,
        "details": details,
        "sentences": details.sentences,
        "span_values": details.span_values,
        "participants": participants,
        "detections": detections,
        "entities": list_accepted_entities(curation),
        "type_terms": list_branch_terms(terms, TYPE_BRANCH),
        "method_terms": group_method_terms(curation, terms),
        "biological_roles": list_branch_terms(terms, BIOLOGICAL_ROLE_BRANCH),
        "experimental_roles": list_branch_terms(terms, EXPERIMENTAL_ROLE_BRANCH),
    }


def list_accepted_entities(curation: Curation) -> Sequence[EntityId]:
    """The entities that were accepted, from which participants are chosen: 1 query."""
    rows = curation.items.filter(kind=ItemKind.ENTITY, state=ItemState.ACCEPTED, superseded_by__isnull=True)
    ids = (entity for item in rows.order_by("pk") for entity in read_annotation_content(item.content).iter_entity_ids())
    return list(dict.fromkeys(ids))


def _format_span_values(spans: Sequence[Span]) -> str:
    return " ".join(f"{start}-{end}" for start, end in spans)
