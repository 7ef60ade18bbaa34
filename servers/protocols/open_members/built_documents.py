"""The documents of PubAnnotation that a server of the kit answers with: what open_members/denotations.py reads.

Mentions are denotations, with a list of spans if they have several parts; attributes have their identifiers. A relation
of two arguments is one between their denotations; its qualifiers are attributes. The protocol has no roles, relations
of more arguments or annotations of the whole article: identifiers are those of mentions.
"""

from collections.abc import Iterable, Sequence

from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span

DEFAULT_OBJECT = "mention"
Members = dict[str, object]


def build_pubannotation_document(annotations: Iterable[AnnotationData], source_id: str, pmid: int | None) -> Members:
    """The document with these annotations; those that the protocol cannot say are left out.

    source_id: as in the document that was sent, "" if only the text was.
    """
    document = _BuiltDocument()
    relations = []
    for annotation in annotations:
        if annotation.kind is Kind.MENTION:
            document.add_mention(annotation)
        elif annotation.kind is Kind.RELATION and len(annotation.arguments) == 2:
            relations.append(annotation)
    for relation in relations:
        document.add_relation(relation)
    source = {"sourcedb": "BCMS" if pmid is None else "PubMed", "sourceid": source_id} if source_id else {}
    return {
        **source,
        "denotations": document.denotations,
        "relations": document.relations,
        "attributes": document.attributes,
    }


class _BuiltDocument:
    def __init__(self) -> None:
        self.denotations: list[Members] = []
        self.relations: list[Members] = []
        self.attributes: list[Members] = []
        self.ids_by_mention: dict[tuple[Sequence[Span], str], str] = {}
        self.ids_by_entity: dict[EntityId, str] = {}

    def add_mention(self, mention: AnnotationData) -> None:
        self.add_denotation(mention.parts, mention.type, mention.identifiers, mention.confidence)

    def add_denotation(
        self, parts: Sequence[Span], entity_type: str, identifiers: Sequence[EntityId], confidence: float | None = None
    ) -> str:
        denotation_id = f"T{len(self.denotations) + 1}"
        spans = [{"begin": start, "end": end} for start, end in parts]
        members: Members = {"id": denotation_id, "span": spans[0] if len(spans) == 1 else spans}
        members["obj"] = entity_type or DEFAULT_OBJECT
        self.denotations.append(members if confidence is None else members | {"confidence": confidence})
        for entity in identifiers:
            self.add_attribute(denotation_id, "identifier", format_curie(entity))
            self.ids_by_entity.setdefault(entity, denotation_id)
        return self.ids_by_mention.setdefault((tuple(parts), entity_type), denotation_id)

    def add_attribute(self, subject: str, predicate: str, value: str) -> None:
        attribute_id = f"A{len(self.attributes) + 1}"
        self.attributes.append({"id": attribute_id, "subj": subject, "pred": predicate, "obj": value})

    def add_relation(self, relation: AnnotationData) -> None:
        """Add a relation, unless one of its arguments is an entity that no mention is linked to."""
        subject, object_ = (self.find_or_add_argument(argument) for argument in relation.arguments)
        if subject is None or object_ is None:
            return
        relation_id = f"R{len(self.relations) + 1}"
        members: Members = {"id": relation_id, "subj": subject, "pred": relation.type, "obj": object_}
        members["directed"] = relation.is_directed
        if relation.confidence is not None:
            members["confidence"] = relation.confidence
        self.relations.append(members)
        for name, value in relation.relation.qualifiers if relation.relation else ():
            self.add_attribute(relation_id, name, value)

    def find_or_add_argument(self, argument: RelationArgument) -> str | None:
        """The id of the denotation of an argument, None for an entity that no mention is linked to."""
        if not argument.spans:
            return next(filter(None, map(self.ids_by_entity.get, argument.identifiers)), None)
        known = self.ids_by_mention.get((argument.spans, argument.type))
        return known or self.add_denotation(argument.spans, argument.type, argument.identifiers)
