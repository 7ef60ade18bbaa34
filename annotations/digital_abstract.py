"""Structured digital abstracts as plain data: the checked interactions of an article, and whatever else was curated.

PSI-MI terms are identifiers such as "MI:0018". What a complete record of an interaction has: MIMIx (Orchard et al.
2007, Nature Biotechnology 25, 894).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotations.schema import AnnotationData, EntityId, Span

UNSPECIFIED_ROLE = "MI:0499"
# Experimental or biological roles of a molecule that interacts with itself.
SELF_ROLES = ("MI:0503", "MI:0898")


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage of the article that supports what a method shows.

    span: in code points of the canonical text, of which text is the part, taken literally. figure: the number of the
    figure or table that shows it, as the article numbers it ("Figure 2A"), or "".
    """

    span: Span
    text: str
    figure: str = ""


@dataclass(frozen=True, slots=True)
class Detection:
    """An interaction detection method (a term below MI:0001), and the passages that report what it showed."""

    method: str
    evidence: tuple[EvidencePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Participant:
    """One molecule in an interaction.

    entity: its identifier. name: its symbol or name in the article. taxon: NCBI Taxonomy, None if unknown or if it has
    no organism, as of a chemical. biological_role, experimental_role: terms below MI:0500 and MI:0495.
    """

    entity: EntityId
    name: str = ""
    taxon: int | None = None
    biological_role: str = UNSPECIFIED_ROLE
    experimental_role: str = UNSPECIFIED_ROLE

    @property
    def is_self(self) -> bool:
        """Whether it is marked as interacting with itself."""
        return self.biological_role in SELF_ROLES or self.experimental_role in SELF_ROLES


class Origin(StrEnum):
    """Where an interaction or annotation of a record was taken from."""

    SYSTEM = "system"
    AUTHOR = "author"
    CURATOR = "curator"
    REVIEWER = "reviewer"


@dataclass(frozen=True, slots=True)
class Source:
    """One whose proposal was taken over: its name and what it is."""

    name: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Interaction:
    """An interaction that the article reports.

    participants: two or more, or one that is marked as interacting with itself. interaction_type: a term below MI:0190,
    "" until it is chosen. detections: each method once. directed: the first participant acts on the others. negative:
    the article reports that they do not interact. confidence: of its author, in (0, 1], None if not given. sources:
    whose proposals it was taken from; empty if a person added it.
    """

    participants: tuple[Participant, ...]
    interaction_type: str = ""
    detections: tuple[Detection, ...] = ()
    directed: bool = False
    negative: bool = False
    confidence: float | None = None
    comment: str = ""
    sources: tuple[Source, ...] = ()

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(detection.method for detection in self.detections)

    def iter_evidence(self) -> Iterator[EvidencePassage]:
        """The passages of all methods; one may come twice."""
        for detection in self.detections:
            yield from detection.evidence


@dataclass(frozen=True, slots=True)
class SourcedAnnotation:
    """An annotation of a record. sources: as those of an interaction."""

    annotation: AnnotationData
    sources: tuple[Source, ...] = ()


class AbstractState(StrEnum):
    """How far a digital abstract is: only published ones are shown to everybody."""

    DRAFT = "draft"
    FINISHED = "finished"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Contributor:
    """A person who made the record: the name as shown, what they are, and the ORCID ("0000-0002-1825-0097") or ""."""

    name: str
    origin: Origin
    orcid: str = ""


@dataclass(frozen=True, slots=True)
class DigitalAbstract:
    """The structured digital abstract (SDA) of one article.

    organisms: NCBI Taxonomy ids that were chosen, in their order. annotations: entities, mentions, relations and labels
    of the open model besides the interactions. nothing_found: it was read, and has nothing to record. updated: the date
    of the last change in ISO 8601, "" if unknown. organism_sources: of each organism that has any, as those of an
    interaction.
    """

    interactions: tuple[Interaction, ...] = ()
    organisms: tuple[int, ...] = ()
    annotations: tuple[SourcedAnnotation, ...] = ()
    contributors: tuple[Contributor, ...] = ()
    nothing_found: bool = False
    state: AbstractState = AbstractState.DRAFT
    updated: str = ""
    organism_sources: Mapping[int, tuple[Source, ...]] = field(default_factory=dict)

    def list_participant_ids(self) -> list[EntityId]:
        """The identifiers of all participants, each once, in the order of the record."""
        ids = (participant.entity for interaction in self.interactions for participant in interaction.participants)
        return list(dict.fromkeys(ids))
