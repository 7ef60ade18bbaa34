"""Writes digital abstracts as PSI-MITAB 2.7: a line for each two participants and each detection method.

An interaction of more than two is expanded: its bait, if there is exactly one, or else its first participant with each
of the others (spoke expansion, MI:1060). Lines of one interaction have the same interaction identifier. An interaction
of a molecule with itself that has one participant has no interactor B. What PSI-MITAB has no column for, such as
passages, is in annotations of the interaction whose topics begin with `sda-`; the reader restores the record from them.
Line breaks and tabs become spaces. The organisms, annotations and contributors of the record are not written, nor are
digital abstracts without interactions.
Source: https://psicquic.github.io/MITAB27Format.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from annotations.digital_abstract import Detection, Interaction, Participant
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.formats.mitab.article_fields import SITE, format_first_author, format_publication_ids
from annotations.formats.mitab.columns import (
    MITAB_EMPTY,
    PSI_MI_DATABASE_NAMES,
    format_header_line,
    format_row_line,
)
from annotations.formats.mitab.fields import MitabValue, format_mitab_value, format_mitab_values
from annotations.formats.psi_mi_xml.pairs import BAIT_ROLE
from annotations.formats.psi_mi_xml.vocabulary import (
    AUTHOR_CONFIDENCE,
    COMMENT,
    DIRECTED_ATTRIBUTE,
    EVIDENCE_ATTRIBUTE,
    FIGURE_LEGEND,
    OTHER_DATABASE,
    PSI_MI_DATABASES,
    SOURCE_ATTRIBUTE,
    TRUE_VALUE,
    Term,
)
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.schema import EntityId

SPOKE_EXPANSION = Term("MI:1060", "spoke expansion")
# The database of identifiers that have none.
UNKNOWN_DATABASE = "unknown"
ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
DISPLAYED, GENE_NAME, SYNONYM, LONG_NAME = "display_short", "gene name", "gene name synonym", "display_long"


def write_abstracts_as_mitab(abstracts: Iterable[ExportedAbstract]) -> Iterator[str]:
    """A line of column names, then the interactions, article by article."""
    yield format_header_line()
    for exported in abstracts:
        for number, interaction in enumerate(exported.abstract.interactions, 1):
            fields = _build_interaction_fields(exported, interaction, number)
            for first, second in _expand_by_spoke(interaction.participants):
                participants = _build_participant_fields(exported, first, "A")
                participants |= _build_participant_fields(exported, second, "B") if second else {}
                for detection in interaction.detections or (None,):
                    yield format_row_line(
                        fields | participants | _build_detection_fields(exported, interaction, detection)
                    )


def _expand_by_spoke(participants: Sequence[Participant]) -> Iterator[tuple[Participant, Participant | None]]:
    """The hub with each of the others; one participant alone has no partner."""
    if len(participants) <= 2:
        yield from [(participants[0], participants[1] if len(participants) == 2 else None)] if participants else []
        return
    baits = [position for position, each in enumerate(participants) if each.experimental_role == BAIT_ROLE]
    hub = baits[0] if len(baits) == 1 else 0
    for position, participant in enumerate(participants):
        if position != hub:
            yield participants[hub], participant


def _build_interaction_fields(exported: ExportedAbstract, interaction: Interaction, number: int) -> dict[str, str]:
    """The fields that are the same in all lines of an interaction."""
    date = ISO_DATE.match(exported.abstract.updated)
    confidence = "" if interaction.confidence is None else f"{AUTHOR_CONFIDENCE.name}:{interaction.confidence!r}"
    is_expanded = len(interaction.participants) > 2
    return {
        "Publication 1st author(s)": format_first_author(exported.article),
        "Publication Identifier(s)": format_publication_ids(exported.article),
        "Interaction type(s)": _format_term(exported, interaction.interaction_type),
        "Interaction identifier(s)": format_mitab_value(MitabValue(SITE, f"{exported.article.id}-{number}")),
        "Confidence value(s)": confidence,
        "Expansion method(s)": _format_named_term(SPOKE_EXPANSION) if is_expanded else MITAB_EMPTY,
        "Update date": "/".join(date.groups()) if date else MITAB_EMPTY,
        "Negative": str(interaction.negative).lower(),
    }


def _build_detection_fields(
    exported: ExportedAbstract, interaction: Interaction, detection: Detection | None
) -> dict[str, str]:
    values = [*_iter_evidence_values(detection), *_iter_comment_values(interaction)]
    return {
        "Interaction detection method(s)": _format_term(exported, detection.method if detection else ""),
        "Interaction annotation(s)": format_mitab_values(values),
    }


def _iter_evidence_values(detection: Detection | None) -> Iterator[MitabValue]:
    """The passages, `start-end text` with the number of the figure, and the figures as databases write them."""
    evidence = detection.evidence if detection else ()
    for figure in dict.fromkeys(passage.figure for passage in evidence if passage.figure):
        yield MitabValue(FIGURE_LEGEND.name, figure)
    for passage in evidence:
        start, end = passage.span
        yield MitabValue(EVIDENCE_ATTRIBUTE, f"{start}-{end} {passage.text}", passage.figure)


def _iter_comment_values(interaction: Interaction) -> Iterator[MitabValue]:
    if interaction.comment:
        yield MitabValue(COMMENT.name, interaction.comment)
    if interaction.directed:
        yield MitabValue(DIRECTED_ATTRIBUTE, TRUE_VALUE)
    for source in interaction.sources:
        yield MitabValue(SOURCE_ATTRIBUTE, f"{source.origin} {source.name}")


def _build_participant_fields(exported: ExportedAbstract, participant: Participant, side: str) -> dict[str, str]:
    """The fields of interactor A or B."""
    interactor_type = PSI_MI_DATABASES.get(participant.entity.database, OTHER_DATABASE).interactor_type
    return {
        f"ID(s) interactor {side}": format_mitab_value(build_identifier_value(participant.entity)),
        f"Alias(es) interactor {side}": format_mitab_values(_iter_aliases(exported, participant)),
        f"Taxid interactor {side}": _format_taxa(exported, participant.taxon),
        f"Biological role(s) interactor {side}": _format_term(exported, participant.biological_role),
        f"Experimental role(s) interactor {side}": _format_term(exported, participant.experimental_role),
        f"Type(s) interactor {side}": _format_named_term(interactor_type),
    }


def build_identifier_value(entity: EntityId) -> MitabValue:
    """The identifier with the name of its database in PSI-MITAB."""
    database = PSI_MI_DATABASES.get(entity.database, OTHER_DATABASE)
    name = PSI_MI_DATABASE_NAMES.get(entity.database) or database.name or entity.database or UNKNOWN_DATABASE
    return MitabValue(name, database.prefix + entity.identifier)


def _iter_aliases(exported: ExportedAbstract, participant: Participant) -> Iterator[MitabValue]:
    """The name in the article as the one to display; symbol, name and synonyms of the entry."""
    entry = exported.entries.get(participant.entity, ParticipantNames())
    database = build_identifier_value(participant.entity).database
    displayed = participant.name or entry.symbol
    if displayed:
        yield MitabValue(PSI_MI_NAMESPACE, displayed, DISPLAYED)
    if entry.symbol:
        yield MitabValue(database, entry.symbol, GENE_NAME)
    for synonym in entry.synonyms:
        yield MitabValue(database, synonym, SYNONYM)
    if entry.name:
        yield MitabValue(PSI_MI_NAMESPACE, entry.name, LONG_NAME)


def _format_taxa(exported: ExportedAbstract, taxon: int | None) -> str:
    if taxon is None:
        return MITAB_EMPTY
    return format_mitab_value(MitabValue("taxid", str(taxon), exported.organisms.get(taxon, "")))


def _format_term(exported: ExportedAbstract, term: str) -> str:
    return _format_named_term(Term(term, exported.get_term_name(term))) if term else MITAB_EMPTY


def _format_named_term(term: Term) -> str:
    return format_mitab_value(MitabValue(PSI_MI_NAMESPACE, term.id, "" if term.name == term.id else term.name))
