"""What files of annotated text hold: mentions in documents, pairs of interactors, and which documents are relevant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.errors import FormatError


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of a document that names something.

    start and end, which is exclusive, count code points over title, one separator and abstract; a mention of several
    parts goes from the first to the end of the last. text and type are as the file writes them; identifiers are without
    prefix, `7157` for `NCBI Gene:7157`. line: from 1, where the file says it; 0 where it is not known.
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
    """Two interactors that a document relates; relation is the type that the file gives, a and b are as it has them."""

    document: str
    a: str
    b: str
    relation: str
    line: int

    @property
    def interacts(self) -> bool:
        """Whether the relation is a protein-protein interaction: PPI, or PPIm, one that a mutation affects."""
        return self.relation.lower() in ("ppi", "ppim")


@dataclass(frozen=True, slots=True)
class Mentions:
    """A file. documents: all of them, those without mentions too, each once, in the order of the file.

    mentions: in the order of the file; pairs and relevant, {document: whether it is}, as far as the format has them.
    """

    documents: Sequence[str]
    mentions: Sequence[Mention]
    warnings: Sequence[FormatError] = ()
    pairs: Sequence[InteractionPair] = ()
    relevant: Mapping[str, bool] = field(default_factory=dict)
