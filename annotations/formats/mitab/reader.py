"""Reads PSI-MITAB 2.5, 2.6 and 2.7 (15, 36 and 42 columns) as one digital abstract for each article.

Rows that an expansion made of one interaction, which have its identifier and an expansion method, become that
interaction again; rows of one interaction that differ only in their method, one with several methods. What a digital
abstract has no place for is not read: cross-references, features, parameters, stoichiometries, checksums, hosts, scores
of databases. Source: https://psicquic.github.io/MITAB27Format.html
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import BinaryIO

from annotations.digital_abstract import Detection, DigitalAbstract, EvidencePassage, Interaction, Participant
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.digital_abstracts.parsed_abstract import ParsedAbstract, Publication
from annotations.formats.errors import RefusedFileError
from annotations.formats.mitab.row_interactions import RowInteraction, list_row_interactions
from annotations.formats.mitab.rows import iter_mitab_rows
from annotations.formats.psi_mi_xml.pairs import collect_interaction


def read_mitab(stream: BinaryIO, source: str) -> list[ParsedAbstract]:
    """The digital abstracts of a seekable stream, in its order; source: the file's name.

    RefusedFileError with all faults (R651, R751 to R755).
    """
    faults = PositionedFaults(source)
    rows = _list_rows(stream, faults)
    if faults:
        raise RefusedFileError(faults.list_faults())
    return _build_abstracts(rows)


def read_mitab_into_collector(stream: BinaryIO, collector: MentionCollector) -> AnnotatedTextFile:
    """The pairs of a seekable stream, row by row. RefusedFileError with all faults (R651, R659, R751 to R755)."""
    for row in _list_rows(stream, collector.faults):
        document = row.publication.name
        collector.documents.setdefault(document)
        collect_interaction(collector, document, row.interaction, row.line)
    return collector.finish()


def _list_rows(stream: BinaryIO, faults: PositionedFaults) -> list[RowInteraction]:
    return [each for row in iter_mitab_rows(stream, faults) for each in list_row_interactions(row)]


def _build_abstracts(rows: Iterable[RowInteraction]) -> list[ParsedAbstract]:
    by_publication: dict[Publication, list[RowInteraction]] = {}
    for row in rows:
        by_publication.setdefault(row.publication, []).append(row)
    return [_build_abstract(publication, group) for publication, group in by_publication.items()]


def _build_abstract(publication: Publication, rows: Sequence[RowInteraction]) -> ParsedAbstract:
    joined = _join_rows(rows)
    interactions = tuple(row.interaction for row in joined)
    return ParsedAbstract(publication, DigitalAbstract(interactions), tuple(row.line for row in joined))


def _join_rows(rows: Iterable[RowInteraction]) -> list[RowInteraction]:
    """One for each interaction, in the order of their first rows."""
    groups: dict[object, list[RowInteraction]] = {}
    for row in rows:
        groups.setdefault(_make_interaction_key(row), []).append(row)
    return [_unite_rows(group) if len(group) > 1 else group[0] for group in groups.values()]


def _make_interaction_key(row: RowInteraction) -> object:
    """Equal for rows of one interaction. Without an expansion, these also have the same participants."""
    if not row.interaction_id:
        return row.line
    interaction = row.interaction
    participants = () if row.expansion else interaction.participants
    return row.interaction_id, row.expansion, interaction.negative, interaction.interaction_type, participants


def _unite_rows(rows: Sequence[RowInteraction]) -> RowInteraction:
    interactions = [row.interaction for row in rows]
    united = replace(
        interactions[0],
        participants=_unite_participants([each.participants for each in interactions]),
        detections=_unite_detections(interactions),
    )
    return replace(rows[0], interaction=united)


def _unite_participants(groups: Iterable[Sequence[Participant]]) -> tuple[Participant, ...]:
    """Each as often as in the group that has it most often."""
    united: list[Participant] = []
    numbers: Counter[Participant] = Counter()
    for group in groups:
        in_group: Counter[Participant] = Counter()
        for participant in group:
            in_group[participant] += 1
            if in_group[participant] > numbers[participant]:
                numbers[participant] += 1
                united.append(participant)
    return tuple(united)


def _unite_detections(interactions: Iterable[Interaction]) -> tuple[Detection, ...]:
    """Each method once, and each of its passages."""
    evidence: dict[str, dict[EvidencePassage, None]] = {}
    for interaction in interactions:
        for detection in interaction.detections:
            evidence.setdefault(detection.method, {}).update(dict.fromkeys(detection.evidence))
    return tuple(Detection(method, tuple(passages)) for method, passages in evidence.items())
