"""The layers of a PubAnnotation document: denotations, blocks, relations, attributes and modifications.

A document has one layer of each, and so has every track in it. They become the elements of BioC, which a document of
annotated text is collected from: chains of fragments one annotation, attributes and modifications infons.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from annotations.formats.bioc.declared_infons import (
    ARGUMENT_KIND,
    EVIDENCE_KIND,
    EVIDENCE_ROLE,
    KIND_INFON,
    KINDS_BY_VALUE,
    PRODUCER_INFON,
    QUALIFIER_PREFIX,
    YES,
    find_declared_kind,
)
from annotations.formats.bioc.documents import (
    DATABASES_BY_KEY,
    DOCUMENT_SCOPE_INFON,
    BiocAnnotation,
    BiocDocument,
    BiocRelation,
    normalize_infon_key,
    parse_nonnegative_integer_or_none,
)
from annotations.formats.errors import quote_file_text
from annotations.formats.located_json.walk import find_json_members_or_empty, format_text_or_number_else_empty
from annotations.formats.pubannotation.chains import CHAIN_PREDICATE, FRAGMENT_OBJECT, FragmentChains, join_chains
from annotations.formats.pubannotation.written_track import PUBANNOTATION_DEFAULT_TYPE, RELATION_OBJECT
from annotations.identifiers.curies import parse_curie_or_url
from annotations.schema import NEGATION_QUALIFIER, TRUE_QUALIFIER

# What attributes of a denotation say besides identifiers, by normalized predicates.
KNOWN_ATTRIBUTES = {"type": "type", "confidence": "confidence", "score": "confidence", "rank": "rank"}
# Attributes about the organism of a gene, for example, which a mention does not have.
ORGANISM_ATTRIBUTES = frozenset({"organism", "species", "taxon"})
QUALIFIERS_BY_MODIFICATION = {"negation": NEGATION_QUALIFIER, "speculation": "speculation"}
# Members of a relation that are not infons.
RELATION_MEMBERS = frozenset({"id", "pred", "subj", "obj", "roles", "qualifiers", "evidence"})
UNKNOWN_SUBJECT = "its subject is neither a denotation nor a relation of the document"
CIRCULAR_CHAIN = "its fragments are chained in a circle"
UNCHAINED_FRAGMENT = "it is a fragment that no chain refers to"
MISSING_FRAGMENT = "it chains what is not a denotation of the document"
TYPED_FRAGMENT = "it is a fragment of another one, so its own type is not kept"


class LayerAttribute(NamedTuple):
    """An attribute, or a modification, whose subject is its obj and whose value is its predicate."""

    subject: str
    predicate: str
    value: object
    line: int


@dataclass(slots=True)
class LayerRelation(BiocRelation):
    """A relation with its ID, and all its members as in the file."""

    id: str = ""
    members: Mapping[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class PubAnnotationLayers:
    """The annotations of a document, or of one of its tracks, which has its own IDs.

    denotations: with blocks. producer_kind and kinds: what exports say of the producer, whose annotations are declared,
    see annotations/formats/bioc/declared_infons.py. further_members: of denotations, {name: first line and number};
    skipped: names and lines of other lists of objects.
    """

    denotations: list[BiocAnnotation] = field(default_factory=list)
    relations: list[LayerRelation] = field(default_factory=list)
    attributes: list[LayerAttribute] = field(default_factory=list)
    modifications: list[LayerAttribute] = field(default_factory=list)
    producer_kind: str = ""
    kinds: list[str] = field(default_factory=list)
    further_members: dict[str, tuple[int, int]] = field(default_factory=dict)
    skipped: list[tuple[str, int]] = field(default_factory=list)

    def note_further_member(self, name: str, line: int) -> None:
        first, number = self.further_members.get(name, (line, 0))
        self.further_members[name] = (first, number + 1)


def merge_layers(document: BiocDocument, layers: PubAnnotationLayers, outer: PubAnnotationLayers, prefix: str) -> None:
    """Add the layers to the document. outer: those of the document, if these are of a track; prefix: for its IDs."""
    _LayerMerger(document, layers, outer, prefix).merge()


class _LayerMerger:
    def __init__(
        self, document: BiocDocument, layers: PubAnnotationLayers, outer: PubAnnotationLayers, prefix: str
    ) -> None:
        self.document, self.layers, self.prefix = document, layers, prefix
        self.denotations = {each.id: each for each in (*outer.denotations, *layers.denotations)}
        self.relations = {each.id: each for each in (*outer.relations, *layers.relations) if each.id}
        self.own_ids = {each.id for each in layers.denotations}
        self.typed_ids = {each.subject for each in layers.attributes if each.predicate == "type"}

    def merge(self) -> None:
        self.leave_out_further_members()
        self.merge_chains()
        if self.layers.producer_kind:
            for denotation in self.layers.denotations:
                # Exports have types with colons; their objects name no identifiers.
                denotation.infons.pop("identifier", None)
        for attribute in self.layers.attributes:
            self.merge_attribute(attribute)
        for modification in self.layers.modifications:
            self.merge_modification(modification)
        for relation in self.layers.relations:
            self.merge_members(relation, relation.members)
        if self.layers.producer_kind:
            self.merge_declared_annotations()
        for annotation in self.layers.denotations:
            annotation.id = self.make_document_id(annotation.id)
        for relation in self.layers.relations:
            relation.nodes = list(map(self.make_document_id, relation.nodes))
        self.document.annotations += self.layers.denotations
        self.document.relations += self.layers.relations

    def make_document_id(self, denotation_id: str) -> str:
        """An ID that is unique in the document; one that the track does not have belongs to the document."""
        return f"{self.prefix}{denotation_id}" if denotation_id in self.own_ids else denotation_id

    def leave_out(self, part: str, reason: str, line: int, number: int = 1) -> None:
        self.document.left_out.append((part, reason, line, number))

    def leave_out_further_members(self) -> None:
        for name, (line, number) in self.layers.further_members.items():
            self.leave_out("attributes", f"a mention has no attribute {quote_file_text(name)}", line, number)
        for name, line in self.layers.skipped:
            self.leave_out("layers", f"{quote_file_text(name)} is no layer of annotations", line)

    def merge_chains(self) -> None:
        """Make one denotation of the fragments of each chain, to which everything refers that refers to a fragment."""
        links = [relation for relation in self.layers.relations if relation.infons["type"] == CHAIN_PREDICATE]
        self.layers.relations = [each for each in self.layers.relations if each.infons["type"] != CHAIN_PREDICATE]
        for link in links:
            if not all(node in self.denotations for node in link.nodes):
                self.leave_out("relations", MISSING_FRAGMENT, link.line)
        chains = join_chains((link.nodes[0], link.nodes[1]) for link in links)
        self.layers.denotations = list(self.iter_joined_denotations(chains))
        heads = {fragment: ids[0] for fragment, ids in chains.heads.items() if len(ids) == 1}
        for relation in self.layers.relations:
            relation.nodes = [heads.get(node, node) for node in relation.nodes]
        self.layers.attributes = [
            each._replace(subject=heads.get(each.subject, each.subject)) for each in self.layers.attributes
        ]

    def iter_joined_denotations(self, chains: FragmentChains) -> Iterator[BiocAnnotation]:
        for denotation in self.layers.denotations:
            given_type = denotation.infons["type"]
            if denotation.id in chains.circular:
                self.leave_out("mentions", CIRCULAR_CHAIN, denotation.line)
            elif denotation.id in chains.chained:
                if given_type not in (FRAGMENT_OBJECT, ""):
                    self.leave_out("mentions", TYPED_FRAGMENT, denotation.line)
            elif given_type == FRAGMENT_OBJECT:
                self.leave_out("mentions", UNCHAINED_FRAGMENT, denotation.line)
            else:
                for fragment in chains.fragments.get(denotation.id, ()):
                    if fragment in self.denotations:
                        denotation.locations = denotation.locations + self.denotations[fragment].locations
                yield denotation

    def merge_attribute(self, attribute: LayerAttribute) -> None:
        key, value = normalize_infon_key(attribute.predicate), _format_value(attribute.value)
        if denotation := self.denotations.get(attribute.subject):
            self.merge_denotation_attribute(denotation, attribute, key, value)
        elif relation := self.relations.get(attribute.subject):
            relation.infons.setdefault(key, value)
            relation.names.setdefault(key, attribute.predicate)
        else:
            self.leave_out("attributes", UNKNOWN_SUBJECT, attribute.line)

    def merge_denotation_attribute(
        self, denotation: BiocAnnotation, attribute: LayerAttribute, key: str, value: str
    ) -> None:
        infons = denotation.infons
        if self.layers.producer_kind:
            infons[key] = value
        elif key in DATABASES_BY_KEY:
            if infons.setdefault(key, value) != value:
                database = DATABASES_BY_KEY[key]
                denotation.further_identifiers.append(f"{database}:{value}" if database else value)
        elif key in KNOWN_ATTRIBUTES:
            infons.setdefault(KNOWN_ATTRIBUTES[key], value)
        elif key not in ORGANISM_ATTRIBUTES and parse_curie_or_url(value):
            denotation.further_identifiers.append(value)
        else:
            reason = f"a mention has no attribute {quote_file_text(attribute.predicate)}"
            self.leave_out("attributes", reason, attribute.line)

    def merge_modification(self, modification: LayerAttribute) -> None:
        name = QUALIFIERS_BY_MODIFICATION.get(modification.predicate.lower())
        relation = self.relations.get(modification.subject)
        if name and relation:
            relation.infons.setdefault(f"{QUALIFIER_PREFIX}{name}", TRUE_QUALIFIER)
        else:
            shown = quote_file_text(modification.predicate)
            self.leave_out(
                "modifications", f"{shown} is not the negation or speculation of a relation", modification.line
            )

    def merge_members(self, relation: LayerRelation, members: Mapping[str, object]) -> None:
        """What a relation has besides its two arguments. Its type is its predicate unless it names another."""
        relation.ordered = members.get("directed") not in (False, "no")
        if KIND_INFON in members and relation.infons["type"] == RELATION_OBJECT:
            relation.infons["type"] = ""
        for name, value in members.items():
            if name not in RELATION_MEMBERS and (text := _format_value(value)):
                key = normalize_infon_key(name)
                relation.infons[key] = text
                relation.names.setdefault(key, name)
        for name, value in find_json_members_or_empty(members.get("qualifiers")).items():
            relation.infons[f"{QUALIFIER_PREFIX}{name}"] = _format_value(value)
        roles = members.get("roles")
        if isinstance(roles, list) and len(roles) == len(relation.nodes):
            relation.roles = [format_text_or_number_else_empty(role) for role in roles]
        evidence = members.get("evidence")
        if isinstance(evidence, list):
            self.add_evidence(relation, [find_json_members_or_empty(span) for span in evidence])

    def add_evidence(self, relation: LayerRelation, spans: list[Mapping[str, object]]) -> None:
        """Add an annotation for each passage that is evidence, and a node that refers to it."""
        for number, span in enumerate(spans, 1):
            evidence = BiocAnnotation(relation.line, relation.column, f"{self.prefix}{relation.id}/evidence/{number}")
            evidence.infons = {KIND_INFON: EVIDENCE_KIND, PRODUCER_INFON: self.layers.producer_kind}
            evidence.locations = [parse_span_location(span)]
            self.document.annotations.append(evidence)
            relation.nodes.append(evidence.id)
            relation.roles.append(EVIDENCE_ROLE)

    def merge_declared_annotations(self) -> None:
        """Say the kinds of an export as exports in BioC do, whose relations also have what is about the document."""
        producer = {PRODUCER_INFON: self.layers.producer_kind}
        denotations, statements = [], {}
        for denotation in self.layers.denotations:
            infons = denotation.infons
            if KIND_INFON in infons:
                infons |= producer
                denotation.text = infons.pop("text", None)
                if infons["type"] == PUBANNOTATION_DEFAULT_TYPE and denotation.id not in self.typed_ids:
                    infons["type"] = ""
            if DOCUMENT_SCOPE_INFON in infons.items() and find_declared_kind(infons):
                statements[denotation.id] = self.make_statement(denotation)
            else:
                denotations.append(denotation)
        self.layers.denotations = denotations
        self.layers.relations = [*self.iter_declared_relations(statements), *statements.values()]
        for kind in KINDS_BY_VALUE.keys() & set(self.layers.kinds):
            infons = {"type": "none", KIND_INFON: kind, **producer}
            self.layers.relations.append(LayerRelation(self.document.line, self.document.column, infons))

    def make_statement(self, denotation: BiocAnnotation) -> LayerRelation:
        """The relation of BioC that says what a denotation of the whole text says."""
        infons = denotation.infons | ({} if denotation.text is None else {"text": denotation.text})
        if denotation.id not in self.typed_ids:
            infons["type"] = ""
        statement = LayerRelation(denotation.line, denotation.column, infons, id=denotation.id)
        spans = [part.split("-") for part in infons.pop("evidence", "").split(";") if part]
        self.add_evidence(statement, [dict(zip(("begin", "end"), edges, strict=False)) for edges in spans])
        return statement

    def iter_declared_relations(self, statements: Mapping[str, LayerRelation]) -> Iterator[LayerRelation]:
        """The relations of two arguments; those that name an argument of a statement become a node of that."""
        nodes: dict[str, list[tuple[str, str]]] = {}
        for relation in self.layers.relations:
            infons = relation.infons
            if infons.get(KIND_INFON) == ARGUMENT_KIND and relation.nodes[1] in statements:
                nodes.setdefault(relation.nodes[1], []).append((relation.nodes[0], infons.get("role", "")))
                continue
            if KIND_INFON in infons:
                infons[PRODUCER_INFON] = self.layers.producer_kind
            yield relation
        for statement_id, arguments in nodes.items():
            statement = statements[statement_id]
            statement.nodes = [*(node for node, _ in arguments), *statement.nodes]
            statement.roles = [*(role for _, role in arguments), *statement.roles]


def parse_span_location(span: Mapping[str, object]) -> tuple[object, object]:
    """Offset and length of a span; begin and end unchanged if one of them is not a whole number."""
    begin, end = span.get("begin", ""), span.get("end", "")
    begin_number, end_number = parse_nonnegative_integer_or_none(begin), parse_nonnegative_integer_or_none(end)
    return begin, (end if begin_number is None or end_number is None else end_number - begin_number)


def _format_value(value: object) -> str:
    """A text or number as text, a truth value as yes or no; empty for anything else."""
    if isinstance(value, bool):
        return YES if value else "no"
    return format_text_or_number_else_empty(value)
