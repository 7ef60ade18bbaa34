"""Relations and labels that people add or correct, as items: the workspace and REST check and make them here."""

from collections.abc import Callable
from dataclasses import replace

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.curation.candidate_building import LONGEST_KEY, build_item_key
from annotations.curation.contents import build_annotation_content, read_annotation_content, read_content_sources
from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.states import ItemKind, ItemState
from annotations.identifiers.curies import format_curie_for_readers
from annotations.schema import AnnotationData, EntityId, Kind
from bcms.curation.added_items import OWN_KEY
from bcms.curation.given_entities import check_entity

# The items whose annotations are stated as a whole.
OPEN_ITEM_KINDS = {ItemKind.RELATION: Kind.RELATION, ItemKind.LABEL: Kind.LABEL}
# The rules call the parts of a label as protocols do.
MEMBER_NAMES = {(Kind.LABEL, "name"): "type", (Kind.LABEL, "value"): "text"}
LOCATION = "annotation"


def check_annotation(
    annotation: AnnotationData,
    article_text: str,
    before: AnnotationData | None,
    name_field: Callable[[str], str],
) -> None:
    """CurationError for the first rule that a relation or label breaks: a query for each entity.

    before: what is corrected, None for what is added; identifiers without a database stay if they are in it.
    name_field: the field at fault for the path of a member, such as "type", "text", "evidence" or "arguments[1]".
    """
    if not annotation.type.strip():
        raise CurationError(f"Give the {_name_required_type(annotation)}.", name_field("type"))
    if annotation.kind is Kind.LABEL and not annotation.text.strip():
        raise CurationError("Give the value of the label.", name_field("text"))
    faults = list_broken_annotation_rules([annotation], article_text, 0, locations=[LOCATION], field_names=MEMBER_NAMES)
    for broken in faults:
        path = broken.where.removeprefix(LOCATION).removeprefix(".")
        raise CurationError(f"{broken.message} {broken.mend}", name_field(path))
    if len(build_item_key(annotation)) > LONGEST_KEY:
        raise CurationError("It is too long to be recorded. Leave out members.", name_field("arguments"))
    known = set(before.iter_entity_ids()) if before else set()
    for index, argument in enumerate(annotation.arguments):
        for entity in argument.identifiers:
            if entity.database or entity not in known:
                _check_entity_with_database(entity, name_field(f"arguments[{index}]"))


def _name_required_type(annotation: AnnotationData) -> str:
    return "name of the label" if annotation.kind is Kind.LABEL else "type of the relation"


def _check_entity_with_database(entity: EntityId, field: str) -> None:
    if not entity.database:
        message = f"“{entity.identifier[:60]}” is not an identifier of a known database. Write it as in uniprot:P04637."
        raise CurationError(message, field)
    check_entity(entity, format_curie_for_readers(entity), field)


def build_added_item(curation: Curation, kind: ItemKind, annotation: AnnotationData) -> ItemProposal:
    """The item of an added relation or label, which decides on the one that is proposed, if it is: 1 query.

    An accepted item with other details, or one that was corrected to something else, stays; then it is another item.
    """
    key, content = build_item_key(annotation), build_annotation_content(annotation)
    accepted = curation.items.filter(kind=kind, key=key, state=ItemState.ACCEPTED, superseded_by__isnull=True).first()
    if accepted:
        certainty = read_annotation_content(accepted.content)
        if certainty != replace(annotation, confidence=certainty.confidence, rank=certainty.rank):
            return ItemProposal(kind, f"{OWN_KEY}{curation.revision + 1}", content)
        return ItemProposal(kind, key, accepted.content, accepted.producers)
    return ItemProposal(kind, key, content)


def build_corrected_item(item: ItemProposal, annotation: AnnotationData) -> ItemProposal:
    """The item with the annotation in place of its own; it keeps its key, producers and sources."""
    certainty = read_annotation_content(item.content)
    corrected = replace(annotation, confidence=certainty.confidence, rank=certainty.rank)
    return replace(item, content=build_annotation_content(corrected, read_content_sources(item.content)))
