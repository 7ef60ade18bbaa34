"""Organisms and Swiss-Prot membership of the accessions of a gold standard and a run, from the site's tables."""

from collections.abc import Collection, Iterator, Sequence

from django.contrib.postgres.fields import ArrayField
from django.db.models import TextField, Value

from annotations.identifiers.models import ENTRY_NAMES_EXPRESSION, Entry
from annotations.schema import Kind
from bcms.lib.text import strip_case_spaces_and_dashes
from evaluation.analyses.scores.leaderboard_scores import AccessionTables, collect_gold_and_run_accessions
from evaluation.measures.columns import GoldRunColumns
from evaluation.measures.leaderboard_scenarios import (
    ORGANISM_FILTERED_ANSWERED_SCENARIO,
    ORGANISM_FILTERED_SCENARIO,
    SWISSPROT_SCENARIO,
)

KINDS_WITH_ORGANISMS = frozenset({Kind.NORMALIZATION, Kind.PAIR})
ACCESSIONS_PER_QUERY = 10_000
# With many names, PostgreSQL reads every entry instead of the index of names.
NAMES_PER_QUERY = 200
TEXT_ARRAY = ArrayField(TextField())


def load_accession_tables(kind: Kind, columns: GoldRunColumns, gold_databases: Collection[str]) -> AccessionTables:
    """The tables for the scenarios of ranked lists; gold_databases: those that the gold standard uses.

    Kinds without organisms have no tables. When some gold items are unknown, the reason for a missing table says how
    many, but never which, because the gold standard may be secret.
    """
    if kind not in KINDS_WITH_ORGANISMS:
        return AccessionTables()
    if len(gold_databases) != 1:
        several = "The gold standard uses several databases, so its entries cannot be split by organism."
        return AccessionTables(
            missing_table_reasons=dict.fromkeys(
                (ORGANISM_FILTERED_SCENARIO, ORGANISM_FILTERED_ANSWERED_SCENARIO, SWISSPROT_SCENARIO), several
            )
        )
    (database,) = gold_databases
    gold_accessions, run_accessions = collect_gold_and_run_accessions(columns)
    organisms = find_taxa_by_accession(database, sorted(gold_accessions | run_accessions))
    reasons: dict[str, str] = {}
    unknown_count = len(gold_accessions - organisms.keys())
    if unknown_count:
        total = len(gold_accessions)
        reason = f"The tables of this site have no organism for {unknown_count:,} of the {total:,} gold items."
        reasons |= dict.fromkeys((ORGANISM_FILTERED_SCENARIO, ORGANISM_FILTERED_ANSWERED_SCENARIO), reason)
    reviewed = filter_swissprot_accessions(sorted(gold_accessions)) if database == "uniprot" else set()
    if not reviewed:
        reasons[SWISSPROT_SCENARIO] = (
            "In the tables of this site, no gold item is an entry of Swiss-Prot. An administrator can load them."
            if database == "uniprot"
            else "The gold items are not entries of UniProt."
        )
    return AccessionTables(None if unknown_count else organisms, reviewed or None, reasons)


def find_taxa_by_accession(database: str, accessions: Sequence[str]) -> dict[str, str]:
    """{accession: taxon} of the accessions in the site's tables that have one."""
    taxa: dict[str, str] = {}
    for batch in _iter_accession_batches(accessions, ACCESSIONS_PER_QUERY):
        rows = Entry.objects.filter(database=database, identifier__in=batch, taxon__isnull=False)
        taxa |= {name: str(taxon) for name, taxon in rows.values_list("identifier", "taxon")}
    return taxa


def filter_swissprot_accessions(accessions: Sequence[str]) -> set[str]:
    """The accessions that are in Swiss-Prot according to the site's tables.

    Entries of Swiss-Prot have names of their own, such as P53_HUMAN; names of TrEMBL entries start with their
    accession, such as A0A024R1R8_HUMAN (UniProt user manual).
    """
    swissprot: set[str] = set()
    named = Entry.objects.filter(database="uniprot", identifier__contains="_").alias(names=ENTRY_NAMES_EXPRESSION)
    for batch in _iter_accession_batches(accessions, NAMES_PER_QUERY):
        # As one value; a list would make an expression of each name.
        names = Value([strip_case_spaces_and_dashes(name) for name in batch], output_field=TEXT_ARRAY)
        rows = named.filter(names__overlap=names).values_list("identifier", "successors")
        swissprot |= {
            accession
            for entry_name, successors in rows
            for accession in successors
            if entry_name.partition("_")[0] != accession
        }
    return swissprot & set(accessions)


def _iter_accession_batches(accessions: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(accessions), size):
        yield accessions[start : start + size]
