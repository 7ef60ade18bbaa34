"""The units of an entry of PSI-MI XML as plain data, with references that are not yet looked up."""

from dataclasses import dataclass

from annotations.digital_abstract import EvidencePassage, Source
from annotations.formats.digital_abstracts.parsed_abstract import Publication
from annotations.formats.psi_mi_xml.nodes import XmlNode
from annotations.schema import EntityId


@dataclass(frozen=True, slots=True)
class UnitExperiment:
    """A detection method in an article. method: "" if none was recorded or it has no PSI-MI identifier."""

    publication: Publication
    method: str
    evidence: tuple[EvidencePassage, ...]


@dataclass(frozen=True, slots=True)
class UnitInteractor:
    """A molecule. name: its gene name or short label; type: the PSI-MI identifier of its type, "" if unknown."""

    entity: EntityId
    name: str
    taxon: int | None
    type: str


@dataclass(frozen=True, slots=True)
class UnresolvedReference:
    """A reference to a unit of the entry. node: the element that refers."""

    node: XmlNode

    @property
    def id(self) -> str:
        return self.node.stripped


@dataclass(frozen=True, slots=True)
class UnitParticipant:
    """A participant. interactors: several for a set of candidates, none for an interaction, which `complex` refers to.

    name: as the authors write it, "" if the file does not say. Roles are "" where they have no PSI-MI identifier.
    """

    interactors: tuple[UnitInteractor | UnresolvedReference, ...]
    complex: UnresolvedReference | None
    name: str
    biological_role: str
    experimental_role: str
    line: int


@dataclass(frozen=True, slots=True)
class UnitInteraction:
    """An interaction. comments: with white space as in the file."""

    experiments: tuple[UnitExperiment | UnresolvedReference, ...]
    participants: tuple[UnitParticipant, ...]
    type: str
    directed: bool
    negative: bool
    confidence: float | None
    comments: tuple[str, ...]
    sources: tuple[Source, ...]
    line: int
