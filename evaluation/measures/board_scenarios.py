"""The scenarios of a leaderboard: the official one, and the ways in which every run is scored besides.

Source: the scenarios of BioCreative II.5 (Leitner et al. 2010, IEEE/ACM Transactions on Computational Biology and
Bioinformatics 7: 385-399).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.measures.spans import SpanMatch

OFFICIAL = "all"
ANSWERED, FILTERED, FILTERED_ANSWERED = "answered", "organisms", "organisms-answered"
SWISSPROT = "swissprot"
OF_ORGANISM = "organism-"
# Of mentions: without accepted alternatives, and with places that match in part (evaluation/measures/spans.py).
EXACT = "exact"
IN_PART: tuple[SpanMatch, ...] = ("start", "end", "either", "overlap")
# So many organisms, those with most right items, have a board of their own.
MOST_ORGANISMS = 6


@dataclass(frozen=True, slots=True)
class BoardScenario:
    """A choice on the board; options: what makes `python -m evaluation score` score in it.

    compared: whether all runs are scored over the same articles in it, so that tests can compare them.
    """

    name: str
    label: str
    title: str
    options: tuple[str, ...] = ()
    compared: bool = True


FIXED = (
    BoardScenario(OFFICIAL, "all articles", "The official one: an article without an answer counts as found nothing"),
    BoardScenario(
        ANSWERED,
        "document-centric",
        "Of each run only the articles for which it reports something",
        ("--answered-only",),
        compared=False,
    ),
    BoardScenario(
        FILTERED,
        "organism-filtered",
        "Results of organisms that the article's right answers do not have are dropped",
        ("--organisms", "ORGANISMS.tsv"),
    ),
    BoardScenario(
        FILTERED_ANSWERED,
        "organism-filtered, document-centric",
        "First the organism filter, then only the articles for which something is left",
        ("--organisms", "ORGANISMS.tsv", "--answered-only"),
        compared=False,
    ),
    BoardScenario(
        SWISSPROT,
        "Swiss-Prot only",
        "Only articles of which all right proteins are in Swiss-Prot",
        ("--swissprot", "SWISSPROT.txt:gold"),
    ),
    BoardScenario(EXACT, "exact places", "Accepted alternatives of genes do not count", ("--spans", "exact")),
    BoardScenario("start", "same start", "A mention is right where a gene starts", ("--spans", "start")),
    BoardScenario("end", "same end", "A mention is right where a gene ends", ("--spans", "end")),
    BoardScenario(
        "either", "same start or end", "A mention is right that has one end of a gene", ("--spans", "either")
    ),
    BoardScenario(
        "overlap", "overlap", "A mention is right that shares a character with a gene", ("--spans", "overlap")
    ),
)
BY_NAME: Mapping[str, BoardScenario] = {scenario.name: scenario for scenario in FIXED}


def of_organism(taxon: str) -> str:
    """The name of the scenario of one organism: organism-9606; of pairs of two organisms organism-9606.10090."""
    return f"{OF_ORGANISM}{taxon.replace('+', '.')}"


def scenario_of(name: str) -> BoardScenario:
    """The scenario of that name. KeyError when there is none."""
    if not name.startswith(OF_ORGANISM):
        return BY_NAME[name]
    taxa = name.removeprefix(OF_ORGANISM).replace(".", " and ")
    return BoardScenario(
        name,
        f"organism {taxa}",
        f"Right answers and results of NCBI Taxonomy {taxa} only",
        ("--organisms", "ORGANISMS.tsv", "--per-organism"),
    )


def in_order(names: Iterable[str]) -> list[BoardScenario]:
    """The scenarios of these names, the official one first, organisms last by number; unknown names are left out."""
    known = [name for name in names if name in BY_NAME or name.startswith(OF_ORGANISM)]
    places = {name: place for place, name in enumerate(BY_NAME)}
    return [scenario_of(name) for name in sorted(known, key=lambda name: (places.get(name, len(places)), name))]
