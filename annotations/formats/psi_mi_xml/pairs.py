"""The interaction pairs of articles in PSI-MI XML, as in runs and gold standards.

Proteins of UniProt form pairs with each other, genes of NCBI Gene likewise. An interaction of more than two is expanded
as IntAct does it: its only bait with each of the others (spoke expansion, MI:1060), and without exactly one bait, each
with each (matrix expansion, MI:1061). Interactions that an article reports not to take place are no pairs.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import BinaryIO

from annotations.digital_abstract import Interaction, Participant
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import (
    AnnotatedTextFile,
    InteractionPair,
    LeftOut,
    TextArgument,
    TextRelation,
)
from annotations.formats.psi_mi_xml.reader import read_psi_mi_xml_noting_faults
from annotations.schema import EntityId

BAIT_ROLE = "MI:0496"
PAIR_DATABASES = ("uniprot", "ncbigene")
PAIR_TYPE = "PPI"


def read_psi_mi_xml_into_collector(stream: BinaryIO, collector: MentionCollector) -> AnnotatedTextFile:
    """The pairs of a seekable stream. RefusedFileError with all faults (R659, R663, R664, R741 to R745)."""
    content = read_psi_mi_xml_noting_faults(stream, collector.faults)
    collector.left_out += content.left_out
    for parsed in content.abstracts:
        document = parsed.publication.name
        collector.documents.setdefault(document)
        for interaction, line in zip(parsed.abstract.interactions, parsed.lines, strict=True):
            collect_interaction(collector, document, interaction, line)
    return collector.finish()


def expand_interaction(interaction: Interaction) -> Iterator[tuple[EntityId, EntityId]]:
    """The pairs of entities in an interaction; one molecule with itself is a pair, too."""
    participants = interaction.participants
    if len(participants) == 1:
        yield participants[0].entity, participants[0].entity
        return
    for first, second in _iter_participant_pairs(participants):
        yield first.entity, second.entity


def _iter_participant_pairs(participants: tuple[Participant, ...]) -> Iterable[tuple[Participant, Participant]]:
    baits = [position for position, each in enumerate(participants) if each.experimental_role == BAIT_ROLE]
    if len(baits) != 1:
        return combinations(participants, 2)
    bait = participants[baits[0]]
    return ((bait, each) for position, each in enumerate(participants) if position != baits[0])


def collect_interaction(collector: MentionCollector, document: str, interaction: Interaction, line: int) -> None:
    """Collect the pairs of an interaction that begins in a line of the file; those that are no pairs are left out."""
    if interaction.negative:
        reason = "the article reports that they do not interact"
        collector.left_out.append(LeftOut(document, "pairs", reason, line))
        return
    for first, second in expand_interaction(interaction):
        if first.database != second.database or first.database not in PAIR_DATABASES:
            reason = "they are neither both of UniProt nor both of NCBI Gene"
            collector.left_out.append(LeftOut(document, "pairs", reason, line))
            continue
        arguments = (TextArgument("", exact=(first,)), TextArgument("", exact=(second,)))
        collector.relations.append(TextRelation(document, PAIR_TYPE, arguments, line))
        collector.pairs.append(InteractionPair(document, first.identifier, second.identifier, PAIR_TYPE, line))
