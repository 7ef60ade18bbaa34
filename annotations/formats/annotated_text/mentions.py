"""The content of files of annotated text: mentions in documents, relations, entities and labels of documents."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.errors import FormatError
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import EntityId, Kind, Qualifier, Span


@dataclass(frozen=True, slots=True)
class TextMention:
    """A mention in a document.

    start and end (exclusive) count code points over title, one separator and abstract; a discontinuous mention goes
    from its first part to the end of its last. text and type are as in the file; identifiers have no prefix: `7157` for
    `NCBI Gene:7157`. line: where it stands in the file, from 1, or 0 if unknown.

    spans: the parts of a discontinuous mention, sorted and without overlap; empty for one part. given: the identifiers
    as they are written, after the name of their database where the file has it elsewhere (`MESH:D007674|D008107`).
    exact: the links, if the file lists each with its database. confidence: in (0, 1], None without one.
    """

    document: str
    start: int
    end: int
    text: str
    type: str
    identifiers: tuple[str, ...]
    line: int
    spans: tuple[Span, ...] = ()
    given: str = ""
    exact: tuple[EntityId, ...] = ()
    confidence: float | None = None
    rank: int | None = None

    @property
    def parts(self) -> tuple[Span, ...]:
        return self.spans or (Span(self.start, self.end),)

    def list_links(self) -> tuple[EntityId, ...]:
        """The entities that the mention is linked to, each once; the database is "" where it is not known."""
        return self.exact or parse_identifier_field(self.given, self.type)


@dataclass(frozen=True, slots=True)
class InteractionPair:
    """Two related interactors of a document; relation: its type, a and b: identifiers, all as in the file."""

    document: str
    a: str
    b: str
    relation: str
    line: int

    @property
    def interacts(self) -> bool:
        """Whether the relation is a protein-protein interaction: PPI, or PPIm if a mutation affects it."""
        return is_interaction(self.relation)


def is_interaction(relation_type: str) -> bool:
    """Whether a type of relation is a protein-protein interaction."""
    return relation_type.lower() in ("ppi", "ppim")


@dataclass(frozen=True, slots=True)
class TextArgument:
    """An argument of a relation: a mention with its spans, text, type and links, or, without spans, an entity.

    role: "" if the file has none. type: of an entity, that of mentions with its identifier. given, exact: as of
    TextMention.
    """

    role: str
    given: str = ""
    type: str = ""
    spans: tuple[Span, ...] = ()
    text: str = ""
    exact: tuple[EntityId, ...] = ()

    def list_links(self) -> tuple[EntityId, ...]:
        return self.exact or parse_identifier_field(self.given, self.type)


@dataclass(frozen=True, slots=True)
class TextRelation:
    """A relation of two or more arguments; positions as of TextMention.

    kind: PAIR or PASSAGE if the file says that it is one, as exports of a BioCreative Meta-Server do; text: of a
    passage. qualifiers: sorted, with different names. evidence: sorted.
    """

    document: str
    type: str
    arguments: tuple[TextArgument, ...]
    line: int
    directed: bool = False
    qualifiers: tuple[Qualifier, ...] = ()
    evidence: tuple[Span, ...] = ()
    confidence: float | None = None
    rank: int | None = None
    kind: Kind = Kind.RELATION
    text: str = ""

    @property
    def interacts(self) -> bool:
        return is_interaction(self.type)


@dataclass(frozen=True, slots=True)
class TextEntity:
    """An entity of a document as a whole; text: its name, if the file has it. kind: one of those with an identifier."""

    document: str
    type: str
    line: int
    given: str = ""
    exact: tuple[EntityId, ...] = ()
    taxon: int | None = None
    text: str = ""
    confidence: float | None = None
    rank: int | None = None
    kind: Kind = Kind.ENTITY

    def list_links(self) -> tuple[EntityId, ...]:
        return self.exact or parse_identifier_field(self.given, self.type)


@dataclass(frozen=True, slots=True)
class TextLabel:
    """A label of a document; name: of the set that the value is from. kind: LABEL, or CLASSIFICATION for a class."""

    document: str
    name: str
    value: str
    line: int
    confidence: float | None = None
    rank: int | None = None
    kind: Kind = Kind.LABEL


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of a document that is not kept.

    part: what it is, such as mentions, identifiers, relations, entities, labels, attributes or notes; number: how
    often it comes, from this line on; rule: which of the rules for annotations in answers it breaks, "" for none.
    """

    document: str
    part: str
    reason: str
    line: int
    number: int = 1
    rule: str = ""


@dataclass(frozen=True, slots=True)
class AnnotatedTextFile:
    """The content of a file.

    documents: the IDs of all documents, including those without mentions, in the order of the file; mentions: in the
    order of the file; relevant: {document: whether it is relevant} for the documents with a class. pairs: the relations
    of two arguments with identifiers, which `relations` has, too. kinds: {document: the kinds that it was annotated
    with} for documents that say so. texts: {document: the text in which its positions are}, if the texts are kept.
    individual_mentions: the places in mentions of those that are a part of a composite mention, which has the
    identifiers of all of its parts: “renal dysfunction” of “renal and hepatic dysfunction”.
    """

    documents: Sequence[str]
    mentions: Sequence[TextMention]
    warnings: Sequence[FormatError] = ()
    pairs: Sequence[InteractionPair] = ()
    relevant: Mapping[str, bool] = field(default_factory=dict)
    relations: Sequence[TextRelation] = ()
    entities: Sequence[TextEntity] = ()
    labels: Sequence[TextLabel] = ()
    kinds: Mapping[str, frozenset[Kind]] = field(default_factory=dict)
    left_out: Sequence[LeftOut] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    individual_mentions: Collection[int] = frozenset()
