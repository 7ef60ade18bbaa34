"""Reads PSI-MITAB 2.5, 2.6 and 2.7 (15, 36 and 42 columns) as one digital abstract for each article.

Rows that an expansion made of one interaction, which have its identifier and an expansion method, become that
interaction again; rows of one interaction that differ only in their method, one with several methods. What a digital
abstract has no place for is not read: cross-references, features, parameters, stoichiometries, checksums, hosts, scores
of databases. Source: https://psicquic.github.io/MITAB27Format.html
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import BinaryIO

from annotations.digital_abstract import Detection, DigitalAbstract, Interaction, Participant
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
    joined: dict[object, RowInteraction] = {}
    for row in rows:
        key = _make_interaction_key(row)
        joined[key] = _unite_rows(joined[key], row) if key in joined else row
    return list(joined.values())


def _make_interaction_key(row: RowInteraction) -> object:
    """Equal for rows of one interaction. Without an expansion, these also have the same participants."""
    if not row.interaction_id:
        return row.line
    interaction = row.interaction
    participants = () if row.expansion else interaction.participants
    return row.interaction_id, row.expansion, interaction.negative, interaction.interaction_type, participants


def _unite_rows(first: RowInteraction, other: RowInteraction) -> RowInteraction:
    interaction = replace(
        first.interaction,
        participants=_unite_participants(first.interaction.participants, other.interaction.participants),
        detections=_unite_detections(first.interaction, other.interaction),
    )
    return replace(first, interaction=interaction)


def _unite_participants(known: Sequence[Participant], others: Iterable[Participant]) -> tuple[Participant, ...]:
    """Those that are known, and others that are not among them, or not so often."""
    waiting, united = list(known), list(known)
    for participant in others:
        if participant in waiting:
            waiting.remove(participant)
        else:
            united.append(participant)
    return tuple(united)


def _unite_detections(first: Interaction, other: Interaction) -> tuple[Detection, ...]:
    evidence = {detection.method: detection.evidence for detection in first.detections}
    for detection in other.detections:
        known = evidence.get(detection.method, ())
        evidence[detection.method] = tuple(dict.fromkeys((*known, *detection.evidence)))
    return tuple(Detection(method, passages) for method, passages in evidence.items())
