"""The content of an item as JSON: an annotation as the values of its row, or an interaction of a digital abstract."""

from collections.abc import Mapping
from typing import Any

from annotations.digital_abstract import Interaction
from annotations.digital_abstract_json import build_interaction_json, parse_interaction_json
from annotations.results.annotation_rows import build_annotation_row, read_annotation_row
from annotations.schema import AnnotationData, Kind

Content = Mapping[str, Any]


def build_annotation_content(annotation: AnnotationData) -> dict[str, object]:
    """{"kind": the kind, "row": the values of the columns of annotations/results/annotation_rows.py}."""
    return {"kind": annotation.kind.value, "row": list(build_annotation_row(annotation))}


def read_annotation_content(content: Content) -> AnnotationData:
    """The inverse of build_annotation_content."""
    return read_annotation_row(Kind(content["kind"]), *content["row"])


def build_interaction_content(interaction: Interaction) -> dict[str, object]:
    """{"interaction": as annotations/digital_abstract_json.py describes}."""
    return {"interaction": build_interaction_json(interaction)}


def read_interaction_content(content: Content) -> Interaction:
    """The inverse of build_interaction_content."""
    return parse_interaction_json(content["interaction"], "interaction")
