"""Builds the digital abstracts of an entry of PSI-MI XML, one for each article that its experiments name."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TypeVar

from annotations.digital_abstract import UNSPECIFIED_ROLE, Detection, EvidencePassage, Interaction, Participant
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mentions import LeftOut
from annotations.formats.digital_abstracts.parsed_abstract import ParsedAbstract, Publication
from annotations.formats.psi_mi_xml.entry_attributes import is_own_entry, read_abstract_of_entry
from annotations.formats.psi_mi_xml.nodes import XmlNode
from annotations.formats.psi_mi_xml.unit_reader import (
    INVALID_REFERENCE,
    INVALID_VALUE,
    UnitReader,
    get_reference,
    iter_references,
)
from annotations.formats.psi_mi_xml.units import (
    UnitExperiment,
    UnitInteraction,
    UnitInteractor,
    UnitParticipant,
    UnresolvedReference,
)
from annotations.formats.psi_mi_xml.vocabulary import MOLECULE_SET, parse_database_reference
from annotations.schema import EntityId

COMPLEX_DATABASE = "complexportal"
Unit = TypeVar("Unit", UnitExperiment, UnitInteractor)


class EntryBuilder:
    """Takes the units of one entry after the other; abstracts: those of the entries so far.

    complexes: the entities of interactions that are participants of others, None where they have no identifier.
    """

    def __init__(self, faults: PositionedFaults) -> None:
        self.faults = faults
        self.abstracts: list[ParsedAbstract] = []
        self.left_out: list[LeftOut] = []
        self.start_entry()

    def start_entry(self) -> None:
        self.units = UnitReader(self.faults)
        self.interactions: list[UnitInteraction] = []
        self.complexes: dict[str, EntityId | None] = {}
        self.attributes: XmlNode | None = None
        self.is_own = False

    def take_unit(self, node: XmlNode) -> None:
        match node.name:
            case "experimentDescription":
                self.check_id(node, self.units.experiments)
                self.units.read_experiment(node)
            case "interactor":
                self.check_id(node, self.units.interactors)
                self.units.read_interactor(node)
            case "attributeList":
                self.attributes = node
            case _:
                self.take_interaction(node)

    def take_interaction(self, node: XmlNode) -> None:
        self.complexes.setdefault(node.attributes.get("id", ""), _find_complex_entity(node))
        if node.name == "abstractInteraction":
            reason = "they are described without an experiment, so they belong to no article"
            self.units.leave_out("complexes", reason, node.line)
        else:
            self.interactions.append(self.units.read_interaction(node))

    def check_id(self, node: XmlNode, known: dict[str, UnitExperiment] | dict[str, UnitInteractor]) -> None:
        unit_id = node.attributes.get("id", "")
        if not unit_id:
            self.units.note_fault(INVALID_REFERENCE, node, f"the {node.name} has no id - add a number of its own")
        elif unit_id in known:
            problem = f"there is already one of {node.name} with the id {unit_id} in this entry"
            self.units.note_fault(INVALID_REFERENCE, node, f"{problem} - give each a number of its own")

    def finish_entry(self) -> None:
        """Look up what the interactions refer to, and add the digital abstracts of their articles."""
        self.is_own = is_own_entry(self.attributes)
        rest = read_abstract_of_entry(self.attributes, partial(self.units.note_fault, INVALID_VALUE))
        interactions: dict[Publication, list[tuple[Interaction, int]]] = {}
        for unit in self.interactions:
            for publication, interaction in self.build_interactions(unit):
                interactions.setdefault(publication, []).append((interaction, unit.line))
        for publication, found in interactions.items():
            abstract = replace(rest, interactions=tuple(interaction for interaction, _ in found))
            self.abstracts.append(ParsedAbstract(publication, abstract, tuple(line for _, line in found)))
        self.left_out += self.units.left_out
        self.start_entry()

    def build_interactions(self, unit: UnitInteraction) -> Iterator[tuple[Publication, Interaction]]:
        """The interaction, once for each article of its experiments."""
        participants = tuple(self.iter_participants(unit))
        detections = self.collect_detections(unit)
        if len(participants) < 2 and not any(participant.is_self for participant in participants):
            reason = "fewer than two participants can be kept, and none is marked as interacting with itself"
            self.units.leave_out("interactions", reason, unit.line)
            return
        if not detections:
            self.units.leave_out("interactions", "no experiment names their article", unit.line)
        for publication, evidence in detections.items():
            yield (
                publication,
                Interaction(
                    participants,
                    unit.type,
                    tuple(Detection(method, tuple(passages)) for method, passages in evidence.items()),
                    unit.directed,
                    unit.negative,
                    unit.confidence,
                    self.join_comments(unit.comments),
                    unit.sources,
                ),
            )

    def collect_detections(self, unit: UnitInteraction) -> dict[Publication, dict[str, dict[EvidencePassage, None]]]:
        """{article: {method: its passages}} of the experiments, each method and passage once."""
        detections: dict[Publication, dict[str, dict[EvidencePassage, None]]] = {}
        for given in unit.experiments:
            experiment = self.find_unit(given, self.units.experiments, "experimentDescription")
            if experiment is not None and experiment.publication.name:
                methods = detections.setdefault(experiment.publication, {})
                if experiment.method:
                    methods.setdefault(experiment.method, {}).update(dict.fromkeys(experiment.evidence))
        return detections

    def iter_participants(self, unit: UnitInteraction) -> Iterator[Participant]:
        for participant in unit.participants:
            interactor = self.find_interactor(participant)
            if interactor is not None:
                # In our own entries, the name is that in the article, and missing if the record has none.
                name = participant.name if self.is_own else participant.name.strip() or interactor.name
                yield Participant(
                    interactor.entity,
                    name,
                    interactor.taxon,
                    participant.biological_role or UNSPECIFIED_ROLE,
                    participant.experimental_role or UNSPECIFIED_ROLE,
                )

    def find_interactor(self, participant: UnitParticipant) -> UnitInteractor | None:
        """The interactor, None for one that cannot be kept: a set of molecules, or a complex without an identifier."""
        if participant.complex is not None:
            return self.find_complex(participant.complex, participant.line)
        found = [self.find_unit(each, self.units.interactors, "interactor") for each in participant.interactors]
        if len(found) == 1:
            if found[0] is not None and found[0].type == MOLECULE_SET.id:
                self.units.leave_out("participants", "they are sets of molecules", participant.line)
                return None
            return found[0]
        if found:
            self.units.leave_out("participants", "they are one of several candidates", participant.line)
        return None

    def find_complex(self, reference: UnresolvedReference, line: int) -> UnitInteractor | None:
        if reference.id not in self.complexes:
            self.note_unknown_reference(reference, "interaction")
            return None
        entity = self.complexes[reference.id]
        if entity is None:
            self.units.leave_out("participants", "they are interactions without an identifier of a complex", line)
            return None
        return UnitInteractor(entity, "", None, "")

    def find_unit(self, given: Unit | UnresolvedReference, known: dict[str, Unit], name: str) -> Unit | None:
        """The unit, looked up if it is a reference; None, with a fault, if there is no such unit in the entry."""
        if not isinstance(given, UnresolvedReference):
            return given
        if given.id not in known:
            self.note_unknown_reference(given, name)
        return known.get(given.id)

    def note_unknown_reference(self, reference: UnresolvedReference, name: str) -> None:
        problem = f"{reference.node.name} {reference.id} refers to no {name} of this entry"
        self.units.note_fault(INVALID_REFERENCE, reference.node, f"{problem} - correct the number, or add the {name}")

    def join_comments(self, comments: tuple[str, ...]) -> str:
        return "\n".join(comments if self.is_own else filter(None, map(str.strip, comments)))


def _find_complex_entity(node: XmlNode) -> EntityId | None:
    """The entry of a complex in the Complex Portal, if the interaction refers to it."""
    for database, identifier in map(get_reference, iter_references(node)):
        entity = parse_database_reference(database, identifier)
        if entity.database == COMPLEX_DATABASE:
            return entity
    return None
