"""The records of several curators of one article side by side: what all of them have, and what only some have. Pure."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.curation.candidate_building import LONGEST_KEY, build_item_key
from annotations.curation.contents import Content, read_annotation_content, read_interaction_content
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Interaction


@dataclass(frozen=True, slots=True)
class CuratedItem:
    """A current decision of a curator on an item. producers: who proposed it; content, id, key: as in DecidedItem."""

    kind: ItemKind
    state: ItemState
    content: Content
    producers: Sequence[int] = ()
    id: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class ItemVersion:
    """One form in which an item was accepted, and the curators, by their number in the comparison, who did so."""

    content: Content
    curators: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ComparedItem:
    """An item that a curator accepted. rejected_by: the curators who rejected it, by their number.

    agreed: all curators accepted it in the same form.
    """

    kind: ItemKind
    key: str
    versions: tuple[ItemVersion, ...]
    rejected_by: tuple[int, ...]
    agreed: bool


def compare_curated_items(items_by_curator: Sequence[Iterable[CuratedItem]]) -> list[ComparedItem]:
    """The items that any of the curators accepted, in the order of their kinds and of the first who did.

    Interactions are the same item if they have the same participants and both or neither take place; their type,
    direction, methods, roles and evidence may differ, which makes versions. Confidences and comments do not count.
    """
    accepted: dict[tuple[ItemKind, str], dict[str, ItemVersion]] = {}
    rejected: dict[tuple[ItemKind, str], set[int]] = {}
    for curator, items in enumerate(items_by_curator):
        for key, item in _name_items(items).items():
            if item.state == ItemState.ACCEPTED:
                versions = accepted.setdefault(key, {})
                form = _describe_form(item)
                known = versions.get(form, ItemVersion(item.content, ()))
                versions[form] = replace(known, curators=(*known.curators, curator))
            elif item.state == ItemState.REJECTED:
                rejected.setdefault(key, set()).add(curator)
    order = list(ItemKind)
    return [
        ComparedItem(
            kind,
            key,
            tuple(versions.values()),
            tuple(sorted(rejected.get((kind, key), ()))),
            len(versions) == 1 and len(next(iter(versions.values())).curators) == len(items_by_curator),
        )
        for (kind, key), versions in sorted(accepted.items(), key=lambda pair: order.index(pair[0][0]))
    ]


def compute_comparison_fingerprint(items: Iterable[ComparedItem]) -> str:
    """Equal for equal comparisons, so that nobody decides on something else than what their page shows."""
    parts = [
        [item.kind, item.key, [[version.content, version.curators] for version in item.versions], item.rejected_by]
        for item in items
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _name_items(items: Iterable[CuratedItem]) -> Mapping[tuple[ItemKind, str], CuratedItem]:
    """The items of a curator by kind and the key that other curators give them; the second of a key gets "#2"."""
    named: dict[tuple[ItemKind, str], CuratedItem] = {}
    for item in items:
        key = build_shared_key(item)
        number = 1
        while (item.kind, name := key if number == 1 else f"{key}#{number}") in named:
            number += 1
        named[item.kind, name] = item
    return named


def build_shared_key(item: CuratedItem) -> str:
    """What names an item for every curator, also if it was added by hand; at most LONGEST_KEY - 10 characters."""
    if item.kind is not ItemKind.INTERACTION:
        key = build_item_key(read_annotation_content(item.content))
    else:
        interaction = read_interaction_content(item.content)
        names = "|".join(sorted(participant.entity.curie for participant in interaction.participants))
        key = f"interaction:{names}{':negative' if interaction.negative else ''}"
    if len(key) <= LONGEST_KEY - 10:
        return key
    return f"{key[: LONGEST_KEY - 80]}~{hashlib.sha256(key.encode()).hexdigest()}"


def _describe_form(item: CuratedItem) -> str:
    """Equal for two forms that are the same."""
    if item.kind is ItemKind.INTERACTION:
        return repr(_sort_interaction(read_interaction_content(item.content)))
    return repr(replace(read_annotation_content(item.content), confidence=None, rank=None))


def _sort_interaction(interaction: Interaction) -> Interaction:
    """Without what does not count; participants in order unless the first acts on the others, evidence in order."""
    first, rest = interaction.participants[:1], interaction.participants[1:]
    participants = (*first, *sorted(rest, key=repr)) if interaction.directed else (*sorted((*first, *rest), key=repr),)
    detections = (
        replace(detection, evidence=tuple(sorted(detection.evidence, key=repr))) for detection in interaction.detections
    )
    return replace(
        interaction,
        participants=participants,
        detections=tuple(sorted(detections, key=repr)),
        confidence=None,
        comment="",
        sources=(),
    )
