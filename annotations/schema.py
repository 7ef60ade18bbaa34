"""The kinds and shapes of annotations, and one annotation as plain data."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from annotations.entity_types import get_type_key
from annotations.fast_dataclasses import speed_up_constructor
from bcms.lib.text import collapse_white_space


class Kind(StrEnum):
    """The kinds of annotation; the values are public."""

    MENTION = "mention"
    NORMALIZATION = "normalization"
    TAXON = "taxon"
    CLASSIFICATION = "classification"
    PAIR = "pair"
    METHOD = "method"
    PASSAGE = "passage"
    ENTITY = "entity"
    RELATION = "relation"
    LABEL = "label"


# Python 3.11 takes long to find a member of an Enum, and this one is needed for each annotation of a long article.
MENTION = Kind.MENTION


class Shape(StrEnum):
    """The four forms that annotations have; a kind is a shape, or a shape with restrictions."""

    MENTION = "mention"
    ENTITY = "entity"
    RELATION = "relation"
    LABEL = "label"


# The kinds that every protocol, file format and task supports.
SEVEN_KINDS = (
    Kind.MENTION,
    Kind.NORMALIZATION,
    Kind.TAXON,
    Kind.CLASSIFICATION,
    Kind.PAIR,
    Kind.METHOD,
    Kind.PASSAGE,
)
# A pair is an interaction of two genes, a passage the same with its evidence; a class is a label that is true or false.
SHAPES: Mapping[Kind, Shape] = {
    Kind.MENTION: Shape.MENTION,
    Kind.NORMALIZATION: Shape.ENTITY,
    Kind.TAXON: Shape.ENTITY,
    Kind.CLASSIFICATION: Shape.LABEL,
    Kind.PAIR: Shape.RELATION,
    Kind.METHOD: Shape.ENTITY,
    Kind.PASSAGE: Shape.RELATION,
    Kind.ENTITY: Shape.ENTITY,
    Kind.RELATION: Shape.RELATION,
    Kind.LABEL: Shape.LABEL,
}
# The plural of each kind on pages.
KIND_LABELS = {
    Kind.MENTION: "Mentions",
    Kind.NORMALIZATION: "Genes and proteins",
    Kind.TAXON: "Organisms",
    Kind.CLASSIFICATION: "Interaction article",
    Kind.PAIR: "Interaction pairs",
    Kind.METHOD: "Methods",
    Kind.PASSAGE: "Evidence passages",
    Kind.ENTITY: "Entities",
    Kind.RELATION: "Relations",
    Kind.LABEL: "Labels",
}
# The names of the tasks of challenges that asked for each kind.
KIND_TASK_NAMES: Mapping[Kind, tuple[str, ...]] = {
    Kind.MENTION: ("GM",),
    Kind.NORMALIZATION: ("GN", "INT"),
    Kind.TAXON: ("TX",),
    Kind.CLASSIFICATION: ("ACT", "PPI"),
    Kind.PAIR: ("IPT",),
    Kind.METHOD: ("IMT",),
    Kind.PASSAGE: ("ISS",),
    Kind.ENTITY: (),
    Kind.RELATION: (),
    Kind.LABEL: (),
}
PAIR_RELATION_TYPE = "interaction"
RELEVANCE_LABEL_NAME = "relevance"
RELEVANT_LABEL, NOT_RELEVANT_LABEL = "relevant", "not relevant"
NEGATION_QUALIFIER, TRUE_QUALIFIER, FALSE_QUALIFIER = "negated", "true", "false"


class Span(NamedTuple):
    """The text from start up to, but not including, end, in code points of the canonical text; 0 <= start < end."""

    start: int
    end: int


class EntityId(NamedTuple):
    """What names an entity: a namespace as it is stored ("mesh", at most 32 characters), and an identifier in it.

    The identifier has no prefix ("D001943") and at most 200 characters. The database is "" and the identifier the
    text as given if the producer named no known namespace.
    """

    database: str
    identifier: str

    @property
    def curie(self) -> str:
        """The stored CURIE, such as "mesh:D001943", "psi-mi:MI:0006" or, without a namespace, ":c|SUB|C|1858|T"."""
        return f"{self.database}:{self.identifier}"


@dataclass(frozen=True, slots=True)
class RelationArgument:
    """One argument of a relation: an entity, or a mention of the same producer and text; it has identifiers or spans.

    role: what it is in the relation, "" if the producer did not say. identifiers: of the entity, or the links of the
    mention. spans, type, text: of the mention; empty for an entity.
    """

    role: str = ""
    identifiers: tuple[EntityId, ...] = ()
    spans: tuple[Span, ...] = ()
    type: str = ""
    text: str = ""


class Qualifier(NamedTuple):
    """A statement about a relation, such as "novelty" = "Novel", "negated" = "true" or "method" = "mi:0018"."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RelationParts:
    """What a relation has besides its type.

    arguments: two or more, as the producer ordered them. directed: whether their order or their roles matter.
    qualifiers: with different names, sorted by name. evidence: sorted passages of the article.
    """

    arguments: tuple[RelationArgument, ...]
    directed: bool = False
    qualifiers: tuple[Qualifier, ...] = ()
    evidence: tuple[Span, ...] = ()

    def is_negated(self) -> bool:
        return Qualifier(NEGATION_QUALIFIER, TRUE_QUALIFIER) in self.qualifiers

    def build_argument_keys(self) -> tuple[tuple[object, ...], ...]:
        """Equal for the arguments of two relations between the same entities; mentions without links by their spans."""
        keys = [
            (each.role, tuple(sorted(set(each.identifiers))), () if each.identifiers else each.spans)
            for each in self.arguments
        ]
        # In a directed relation, roles tell arguments apart; those with the same role keep their order.
        return tuple(sorted(keys, key=lambda key: key[0]) if self.directed else sorted(keys))


# The fields with one plain value, in the order of rows, REST and exports.
FLAT_ANNOTATION_FIELDS = (
    "confidence",
    "rank",
    "start",
    "end",
    "text",
    "type",
    "database",
    "identifier",
    "partner",
    "taxon",
    "relevant",
)


@speed_up_constructor
@dataclass(frozen=True, slots=True)
class AnnotationData:
    """One annotation of an article as plain data; it becomes one row of the model Annotation.

    confidence is in (0, 1] or None when not given; rank is positive or None. Positions are half-open and count
    Unicode code points of the article's canonical text. Each kind uses these fields:

    mention: start, end, text, type, spans, identifiers. normalization: database, identifier, taxon. taxon: identifier
    (database is "ncbitaxon"). classification: relevant. pair: database, identifier, partner (unordered). method:
    identifier (database is "psi-mi"). passage: database, identifier, partner, text. entity: database, identifier, type,
    taxon, text (its name as given, or ""). relation: type, relation. label: type (the name of the set of labels) and
    text (the value).

    spans: two or more parts of a discontinuous mention, in the order of the text, which do not overlap; start is that
    of the first and end that of the last, and its text is that of the parts, joined by single spaces. Empty for a
    mention in one part. identifiers: the links of a mention as the producer gave and ordered them, each once. relation:
    not None for relations alone.

    `parts`, `iter_entity_ids`, `relation_type`, `arguments`, `is_directed`, `evidence` and `label` read every kind by
    its shape. make_mention, make_entity, make_relation and make_label at the end of this module construct open kinds.
    """

    kind: Kind
    confidence: float | None = None
    rank: int | None = None
    start: int | None = None
    end: int | None = None
    text: str = ""
    type: str = ""
    database: str = ""
    identifier: str = ""
    partner: str = ""
    taxon: int | None = None
    relevant: bool | None = None
    spans: tuple[Span, ...] = ()
    identifiers: tuple[EntityId, ...] = ()
    relation: RelationParts | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two annotations of one kind that count as the same annotation."""
        if self.kind == MENTION:
            return (self.start, self.end, self.spans) if self.spans else (self.start, self.end)
        match self.kind:
            case Kind.CLASSIFICATION:
                return ()
            case Kind.PAIR:
                return (self.database, *sorted((self.identifier, self.partner)))
            case Kind.PASSAGE:
                return (self.database, *sorted((self.identifier, self.partner)), collapse_white_space(self.text))
            case Kind.RELATION if self.relation is not None:
                relation = self.relation
                return (self.type, relation.directed, relation.build_argument_keys(), relation.is_negated())
            case Kind.LABEL:
                return (self.type, self.text)
            case _:
                return (self.database, self.identifier)

    @property
    def typed_key(self) -> tuple[object, ...]:
        """The key if types count: the parts and the type of a mention, which is equal for all spellings of a type."""
        if self.kind is not Kind.MENTION:
            return self.key
        return (self.parts, get_type_key(self.type))

    @property
    def shape(self) -> Shape:
        return SHAPES[self.kind]

    @property
    def parts(self) -> tuple[Span, ...]:
        """The parts of a mention, mostly one; empty for what has no position."""
        if self.spans or self.start is None or self.end is None:
            return self.spans
        return (Span(self.start, self.end),)

    def iter_entity_ids(self) -> Iterator[EntityId]:
        """The links of a mention, the entity, or the entities of all arguments of a relation; one may come twice."""
        if self.kind is Kind.MENTION:
            yield from self.identifiers
        elif self.shape is Shape.RELATION:
            for argument in self.arguments:
                yield from argument.identifiers
        elif self.identifier:
            yield EntityId(self.database, self.identifier)

    @property
    def relation_type(self) -> str:
        """The type of a relation; "" for what is none."""
        if self.kind in (Kind.PAIR, Kind.PASSAGE):
            return PAIR_RELATION_TYPE
        return self.type if self.kind is Kind.RELATION else ""

    @property
    def arguments(self) -> tuple[RelationArgument, ...]:
        """The arguments of a relation; those of a pair or passage are two without a role."""
        if self.relation is not None:
            return self.relation.arguments
        if self.kind not in (Kind.PAIR, Kind.PASSAGE):
            return ()
        return tuple(
            RelationArgument(identifiers=(EntityId(self.database, identifier),))
            for identifier in (self.identifier, self.partner)
        )

    @property
    def is_directed(self) -> bool:
        return self.relation is not None and self.relation.directed

    @property
    def evidence(self) -> tuple[Span, ...]:
        """The passages that are evidence for a relation; a passage has its text instead, without a position."""
        return () if self.relation is None else self.relation.evidence

    @property
    def label(self) -> tuple[str, str] | None:
        """The name and the value of a label; None for what is none, and for a class that was left open."""
        if self.kind is Kind.LABEL:
            return (self.type, self.text)
        if self.kind is not Kind.CLASSIFICATION or self.relevant is None:
            return None
        return (RELEVANCE_LABEL_NAME, RELEVANT_LABEL if self.relevant else NOT_RELEVANT_LABEL)


def make_mention(
    parts: Iterable[Span],
    text: str,
    entity_type: str = "",
    identifiers: Iterable[EntityId] = (),
    *,
    confidence: float | None = None,
    rank: int | None = None,
) -> AnnotationData:
    """A mention in one or more parts that do not overlap, given in any order; its text as AnnotationData describes."""
    spans = tuple(sorted(parts))
    return AnnotationData(
        Kind.MENTION,
        confidence,
        rank,
        spans[0].start,
        spans[-1].end,
        text,
        entity_type,
        spans=spans if len(spans) > 1 else (),
        identifiers=tuple(dict.fromkeys(identifiers)),
    )


def make_entity(
    entity_id: EntityId,
    entity_type: str = "",
    *,
    taxon: int | None = None,
    text: str = "",
    confidence: float | None = None,
    rank: int | None = None,
) -> AnnotationData:
    """An entity of the article as a whole."""
    database, identifier = entity_id
    return AnnotationData(
        Kind.ENTITY,
        confidence,
        rank,
        text=text,
        type=entity_type,
        database=database,
        identifier=identifier,
        taxon=taxon,
    )


def make_relation(
    relation_type: str,
    arguments: Iterable[RelationArgument],
    *,
    directed: bool = False,
    qualifiers: Mapping[str, str] | None = None,
    evidence: Iterable[Span] = (),
    confidence: float | None = None,
    rank: int | None = None,
) -> AnnotationData:
    """A relation; qualifiers: value by name; evidence: passages of the article in any order."""
    parts = RelationParts(
        tuple(arguments),
        directed,
        tuple(Qualifier(name, value) for name, value in sorted((qualifiers or {}).items())),
        tuple(sorted(set(evidence))),
    )
    return AnnotationData(Kind.RELATION, confidence, rank, type=relation_type, relation=parts)


def make_label(name: str, value: str, *, confidence: float | None = None) -> AnnotationData:
    """A label of the article: a value of the set of labels with this name."""
    return AnnotationData(Kind.LABEL, confidence, text=value, type=name)


@dataclass(frozen=True, slots=True)
class BrokenRule:
    """One rule that one part of an answer breaks.

    code is stable and public (R101). where is the location in the answer ("mentions[3].offset"), message says what is
    wrong and mend how to correct it, each in a sentence for the team that runs the server. index is the position of the
    annotation among the annotations of the answer, None when no annotation could be read there.
    """

    code: str
    where: str
    message: str
    mend: str
    index: int | None = None
