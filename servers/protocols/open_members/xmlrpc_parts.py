"""Open members of BCMS XML-RPC: parts and members that answers of old servers do not have."""

from collections.abc import Mapping

from annotations.schema import AnnotationData, Kind
from servers.protocols.open_members.entities import LABEL_FIELDS, build_entity_fields, build_label_fields
from servers.protocols.open_members.mentions import MENTION_MEMBERS, build_links
from servers.protocols.open_members.relations import RELATION_FIELDS, build_relation_fields

# What structs can have in addition, but arrays cannot.
OPEN_MEMBERS = {"mentions": ("type", *MENTION_MEMBERS), "entities": ("curie",), "relations": ("id",)}
OPEN_FIELD_ORDERS: Mapping[str, tuple[str, ...]] = {
    "entities": ("dbname", "dbid", "type", "taxid", "text", "confidence", "rank"),
    "relations": RELATION_FIELDS,
    "labels": LABEL_FIELDS,
}
OPEN_ANSWER_PARTS = {Kind.ENTITY: "entities", Kind.RELATION: "relations", Kind.LABEL: "labels"}
ENTITY_FIELD_NAMES = {"database": "dbname", "identifier": "dbid", "taxon": "taxid"}


def build_open_element(annotation: AnnotationData) -> dict[str, object]:
    if annotation.kind is Kind.ENTITY:
        return build_entity_fields(annotation, ENTITY_FIELD_NAMES)
    is_relation = annotation.kind is Kind.RELATION
    values = build_relation_fields(annotation) if is_relation else build_label_fields(annotation)
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


def build_open_mention_fields(annotation: AnnotationData, title_length: int) -> dict[str, object]:
    """The type, parts and links of a mention that has any; parts are counted from the start of its section."""
    if annotation.kind is not Kind.MENTION:
        return {}
    origin = title_length + 1 if (annotation.start or 0) > title_length else 0
    spans = [[start - origin, end - start] for start, end in annotation.spans]
    members = {"type": annotation.type, "spans": spans, "identifiers": build_links(annotation)}
    return {name: value for name, value in members.items() if value}
