"""The options of the scoring scenario."""

from argparse import ArgumentParser

from evaluation.commands.options.values import (
    parse_beta,
    parse_last_rank_or_zero,
    parse_swissprot_filter,
    parse_unit_interval_number,
)
from evaluation.measures.leaderboard_scenarios import PARTIAL_SPAN_MATCHES


def add_scenario_options(parser: ArgumentParser) -> None:
    """Add the options of a scenario, except those that select documents."""
    add_order_option(parser)
    add_homonym_organism_interactor_beta_options(parser)
    add = parser.add_argument
    add(
        "--cutoff-rank",
        type=parse_last_rank_or_zero,
        metavar="K",
        help="only the first K results of each document count (0: all)",
    )
    add(
        "--min-confidence", type=parse_unit_interval_number, metavar="C", help="a list ends at its first result below C"
    )
    add(
        "--swissprot",
        type=parse_swissprot_filter,
        metavar="FILE:SIDE",
        help="accessions in Swiss-Prot; SIDE gold: documents whose gold items are all in it; results: results in it",
    )
    add("--alternatives", metavar="ALTGENE", help="spans accepted instead of genes, as in BioCreative II (gm)")
    add(
        "--spans",
        choices=("exact", *PARTIAL_SPAN_MATCHES),
        help="what a right mention shares with a gene; alternatives do not count (gm)",
    )
    add(
        "--unreported",
        choices=("ignore", "negative"),
        help="treatment of articles without a call (act; default: ignore)",
    )


def add_order_option(parser: ArgumentParser) -> None:
    """Add the option --order."""
    parser.add_argument(
        "--order",
        choices=("rank", "confidence", "line"),
        help="column that sorts the lists (default: the first that the run has)",
    )


def add_homonym_organism_interactor_beta_options(parser: ArgumentParser) -> None:
    """Add the options of lists that neither cut them nor leave out documents."""
    add = parser.add_argument
    add(
        "--homonyms",
        metavar="FILE",
        help="accessions that count as a gold one: gold accession, tab, comma-separated accessions",
    )
    add(
        "--organisms",
        metavar="FILE",
        help="taxa: accession, tab, taxon; drops results of organisms that are not in the document's gold items",
    )
    add("--interactors", action="store_true", help="score pairs as their interactors (ipt)")
    add("--beta", type=parse_beta, metavar="B", help="weight of recall in F and FAP (default: 1)")
