"""Read a decision from a form, and store it: which items, what becomes of them, and what was added or corrected."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from django.http import QueryDict

from annotations.curation.contents import build_annotation_content, read_annotation_content, read_content_sources
from annotations.curation.decisions import DecisionInput, ItemProposal, store_or_undo_decision
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Decision
from annotations.curation.states import DecisionAction, ItemKind
from annotations.schema import AnnotationData, EntityId, Span, make_mention
from bcms.curation.added_items import build_added_items
from bcms.curation.given_entities import build_entity_annotation, read_given_entity
from bcms.curation.interaction_form import read_interaction_item
from bcms.curation.item_rows import list_items
from bcms.curation.mentions.mention_rows import list_mentions_of_group
from bcms.curation.open_model.annotation_items import OPEN_ITEM_KINDS, build_added_item, build_corrected_item
from bcms.curation.open_model.label_form import read_label_form
from bcms.curation.open_model.relation_form import read_relation_form
from bcms.lib.text import replace_unstorable_characters
from bcms.manuscripts.suggestions import build_suggested_items

LONGEST_REASON = 500
LONGEST_TYPE = 100
LARGEST_REVISION = 2**31 - 1
TOKEN = re.compile(r"[A-Za-z0-9-]{8,36}")
OPEN_PAGE_AGAIN = "Reload the page and decide again."


def store_decision_of_form(curation: Curation, form: QueryDict, user_id: int | None, now: datetime) -> Decision:
    """Store what a form of the workspace says; CurationError with the field at fault."""
    action = _read_action(form)
    given = DecisionInput(
        action,
        _read_revision(form),
        _read_token(form),
        user_id,
        replace_unstorable_characters(form.get("reason", ""))[:LONGEST_REASON],
        () if action is DecisionAction.UNDO else _read_items_and_interactions(curation, action, form),
    )
    return store_or_undo_decision(curation.pk, given, now)


def _read_action(form: QueryDict) -> DecisionAction:
    try:
        return DecisionAction(form.get("action", ""))
    except ValueError:
        raise CurationError(f"The action is not one of {', '.join(DecisionAction)}.", "action") from None


def _read_revision(form: QueryDict) -> int:
    seen = form.get("seen", "")
    if not (seen.isascii() and seen.isdecimal() and len(seen) <= 10 and int(seen) <= LARGEST_REVISION):
        raise CurationError(f"The form does not say which state of the record it shows. {OPEN_PAGE_AGAIN}", "seen")
    return int(seen)


def _read_token(form: QueryDict) -> str:
    token = form.get("token", "")
    if not TOKEN.fullmatch(token):
        raise CurationError(f"The form has no valid token. {OPEN_PAGE_AGAIN}", "token")
    return token


def _read_items_and_interactions(curation: Curation, action: DecisionAction, form: QueryDict) -> Sequence[ItemProposal]:
    try:
        kind = ItemKind(form.get("kind", ""))
    except ValueError:
        raise CurationError(f"The kind is not one of {', '.join(ItemKind)}.", "kind") from None
    if kind is ItemKind.INTERACTION and action in (DecisionAction.ADD, DecisionAction.EDIT):
        return [read_interaction_item(curation, form)]
    return read_items(curation, action, kind, form)


def read_items(curation: Curation, action: DecisionAction, kind: ItemKind, form: QueryDict) -> Sequence[ItemProposal]:
    """The items that a decision is about, with what it changes in them; interactions are not read from their fields."""
    if action is DecisionAction.ADD:
        return _read_added_items(curation, kind, form)
    known = find_items(curation, kind, form.getlist("key"), form.get("group", ""))
    if action is DecisionAction.EDIT:
        return [_read_edited_item(curation, each, form) for each in known]
    return known


def find_items(curation: Curation, kind: ItemKind, keys: Iterable[str], group: str = "") -> list[ItemProposal]:
    """The items with these keys, or all mentions of a group: as they were decided last, else as they were proposed.

    CurationError if one of them does not exist.
    """
    wanted = list(dict.fromkeys(keys))
    if group:
        text, _, entity_type = group.partition("\t")
        candidates, same = list_mentions_of_group(curation, text, entity_type)
    else:
        proposed, decided = list_items(curation, kind)
        candidates, same = proposed.filter(key__in=wanted), decided.filter(key__in=wanted)
    items = {each.key: ItemProposal(kind, each.key, each.content, each.producers) for each in candidates}
    items |= {each.key: ItemProposal(kind, each.key, each.content, each.producers) for each in same}
    if not items or (not group and len(items) < len(wanted)):
        raise CurationError(f"The item is no longer there: what servers propose has changed. {OPEN_PAGE_AGAIN}", "key")
    return list(items.values())


def _read_edited_item(curation: Curation, item: ItemProposal, form: QueryDict) -> ItemProposal:
    """The item with what the form says of it; it keeps its key, so that it stays the same item, and its sources."""
    annotation, sources = read_annotation_content(item.content), read_content_sources(item.content)
    if item.kind in OPEN_ITEM_KINDS:
        return build_corrected_item(item, _read_open_annotation(curation, item.kind, form, annotation))
    entity_type = _read_type(form) or annotation.type
    if item.kind is ItemKind.MENTION:
        entity = _read_optional_entity(form, entity_type)
        corrected = replace(annotation, type=entity_type, identifiers=(entity,) if entity else ())
    else:
        given = read_given_entity(form.get("identifier", ""), entity_type, kind=item.kind)
        corrected = build_entity_annotation(item.kind, given, entity_type)
    return replace(item, content=build_annotation_content(corrected, sources))


def _read_open_annotation(
    curation: Curation, kind: ItemKind, form: QueryDict, before: AnnotationData | None = None
) -> AnnotationData:
    read = read_relation_form if kind is ItemKind.RELATION else read_label_form
    return read(form, curation.article.text, before)


def _read_added_items(curation: Curation, kind: ItemKind, form: QueryDict) -> Sequence[ItemProposal]:
    if comment := form.get("comment"):
        return build_suggested_items(curation, comment)
    if kind in OPEN_ITEM_KINDS:
        return [build_added_item(curation, kind, _read_open_annotation(curation, kind, form))]
    entity_type = _read_type(form)
    if kind is ItemKind.MENTION:
        entity = _read_optional_entity(form, entity_type)
        spans = _read_spans(curation.article.text, form)
        mentions = [_make_mention(curation.article.text, span, entity_type, entity) for span in spans]
        return build_added_items(curation, kind, mentions)
    if kind not in (ItemKind.ORGANISM, ItemKind.ENTITY, ItemKind.METHOD):
        raise CurationError(f"Items of the kind {kind} cannot be added here.", "kind")
    added = read_given_entity(form.get("identifier", ""), entity_type, kind=kind)
    return build_added_items(curation, kind, [build_entity_annotation(kind, added, entity_type)])


def _read_type(form: QueryDict) -> str:
    entity_type = replace_unstorable_characters(form.get("type", "")).strip()
    if len(entity_type) > LONGEST_TYPE:
        raise CurationError(f"A type has at most {LONGEST_TYPE} characters.", "type")
    return entity_type


def _read_optional_entity(form: QueryDict, entity_type: str) -> EntityId | None:
    text = form.get("identifier", "").strip()
    return read_given_entity(text, entity_type) if text else None


def _read_spans(text: str, form: QueryDict) -> list[Span]:
    """The selected span, and with `everywhere` all others of the same words that are no parts of longer words."""
    start, end = (form.get(name, "") for name in ("start", "end"))
    if not all(each.isascii() and each.isdecimal() and len(each) < 10 for each in (start, end)):
        raise CurationError("Select the words of the mention in the text.", "text")
    chosen = Span(int(start), int(end))
    if not 0 <= chosen.start < chosen.end <= len(text):
        raise CurationError("The selection is not within the text. Select the words again.", "text")
    if form.get("text", text[slice(*chosen)]) != text[slice(*chosen)]:
        raise CurationError("The text has changed since the page was opened. Reload the page and select again.", "text")
    if not form.get("everywhere"):
        return [chosen]
    words = re.compile(rf"(?<!\w){re.escape(text[slice(*chosen)])}(?!\w)")
    return sorted({chosen, *(Span(*match.span()) for match in words.finditer(text))})


def _make_mention(text: str, span: Span, entity_type: str, entity: EntityId | None) -> AnnotationData:
    return make_mention([span], text[slice(*span)], entity_type, [entity] if entity else [])
