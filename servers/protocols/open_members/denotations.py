"""PubAnnotation's documents as servers send them that are registered for types or open kinds.

Each denotation or block is a mention with a type, identifiers and a confidence, each relation one between two mentions.
If the server is registered for it, an identifier is an entity of the article, too, and one of four databases one of the
seven kinds; a relation of genes is a pair, too.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from annotations.formats.bioc.documents import DATABASES_BY_KEY, normalize_infon_key
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.schema import (
    FALSE_QUALIFIER,
    NEGATION_QUALIFIER,
    TRUE_QUALIFIER,
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    make_entity,
    make_relation,
)
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.answer_fields import AnswerFields, MalformedValueError, make_wrong_type_error
from servers.protocols.entry_labels import KINDS_BY_DATABASE
from servers.protocols.open_members.denotation_links import (
    CONFIDENCE_KEYS,
    ORGANISM_KEYS,
    TYPE_KEYS,
    LinkReader,
)
from servers.protocols.open_members.denotation_spans import (
    ChainedDenotations,
    extract_text_of_spans,
    get_denotation_id,
    is_chain,
)
from servers.protocols.open_members.local_ids import LocalIds
from servers.protocols.parsed_answers import ParsedAnswer, format_unregistered_kind

SUBJECT_RULE = "R210"
QUALIFIERS_BY_MODIFICATION = {"negation": NEGATION_QUALIFIER, "speculation": "speculation"}
NO_ATTRIBUTE = "A mention has a type, identifiers and a confidence, but no other attributes."
NO_MODIFICATION = "Only the negation and the speculation of a relation are stored."
NO_OTHER_TYPE = "The obj of the denotation is its type, so that of the attribute is not stored."


class OpenDocumentReader:
    """Reads one document; its parts are structs, of which those that are none are broken rules already."""

    def __init__(
        self,
        parsed: ParsedAnswer,
        question: AnnotationRequest,
        denotations: Sequence[AnswerFields],
        relations: Sequence[AnswerFields],
        links: LinkReader,
    ) -> None:
        self.parsed, self.question, self.links = parsed, question, links
        self.denotations, self.relations = denotations, [each for each in relations if not is_chain(each)]
        self.chained = ChainedDenotations(parsed, denotations, relations)
        self.mentions: dict[str, AnnotationData] = {}
        self.attributes: dict[str, list[AnswerFields]] = {}
        self.qualifiers: dict[str, dict[str, str]] = {}
        self.taxa: dict[EntityId, str] = {}
        # Where the first mention with a link is.
        self.link_places: dict[EntityId, str] = {}

    def read(self, attributes: Sequence[AnswerFields], modifications: Sequence[AnswerFields]) -> None:
        self.group_attributes(attributes)
        for fields in filter(self.chained.is_mention_unless_fragment, self.denotations):
            try:
                mention = self.read_mention(fields)
            except MalformedValueError as error:
                self.parsed.broken_rules.append(error.broken_rule)
                continue
            self.mentions.setdefault(get_denotation_id(fields), mention)
            self.add_annotation(mention, fields.where)
            for entity in mention.identifiers:
                self.link_places.setdefault(entity, fields.where)
        self.add_entries()
        relation_ids = {str(each.values["id"]) for each in self.relations if "id" in each.values}
        for modification in modifications:
            self.read_modification(modification, relation_ids)
        self.read_relations()

    def add_annotation(self, annotation: AnnotationData, where: str) -> None:
        if annotation.kind in self.question.kinds:
            self.parsed.annotations.append(annotation)
            self.parsed.locations.append(where)
        else:
            self.parsed.omitted.add(where, format_unregistered_kind(annotation.kind))

    def group_attributes(self, attributes: Sequence[AnswerFields]) -> None:
        """Note for each denotation and relation its attributes; those of anything else are broken rules."""
        known = {get_denotation_id(each) for each in self.denotations}
        known |= {str(each.values["id"]) for each in self.relations if "id" in each.values}
        for attribute in attributes:
            subject = str(attribute.values.get("subj"))
            if subject in known:
                self.attributes.setdefault(self.chained.find_head(subject), []).append(attribute)
                continue
            message = "No denotation or relation of the answer has this id."
            error = MalformedValueError(SUBJECT_RULE, attribute.get_path("subj"), message)
            self.parsed.broken_rules.append(error.broken_rule)

    def read_mention(self, fields: AnswerFields) -> AnnotationData:
        spans = self.chained.read_spans(fields)
        mention_type, identifiers = self.links.read_object(fields.require_identifier("obj"))
        mention = AnnotationData(
            Kind.MENTION,
            start=min(start for start, _ in spans),
            end=max(end for _, end in spans),
            text=extract_text_of_spans(spans, self.question.text),
            type=mention_type,
            confidence=fields.find_number("confidence"),
            spans=spans if len(spans) > 1 else (),
            identifiers=identifiers,
        )
        found = dict.fromkeys(identifiers)
        for attribute in self.attributes.get(get_denotation_id(fields), ()):
            mention = self.add_attribute(mention, found, attribute)
        return replace(mention, identifiers=tuple(found))

    def add_attribute(
        self, mention: AnnotationData, found: dict[EntityId, None], attribute: AnswerFields
    ) -> AnnotationData:
        """The mention with what an attribute says, whose identifiers are added to found."""
        predicate, value = str(attribute.values.get("pred", "")), attribute.values.get("obj")
        key = normalize_infon_key(predicate)
        if key in CONFIDENCE_KEYS and mention.confidence is None:
            return replace(mention, confidence=attribute.find_number("obj"))
        if key in TYPE_KEYS and isinstance(value, str):
            if mention.identifiers:
                return replace(mention, type=value)
            self.parsed.omitted.add(attribute.where, NO_OTHER_TYPE)
            return mention
        identifiers = self.links.read_attribute(predicate, value, mention.type)
        found |= dict.fromkeys(identifiers)
        if identifiers or (key in DATABASES_BY_KEY and value in ("", "-", None, [])):
            return mention
        entity = self.links.find_entity(value) if key in ORGANISM_KEYS and isinstance(value, str) else None
        if entity and entity.database == "ncbitaxon" and Kind.TAXON in self.question.kinds:
            self.taxa.setdefault(entity, attribute.where)
        else:
            self.parsed.omitted.add(attribute.where, NO_ATTRIBUTE)
        return mention

    def add_entries(self) -> None:
        """Add each identifier of the mentions once, as the kinds that the server is registered for."""
        kinds, types = self.question.kinds, self.collect_types_of_links()
        for entity, mention_type in types.items():
            kind, where = KINDS_BY_DATABASE.get(entity.database), self.link_places[entity]
            if Kind.ENTITY in kinds:
                self.add_annotation(make_entity(entity, mention_type), where)
            # The mention breaks a rule if its identifier is malformed.
            is_reported = Kind.MENTION in kinds and not is_well_formed_identifier(*entity)
            if kind in kinds and not is_reported:
                self.add_annotation(_make_entry(kind, entity), where)
            elif kind is None and not {Kind.MENTION, Kind.ENTITY} & set(kinds):
                self.parsed.omitted.add(where, "It is not an entry of a known database.")
        for entity, where in self.taxa.items():
            if entity not in types:
                self.add_annotation(_make_entry(Kind.TAXON, entity), where)

    def collect_types_of_links(self) -> dict[EntityId, str]:
        """{identifier: type of the first mention that has it}."""
        types: dict[EntityId, str] = {}
        for mention in self.mentions.values():
            for entity in mention.identifiers:
                types.setdefault(entity, mention.type)
        return types

    def read_modification(self, modification: AnswerFields, relation_ids: Collection[str]) -> None:
        name = QUALIFIERS_BY_MODIFICATION.get(str(modification.values.get("pred")).lower())
        relation_id = str(modification.values.get("obj"))
        if name and relation_id in relation_ids:
            self.qualifiers.setdefault(relation_id, {})[name] = TRUE_QUALIFIER
        else:
            self.parsed.omitted.add(modification.where, NO_MODIFICATION)

    def read_relations(self) -> None:
        """Add the relations, and the pairs of proteins or genes that they connect."""
        denotations = [{"id": get_denotation_id(each)} for each in self.denotations]
        named = [{"id": each.values.get("id"), "arguments": self.list_argument_ids(each)} for each in self.relations]
        fragments = self.chained.chains.chained
        local_ids = LocalIds([each for each in denotations if each["id"] not in fragments], named, self.get_mention)
        pairs: dict[tuple[str, str, str], str] = {}
        for fields in self.relations:
            try:
                relation = self.read_relation(fields, local_ids)
            except MalformedValueError as error:
                self.parsed.broken_rules.append(error.broken_rule)
                continue
            own_pairs = list(_iter_pairs(relation)) if Kind.PAIR in self.question.kinds else []
            for pair in own_pairs:
                pairs.setdefault(pair, fields.where)
            if Kind.RELATION in self.question.kinds or not own_pairs:
                self.add_annotation(relation, fields.where)
        for (database, a, b), where in pairs.items():
            self.add_annotation(AnnotationData(Kind.PAIR, database=database, identifier=a, partner=b), where)

    def get_mention(self, struct: dict[str, object]) -> AnnotationData:
        mention = self.mentions.get(str(struct["id"]))
        if mention is None:
            raise MalformedValueError("R202", "", "The denotation cannot be read.")
        return mention

    def list_argument_ids(self, fields: AnswerFields) -> list[str]:
        return [self.chained.find_head(str(fields.values.get(name))) for name in ("subj", "obj")]

    def read_relation(self, fields: AnswerFields, local_ids: LocalIds) -> AnnotationData:
        """The relation in a struct. Raises MalformedValueError."""
        arguments = []
        for name in ("subj", "obj"):
            fields.require_identifier(name)
        for name, argument_id in zip(("subj", "obj"), self.list_argument_ids(fields), strict=True):
            mention = local_ids.find_mention(argument_id, fields.get_path(name))
            arguments.append(RelationArgument("", mention.identifiers, mention.parts, mention.type, mention.text))
        directed = fields.values.get("directed", True)
        if not isinstance(directed, bool):
            raise make_wrong_type_error(fields.get_path("directed"), directed, "a boolean")
        confidence = fields.find_number("confidence")
        qualifiers = dict(self.qualifiers.get(str(fields.values.get("id")), {}))
        for attribute in self.attributes.get(str(fields.values["id"]), ()) if "id" in fields.values else ():
            predicate = str(attribute.values.get("pred", ""))
            if normalize_infon_key(predicate) in CONFIDENCE_KEYS and confidence is None:
                confidence = attribute.find_number("obj")
            else:
                qualifiers[predicate] = _read_qualifier(attribute)
        return make_relation(
            fields.find_text("pred"), arguments, directed=directed, qualifiers=qualifiers, confidence=confidence
        )


def _read_qualifier(attribute: AnswerFields) -> str:
    value = attribute.require_value("obj")
    if isinstance(value, bool):
        return TRUE_QUALIFIER if value else FALSE_QUALIFIER
    return attribute.require_text_or_digits("obj")


def _make_entry(kind: Kind, entity: EntityId) -> AnnotationData:
    return AnnotationData(kind, database=entity.database, identifier=entity.identifier)


def _iter_pairs(relation: AnnotationData) -> Iterator[tuple[str, str, str]]:
    """(database, identifier, partner) for the identifiers of both arguments in the same protein or gene database."""
    first, second = relation.arguments
    for database, a in first.identifiers:
        for other, b in second.identifiers:
            if database == other and KINDS_BY_DATABASE.get(database) is Kind.NORMALIZATION:
                low, high = sorted((a, b))
                yield database, low, high
