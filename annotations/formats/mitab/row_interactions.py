"""What a row of PSI-MITAB states: its articles, and an interaction of two participants or one.

Detection method, interaction type and roles are read by their PSI-MI identifiers. The name of a participant is its
alias to display, or without one, the name of its gene. Its identifier is the first of UniProt or NCBI Gene among its
identifiers and alternative ones, or its first identifier. In vitro and chemical synthesis (taxid:-1, taxid:-2) are no
organisms.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.digital_abstract import (
    UNSPECIFIED_ROLE,
    Detection,
    EvidencePassage,
    Interaction,
    Origin,
    Participant,
    Source,
)
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.digital_abstracts.parsed_abstract import Publication
from annotations.formats.errors import quote_file_text
from annotations.formats.mitab.abstract_writer import DISPLAYED, GENE_NAME, UNKNOWN_DATABASE
from annotations.formats.mitab.columns import PSI_MI_DATABASE_NAMES
from annotations.formats.mitab.fields import MitabValue
from annotations.formats.mitab.rows import IDENTIFIER_RULE, VALUE_RULE, MitabRow
from annotations.formats.psi_mi_xml.pairs import PAIR_DATABASES
from annotations.formats.psi_mi_xml.vocabulary import (
    AUTHOR_CONFIDENCE,
    COMMENT,
    DIRECTED_ATTRIBUTE,
    EVIDENCE_ATTRIBUTE,
    SOURCE_ATTRIBUTE,
    parse_database_reference,
)
from annotations.identifiers.entry_names import parse_taxon_id
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.schema import EntityId, Span

TERM = re.compile(r"MI:[0-9]{4}", re.ASCII)
PMID = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
# In vitro, chemical synthesis, unknown, and others that the format defines.
NO_ORGANISM = re.compile(r"-[1-9]", re.ASCII)
EVIDENCE = re.compile(r"([0-9]{1,9})-([0-9]{1,9}) (.*)", re.ASCII | re.DOTALL)
NAMESPACES_BY_MITAB_NAME = {name: namespace for namespace, name in PSI_MI_DATABASE_NAMES.items()}
FLAGS = {"": False, "false": False, "true": True}
EXPANSION_METHODS = ("MI:1060", "MI:1061", "MI:1062")
CONFIDENCE_NAMES = (AUTHOR_CONFIDENCE.name, "confidence")
SECONDARY = "secondary"


@dataclass(frozen=True, slots=True)
class RowInteraction:
    """What one row states. interaction_id: of the interaction it is a part of, "" for none; expansion: the method."""

    publication: Publication
    interaction: Interaction
    line: int
    interaction_id: str = ""
    expansion: str = ""


def list_row_interactions(row: MitabRow) -> list[RowInteraction]:
    """The interaction of a row for each article that it names; none if it has a fault (R753 to R755)."""
    before = row.faults.counts.total()
    publications = _list_publications(row)
    participants = tuple(_iter_participants(row))
    interaction = Interaction(
        participants,
        next(iter(_list_terms(row, "Interaction type(s)")), ""),
        _list_detections(row),
        DIRECTED_ATTRIBUTE in {value.database for value in _list_annotations(row)},
        _read_flag(row, "Negative"),
        _find_confidence(row),
        " ".join(value.identifier for value in _list_annotations(row) if value.database == COMMENT.name),
        tuple(_iter_sources(row)),
    )
    ids = row.list_readable_values("Interaction identifier(s)")
    interaction_id = f"{ids[0].database}:{ids[0].identifier}" if ids else ""
    expansion = _find_expansion(row)
    if row.faults.counts.total() > before:
        return []
    return [RowInteraction(each, interaction, row.number, interaction_id, expansion) for each in publications]


def _find_expansion(row: MitabRow) -> str:
    """The expansion method, "" for none. Some files have it in the column before, where confidences are."""
    misplaced = (value.identifier for value in row.list_readable_values("Confidence value(s)"))
    terms = [*_list_terms(row, "Expansion method(s)"), *(each for each in misplaced if each in EXPANSION_METHODS)]
    return next(iter(terms), "")


def _list_annotations(row: MitabRow) -> list[MitabValue]:
    return row.list_readable_values("Interaction annotation(s)")


def _list_publications(row: MitabRow) -> list[Publication]:
    """One for each PMID, or the one with the other identifiers of the row. None is a fault (R754)."""
    column = "Publication Identifier(s)"
    values = row.list_values(column)
    by_database: dict[str, str] = {}
    for value in values:
        by_database.setdefault(value.database.lower(), value.identifier)
    doi, pmcid = by_database.get("doi", ""), by_database.get("pmc", "")
    pmids = [
        int(each.identifier)
        for each in values
        if each.database.lower() in ("pubmed", "pmid") and PMID.fullmatch(each.identifier)
    ]
    if len(set(pmids)) > 1:
        return [Publication(ArticleIds(pmid)) for pmid in dict.fromkeys(pmids)]
    if pmids or doi or pmcid:
        return [Publication(ArticleIds(pmids[0] if pmids else None, pmcid, doi))]
    if values:
        return [Publication(source_id=f"{values[0].database}:{values[0].identifier}")]
    row.add_fault(IDENTIFIER_RULE, column, "the line names no article - write its PMID, as pubmed:12345678")
    return []


def _iter_participants(row: MitabRow) -> Iterator[Participant]:
    """Interactor A and, unless the molecule interacts with itself, B. Without A, a fault (R754)."""
    for side in "AB":
        ids = row.list_values(f"ID(s) interactor {side}")
        if ids:
            yield _read_participant(row, side, ids)
        elif side == "A":
            column = f"ID(s) interactor {side}"
            row.add_fault(IDENTIFIER_RULE, column, "interactor A has no identifier - write it, as uniprotkb:P04637")


def _read_participant(row: MitabRow, side: str, ids: Sequence[MitabValue]) -> Participant:
    return Participant(
        _choose_entity(ids, row.list_readable_values(f"Alt. ID(s) interactor {side}")),
        _choose_name(row.list_readable_values(f"Alias(es) interactor {side}")),
        _read_taxon(row, f"Taxid interactor {side}"),
        next(iter(_list_terms(row, f"Biological role(s) interactor {side}")), UNSPECIFIED_ROLE),
        next(iter(_list_terms(row, f"Experimental role(s) interactor {side}")), UNSPECIFIED_ROLE),
    )


def _choose_entity(ids: Sequence[MitabValue], alternatives: Iterable[MitabValue]) -> EntityId:
    entities = [_parse_entity(value) for value in ids]
    others = [_parse_entity(value) for value in alternatives if SECONDARY not in value.text]
    candidates = [*entities, *others]
    for database in PAIR_DATABASES:
        for entity in candidates:
            if entity.database == database and is_well_formed_identifier(*entity):
                return entity
    return entities[0]


def _parse_entity(value: MitabValue) -> EntityId:
    name = value.database.lower()
    if name == UNKNOWN_DATABASE:
        return EntityId("", value.identifier)
    if name in NAMESPACES_BY_MITAB_NAME:
        return EntityId(NAMESPACES_BY_MITAB_NAME[name], value.identifier)
    return parse_database_reference(value.database, value.identifier)


def _choose_name(aliases: Sequence[MitabValue]) -> str:
    names = (each.identifier for kind in (DISPLAYED, GENE_NAME) for each in aliases if each.text == kind)
    return next(names, "")


def _read_taxon(row: MitabRow, column: str) -> int | None:
    """The number of the organism; None for no organism. Anything else is a fault (R755)."""
    values = row.list_values(column)
    if not values or NO_ORGANISM.fullmatch(values[0].identifier):
        return None
    taxon = parse_taxon_id(values[0].identifier)
    if values[0].database.lower() != "taxid" or taxon is None:
        problem = f"{quote_file_text(row.get_field(column))} in the column {column} is no organism"
        row.add_fault(VALUE_RULE, column, f"{problem} - write its NCBI Taxonomy number, as taxid:9606(human)")
    return taxon


def _list_terms(row: MitabRow, column: str) -> list[str]:
    """The PSI-MI identifiers of a field, each once: `psi-mi:"MI:0018"(two hybrid)`, in old files `MI:0018(...)`.

    A value without one is a fault (R755).
    """
    values = row.list_values(column)
    names = (f"MI:{value.identifier}" if value.database == "MI" else value.identifier for value in values)
    terms = [match[0] for name in names if (match := TERM.match(name))]
    if len(terms) < len(values):
        problem = f"{quote_file_text(row.get_field(column))} in the column {column} has no PSI-MI identifier"
        row.add_fault(VALUE_RULE, column, f'{problem} - write it as psi-mi:"MI:0018"(two hybrid)')
    return list(dict.fromkeys(terms))


def _list_detections(row: MitabRow) -> tuple[Detection, ...]:
    """The methods; the passages belong to the first."""
    evidence = tuple(_iter_evidence(row))
    methods = _list_terms(row, "Interaction detection method(s)")
    return tuple(Detection(method, () if index else evidence) for index, method in enumerate(methods))


def _iter_evidence(row: MitabRow) -> Iterator[EvidencePassage]:
    for value in _list_annotations(row):
        if value.database == EVIDENCE_ATTRIBUTE and (match := EVIDENCE.fullmatch(value.identifier)):
            yield EvidencePassage(Span(int(match[1]), int(match[2])), match[3], value.text)


def _iter_sources(row: MitabRow) -> Iterator[Source]:
    for value in _list_annotations(row):
        origin, _, name = value.identifier.partition(" ")
        if value.database == SOURCE_ATTRIBUTE and origin in tuple(Origin):
            yield Source(name, Origin(origin))


def _read_flag(row: MitabRow, column: str) -> bool:
    text = row.get_field(column).lower()
    if text not in FLAGS:
        problem = f"{quote_file_text(text)} in the column {column} is neither true nor false"
        row.add_fault(VALUE_RULE, column, f"{problem} - write one of these, or -")
    return FLAGS.get(text, False)


def _find_confidence(row: MitabRow) -> float | None:
    """The confidence of the author. Scores of databases have other scales."""
    for value in row.list_readable_values("Confidence value(s)"):
        if value.database in CONFIDENCE_NAMES:
            try:
                confidence = float(value.identifier)
            except ValueError:
                continue
            if 0 < confidence <= 1:
                return confidence
    return None
