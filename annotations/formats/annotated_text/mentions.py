"""The content of files of annotated text: mentions in documents, interaction pairs, and classes of documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.errors import FormatError


@dataclass(frozen=True, slots=True)
class TextMention:
    """A mention in a document.

    start and end (exclusive) count code points over title, one separator and abstract; a discontinuous mention goes
    from its first part to the end of its last. text and type are as in the file; identifiers have no prefix: `7157` for
    `NCBI Gene:7157`. line: where it stands in the file, from 1, or 0 if unknown.
    """

    document: str
    start: int
    end: int
    text: str
    type: str
    identifiers: tuple[str, ...]
    line: int


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
        return self.relation.lower() in ("ppi", "ppim")


@dataclass(frozen=True, slots=True)
class AnnotatedTextFile:
    """The content of a file.

    documents: the IDs of all documents, including those without mentions, in the order of the file; mentions: in the
    order of the file; relevant: {document: whether it is relevant} for the documents with a class.
    """

    documents: Sequence[str]
    mentions: Sequence[TextMention]
    warnings: Sequence[FormatError] = ()
    pairs: Sequence[InteractionPair] = ()
    relevant: Mapping[str, bool] = field(default_factory=dict)
