"""The kinds of annotation, and one annotation as plain data."""

from dataclasses import dataclass
from enum import StrEnum

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


# The plural of each kind on pages.
KIND_LABELS = {
    Kind.MENTION: "Mentions",
    Kind.NORMALIZATION: "Genes and proteins",
    Kind.TAXON: "Organisms",
    Kind.CLASSIFICATION: "Interaction article",
    Kind.PAIR: "Interaction pairs",
    Kind.METHOD: "Methods",
    Kind.PASSAGE: "Evidence passages",
}
# The names of the tasks of challenges that asked for each kind.
KIND_TASK_NAMES = {
    Kind.MENTION: ("GM",),
    Kind.NORMALIZATION: ("GN", "INT"),
    Kind.TAXON: ("TX",),
    Kind.CLASSIFICATION: ("ACT", "PPI"),
    Kind.PAIR: ("IPT",),
    Kind.METHOD: ("IMT",),
    Kind.PASSAGE: ("ISS",),
}


@dataclass(frozen=True, slots=True)
class AnnotationData:
    """One annotation of an article as plain data; it becomes one row of the model Annotation.

    confidence is in (0, 1] or None when not given; rank is positive or None. Positions are half-open and count
    Unicode code points of the article's canonical text. Each kind uses these fields:

    mention: start, end, text, type. normalization: database, identifier, taxon. taxon: identifier (database is
    "ncbitaxon"). classification: relevant. pair: database, identifier, partner (unordered). method: identifier
    (database is "psi-mi"). passage: database, identifier, partner, text.
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

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two annotations of one kind that count as the same annotation."""
        match self.kind:
            case Kind.MENTION:
                return (self.start, self.end)
            case Kind.CLASSIFICATION:
                return ()
            case Kind.PAIR:
                return (self.database, *sorted((self.identifier, self.partner)))
            case Kind.PASSAGE:
                return (self.database, *sorted((self.identifier, self.partner)), collapse_white_space(self.text))
            case _:
                return (self.database, self.identifier)


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
