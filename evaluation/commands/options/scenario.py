"""The options that say how runs are scored."""

from argparse import ArgumentParser

from evaluation.commands.options.values import last_rank, positive, share, swissprot
from evaluation.measures.board_scenarios import IN_PART


def add_scenario(parser: ArgumentParser) -> None:
    """The options of a scenario but which documents count."""
    add_order(parser)
    add_maps(parser)
    add = parser.add_argument
    add("--cutoff-rank", type=last_rank, metavar="K", help="only the first K results of each document count (0: all)")
    add("--min-confidence", type=share, metavar="C", help="a list ends at its first result below C")
    add(
        "--swissprot",
        type=swissprot,
        metavar="FILE:SIDE",
        help="accessions of Swiss-Prot; SIDE gold: only documents without other right ones, results: only these",
    )
    add("--alternatives", metavar="ALTGENE", help="what is accepted in place of genes, as BioCreative II did (gm)")
    add(
        "--spans",
        choices=("exact", *IN_PART),
        help="a mention counts that shares this with a gene, and none at an alternative (gm)",
    )
    add("--unreported", choices=("ignore", "negative"), help="what an article without a call counts as (act)")


def add_order(parser: ArgumentParser) -> None:
    """--order."""
    parser.add_argument(
        "--order", choices=("rank", "confidence", "line"), help="what a list is ordered by (default: the first it has)"
    )


def add_maps(parser: ArgumentParser) -> None:
    """The options of lists that neither cut them nor leave out documents."""
    add = parser.add_argument
    add("--homonyms", metavar="FILE", help="accessions that count as a gold one: accession, tab, comma list")
    add("--organisms", metavar="FILE", help="taxon of each accession; drops results of other organisms than the gold's")
    add("--interactors", action="store_true", help="score pairs as their interactors (ipt)")
    add("--beta", type=positive, metavar="B", help="weight of recall in F and FAP (default: 1)")
