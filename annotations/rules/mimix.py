"""What a complete record of an interaction has, by MIMIx, the minimum information about a molecular interaction.

Nothing of it is forced. Source: Orchard et al. 2007, Nature Biotechnology 25, 894.
"""

from collections.abc import Iterator
from typing import NamedTuple

from annotations.digital_abstract import UNSPECIFIED_ROLE, DigitalAbstract, Interaction, Participant

# Databases of molecules that an organism has.
ORGANISM_DATABASES = frozenset({"uniprot", "ncbigene", "refseq", "ensembl", "hgnc", "rnacentral", "mirbase"})
UNSPECIFIED_METHOD = "MI:0686"


class MissingPart(NamedTuple):
    """Where something is missing, as a path ("interactions[0].participants[1].taxon"), and a sentence about it."""

    where: str
    message: str


def list_missing_parts(abstract: DigitalAbstract) -> list[MissingPart]:
    """What MIMIx asks for and the digital abstract does not have, interaction by interaction."""
    if not abstract.interactions and not abstract.nothing_found:
        return [
            MissingPart("interactions", "There is no interaction, and the record does not state that there is none.")
        ]
    return [
        part
        for index, interaction in enumerate(abstract.interactions)
        for part in list_missing_interaction_parts(interaction, f"interactions[{index}]")
    ]


def list_missing_interaction_parts(interaction: Interaction, path: str = "") -> list[MissingPart]:
    """What one interaction does not have. path: what each path begins with, "" for the interaction itself."""
    start = f"{path}." if path else ""
    return [
        *_iter_missing_interaction_parts(interaction, start),
        *(
            part
            for index, participant in enumerate(interaction.participants)
            for part in _iter_missing_participant_parts(participant, f"{start}participants[{index}]")
        ),
    ]


def _iter_missing_interaction_parts(interaction: Interaction, start: str) -> Iterator[MissingPart]:
    if not interaction.interaction_type:
        yield MissingPart(f"{start}type", "The type of the interaction is open.")
    if not interaction.detections:
        yield MissingPart(f"{start}detections", "There is no method by which the interaction was detected.")
    for index, detection in enumerate(interaction.detections):
        path = f"{start}detections[{index}]"
        if detection.method == UNSPECIFIED_METHOD:
            yield MissingPart(f"{path}.method", "The method is unspecified.")
        if not detection.evidence:
            yield MissingPart(f"{path}.evidence", "The method has no passage of the article as evidence.")


def _iter_missing_participant_parts(participant: Participant, path: str) -> Iterator[MissingPart]:
    name = participant.name or participant.entity.identifier or "The participant"
    if not participant.entity.database or not participant.entity.identifier:
        yield MissingPart(f"{path}.entity", f"{name} has no identifier of a database.")
    if participant.taxon is None and participant.entity.database in ORGANISM_DATABASES:
        yield MissingPart(f"{path}.taxon", f"The organism of {name} is open.")
    if participant.biological_role == UNSPECIFIED_ROLE:
        yield MissingPart(f"{path}.biological_role", f"The biological role of {name} is unspecified.")
    if participant.experimental_role == UNSPECIFIED_ROLE:
        yield MissingPart(f"{path}.experimental_role", f"The experimental role of {name} is unspecified.")
