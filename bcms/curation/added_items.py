"""Organisms, entities, methods and mentions that people add, as items that take the place of nothing else."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from annotations.curation.candidate_building import build_item_key
from annotations.curation.contents import build_annotation_content, read_annotation_content, read_content_sources
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Curation, DecidedItem
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Source
from annotations.schema import AnnotationData, Shape

# Keys of what is added beside a corrected item, whose key it would have.
OWN_KEY = "new-"


def build_added_items(
    curation: Curation, kind: ItemKind, annotations: Iterable[AnnotationData], sources: Sequence[Source] = ()
) -> list[ItemProposal]:
    """The items of the annotations: 1 query, or 2 if any item was corrected from one of them.

    What the record has already keeps its producers, its sources, and what is known of it. An item that was corrected
    to something else stays; then what is added is another item. sources: of what is taken over.
    """
    added = {build_item_key(each): each for each in annotations}
    accepted = curation.items.filter(kind=kind, state=ItemState.ACCEPTED, superseded_by__isnull=True).order_by("pk")
    current = list(accepted.filter(key__in=added))
    corrected = {item.key for item in current if _build_content_key(item) != item.key}
    if corrected:
        current += accepted.filter(key__startswith=OWN_KEY)
    known = {_build_content_key(item): item for item in current}
    items = []
    for number, (key, annotation) in enumerate(added.items(), 1):
        if key in known:
            items.append(_repeat_item(known[key], annotation, sources))
        else:
            own_key = f"{OWN_KEY}{curation.revision + 1}-{number}" if key in corrected else key
            items.append(ItemProposal(kind, own_key, build_annotation_content(annotation, sources)))
    return items


def _build_content_key(item: DecidedItem) -> str:
    return build_item_key(read_annotation_content(item.content))


def _repeat_item(item: DecidedItem, annotation: AnnotationData, sources: Sequence[Source]) -> ItemProposal:
    """The item, with the link of a mention or the type of an entity if the annotation has one."""
    known = read_annotation_content(item.content)
    if annotation.shape is Shape.MENTION:
        known = replace(known, identifiers=annotation.identifiers or known.identifiers)
    else:
        known = replace(known, type=annotation.type or known.type)
    named = tuple(dict.fromkeys((*read_content_sources(item.content), *sources)))
    return ItemProposal(ItemKind(item.kind), item.key, build_annotation_content(known, named), item.producers)
