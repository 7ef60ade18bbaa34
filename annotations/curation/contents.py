"""The content of an item as JSON: an annotation as the values of its row, or an interaction of a digital abstract."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotations.curation.states import ItemKind
from annotations.digital_abstract import Interaction, Source
from annotations.digital_abstract_json import (
    build_interaction_json,
    build_sources_json,
    parse_interaction_json,
    parse_sources_json,
)
from annotations.entity_types import get_type_key
from annotations.json_members import JsonMembers
from annotations.results.annotation_rows import build_annotation_row, read_annotation_row
from annotations.schema import AnnotationData, Kind, Shape

Content = Mapping[str, Any]


def build_annotation_content(annotation: AnnotationData, sources: Sequence[Source] = ()) -> dict[str, object]:
    """{"kind": the kind, "row": the values of the columns of annotations/results/annotation_rows.py, "sources": those
    of what was taken over from a file, missing for others}.
    """
    content: dict[str, object] = {"kind": annotation.kind.value, "row": list(build_annotation_row(annotation))}
    return {**content, "sources": build_sources_json(sources)} if sources else content


def read_annotation_content(content: Content) -> AnnotationData:
    """The annotation of build_annotation_content."""
    return read_annotation_row(Kind(content["kind"]), *content["row"])


def read_content_sources(content: Content) -> tuple[Source, ...]:
    """The sources of an annotation or interaction that was taken over from a file; empty for others."""
    given = content.get("interaction", content).get("sources")
    # Most items have none, and there may be thousands.
    return parse_sources_json(JsonMembers({"sources": given}, "content")) if given else ()


def build_interaction_content(interaction: Interaction) -> dict[str, object]:
    """{"interaction": as annotations/digital_abstract_json.py describes}."""
    return {"interaction": build_interaction_json(interaction)}


def read_interaction_content(content: Content) -> Interaction:
    """The inverse of build_interaction_content."""
    return parse_interaction_json(content["interaction"], "interaction")


def build_content_identity(kind: str, content: Content) -> object:
    """What a correction of an item changes, to compare: identifiers, types, positions and participants.

    Completing an interaction with its type, methods and passages corrects nothing.
    """
    if kind == ItemKind.INTERACTION:
        return sorted(each.entity.curie for each in read_interaction_content(content).participants)
    annotation = read_annotation_content(content)
    if annotation.shape is Shape.MENTION:
        return annotation.parts, get_type_key(annotation.type), sorted(annotation.identifiers)
    if annotation.shape is Shape.ENTITY:
        return annotation.database, annotation.identifier
    return annotation.key
