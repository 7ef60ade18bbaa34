"""What the site's tables know of the accessions that a gold standard and a run name: organisms, and Swiss-Prot."""

from collections.abc import Collection, Iterator, Sequence

from annotations.kinds import Kind
from annotations.models import NAMES, Entry
from bcms.lib.text import regularize
from evaluation.analyses.board_scores import Tables, accessions_of
from evaluation.measures.board_scenarios import FILTERED, FILTERED_ANSWERED, SWISSPROT
from evaluation.measures.finding_figures import Sides

WITH_ORGANISMS = frozenset({Kind.NORMALIZATION, Kind.PAIR})
AT_ONCE = 10_000


def tables_for(kind: Kind, sides: Sides, databases: Collection[str]) -> Tables:
    """What the scenarios of ranked lists need; databases: those that the gold standard uses.

    Of kinds without organisms nothing. Where the right answers are not all known, the reason says how many are not, and
    never which.
    """
    if kind not in WITH_ORGANISMS:
        return Tables()
    if len(databases) != 1:
        several = "The gold standard names entries of several databases, so they cannot be told apart by organism."
        return Tables(without=dict.fromkeys((FILTERED, FILTERED_ANSWERED, SWISSPROT), several))
    (database,) = databases
    right, said = accessions_of(sides)
    organisms = organisms_of(database, sorted(right | said))
    without: dict[str, str] = {}
    lacking = len(right - organisms.keys())
    if lacking:
        told = f"The tables of this site have no organism of {lacking:,} of the {len(right):,} right answers."
        without |= dict.fromkeys((FILTERED, FILTERED_ANSWERED), told)
    reviewed = swissprot_of(sorted(right)) if database == "uniprot" else set()
    if not reviewed:
        without[SWISSPROT] = (
            "The tables of this site name no right answer as an entry of Swiss-Prot; its administrator loads them."
            if database == "uniprot"
            else "The right answers are not entries of UniProt."
        )
    return Tables(None if lacking else organisms, reviewed or None, without)


def organisms_of(database: str, accessions: Sequence[str]) -> dict[str, str]:
    """{accession: taxon} of those that are known."""
    found: dict[str, str] = {}
    for some in parts(accessions):
        rows = Entry.objects.filter(database=database, identifier__in=some, taxon__isnull=False)
        found |= {name: str(taxon) for name, taxon in rows.values_list("identifier", "taxon")}
    return found


def swissprot_of(accessions: Sequence[str]) -> set[str]:
    """Those of the accessions that the tables know to be in Swiss-Prot: its entries have names of their own, such as
    P53_HUMAN, while entries of TrEMBL are called by their accession, A0A024R1R8_HUMAN (UniProt user manual)."""
    found: set[str] = set()
    for some in parts(accessions):
        named = Entry.objects.filter(database="uniprot", identifier__contains="_").alias(names=NAMES)
        rows = named.filter(names__overlap=[regularize(name) for name in some]).values_list("identifier", "successors")
        found |= {own for entry_name, successors in rows for own in successors if entry_name.partition("_")[0] != own}
    return found & set(accessions)


def parts(accessions: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(accessions), AT_ONCE):
        yield accessions[start : start + AT_ONCE]
