"""The scenarios of a leaderboard: the official one, and the others in which every run is scored as well.

Source: the scenarios of BioCreative II.5 (Leitner et al. 2010, IEEE/ACM Transactions on Computational Biology and
Bioinformatics 7: 385-399).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.measures.mentions.spans import SpanMatch

OFFICIAL_SCENARIO = "all"
ANSWERED_SCENARIO, ORGANISM_FILTERED_SCENARIO, ORGANISM_FILTERED_ANSWERED_SCENARIO = (
    "answered",
    "organisms",
    "organisms-answered",
)
SWISSPROT_SCENARIO = "swissprot"
ORGANISM_SCENARIO_PREFIX = "organism-"
# For mentions: without accepted alternatives, and with partial matches (evaluation/measures/mentions/spans.py).
EXACT_SCENARIO = "exact"
PARTIAL_SPAN_MATCHES: tuple[SpanMatch, ...] = ("start", "end", "either", "overlap")
TYPE_SCENARIO_PREFIX = "type-"
# Only this many organisms, or types, those with the most gold items, get a leaderboard.
MAX_ORGANISM_SCENARIOS, MAX_TYPE_SCENARIOS = 6, 12
LONGEST_SCENARIO_NAME = 32


@dataclass(frozen=True, slots=True)
class LeaderboardScenario:
    """A choice on the leaderboard; options: the options of `python -m evaluation score` that select it.

    is_comparable: whether all runs are scored over the same articles, so that tests can compare them.
    """

    name: str
    label: str
    title: str
    options: tuple[str, ...] = ()
    is_comparable: bool = True


FIXED_SCENARIOS = (
    LeaderboardScenario(
        OFFICIAL_SCENARIO, "all articles", "The official scenario: an article without an answer counts as an empty list"
    ),
    LeaderboardScenario(
        ANSWERED_SCENARIO,
        "document-centric",
        "Only the articles for which the run reports something",
        ("--answered-only",),
        is_comparable=False,
    ),
    LeaderboardScenario(
        ORGANISM_FILTERED_SCENARIO,
        "organism-filtered",
        "Results of organisms that are not in the article's gold standard are dropped",
        ("--organisms", "ORGANISMS.tsv"),
    ),
    LeaderboardScenario(
        ORGANISM_FILTERED_ANSWERED_SCENARIO,
        "organism-filtered, document-centric",
        "The organism filter first, then only the articles that still have results",
        ("--organisms", "ORGANISMS.tsv", "--answered-only"),
        is_comparable=False,
    ),
    LeaderboardScenario(
        SWISSPROT_SCENARIO,
        "Swiss-Prot only",
        "Only articles whose gold proteins are all in Swiss-Prot",
        ("--swissprot", "SWISSPROT.txt:gold"),
    ),
    LeaderboardScenario(
        EXACT_SCENARIO, "exact spans", "Accepted alternatives of genes do not count", ("--spans", "exact")
    ),
    LeaderboardScenario("start", "same start", "A mention is right if a gene has the same start", ("--spans", "start")),
    LeaderboardScenario("end", "same end", "A mention is right if a gene has the same end", ("--spans", "end")),
    LeaderboardScenario(
        "either", "same start or end", "A mention is right if a gene has the same start or end", ("--spans", "either")
    ),
    LeaderboardScenario(
        "overlap", "overlap", "A mention is right if it shares a character with a gene", ("--spans", "overlap")
    ),
)
FIXED_SCENARIOS_BY_NAME: Mapping[str, LeaderboardScenario] = {scenario.name: scenario for scenario in FIXED_SCENARIOS}


def organism_scenario_name(taxon_or_plus_joined_taxa: str) -> str:
    """The name of an organism's scenario: organism-9606, or organism-10090.9606 for pairs of two organisms."""
    return f"{ORGANISM_SCENARIO_PREFIX}{taxon_or_plus_joined_taxa.replace('+', '.')}"


def type_scenario_name(entity_or_relation_type: str) -> str:
    """The name of the scenario of a type: type-Disease."""
    return f"{TYPE_SCENARIO_PREFIX}{entity_or_relation_type}"


def get_fixed_or_build_scenario(name: str) -> LeaderboardScenario:
    """The scenario of that name. KeyError when there is none."""
    if name.startswith(TYPE_SCENARIO_PREFIX):
        chosen = name.removeprefix(TYPE_SCENARIO_PREFIX)
        return LeaderboardScenario(
            name, chosen, f"Gold items and results of the type {chosen} only", ("--types", chosen)
        )
    if not name.startswith(ORGANISM_SCENARIO_PREFIX):
        return FIXED_SCENARIOS_BY_NAME[name]
    taxa = name.removeprefix(ORGANISM_SCENARIO_PREFIX).replace(".", " and ")
    return LeaderboardScenario(
        name,
        f"organism {taxa}",
        f"Gold items and results of NCBI Taxonomy {taxa} only",
        ("--organisms", "ORGANISMS.tsv", "--per-organism"),
    )


def list_known_scenarios_official_first(scenario_names: Iterable[str]) -> list[LeaderboardScenario]:
    """The scenarios of these names, the official one first, organisms and types last by name, without unknown names."""
    prefixes = (ORGANISM_SCENARIO_PREFIX, TYPE_SCENARIO_PREFIX)
    known = [name for name in scenario_names if name in FIXED_SCENARIOS_BY_NAME or name.startswith(prefixes)]
    positions = {name: position for position, name in enumerate(FIXED_SCENARIOS_BY_NAME)}
    return [
        get_fixed_or_build_scenario(name)
        for name in sorted(known, key=lambda name: (positions.get(name, len(positions)), name))
    ]
