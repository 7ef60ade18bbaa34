"""The options that say how runs are scored, the files that they name, and what a run must have for them."""

from argparse import ArgumentParser, Namespace
from typing import BinaryIO

from annotations.formats.gene_eval import read_alternatives
from annotations.formats.maps_tsv import read_accessions, read_homonyms, read_organisms
from annotations.formats.tsv_faults import Notes
from evaluation.commands.columns import articles, gold_columns
from evaluation.commands.inputs import Inputs, opened
from evaluation.commands.refusals import UsageError
from evaluation.commands.runs import Files, Run
from evaluation.commands.scored import Maps
from evaluation.commands.values import last_rank, positive, share, swissprot
from evaluation.measures.mapping import accessions
from evaluation.measures.spans import Span


def add_scenario(parser: ArgumentParser) -> None:
    """The options of a scenario but which documents count."""
    add_order(parser)
    add_maps(parser)
    add = parser.add_argument
    add("--cutoff-rank", type=last_rank, metavar="K", help="only the first K results of each document count (0: all)")
    add("--min-confidence", type=share, metavar="C", help="a list ends at its first result below C")
    add("--swissprot", type=swissprot, metavar="FILE:SIDE", help="keep gold or results to these accessions")
    add("--alternatives", metavar="ALTGENE", help="what is accepted in place of genes, as BioCreative II did (gm)")
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


def read_maps(options: Namespace, inputs: Inputs) -> Maps:
    """The files that the options name; what is wrong with them is gathered in inputs."""
    return Maps(
        inputs.read(options.homonyms, read_homonyms) if options.homonyms else None,
        inputs.read(options.organisms, read_organisms) if options.organisms else None,
        inputs.read(options.swissprot.path, read_accessions) if options.swissprot else None,
        inputs.read(options.alternatives, accepted) if options.alternatives else None,
    )


def accepted(stream: BinaryIO, source: str) -> dict[str, frozenset[Span]]:
    """{sentence: Spans accepted in place of genes}."""
    found = read_alternatives(stream, source)
    return {sentence: frozenset(Span(*place) for place in places) for sentence, places in found.items()}


def check_organisms(options: Namespace, files: Files, maps: Maps, inputs: Inputs) -> None:
    """Every accession of the gold standard that is looked up has an organism: of documents with results, or all."""
    if files.gold is None or maps.organisms is None:
        return
    answered = {name for own in files.runs for name in own.table.article.names}
    right = gold_columns(files.gold).item
    looked_up = [
        right.names[code]
        for article, code in zip(articles(files.gold), right.codes.tolist(), strict=True)
        if options.per_organism or article in answered
    ]
    faults = Notes()
    for name in dict.fromkeys(name for item in looked_up for name in accessions(item)):
        if name not in maps.organisms:
            faults.add(
                "R615", 0, 0, f"accession {name} of the gold standard has no organism - add a line with its taxon"
            )
    with opened(options.organisms) as stream:
        inputs.faults += faults.told(stream, options.organisms)


def mismatches(options: Namespace, own: Run) -> list[str]:
    """Notes on what an option cannot do to this run. UsageError when it has not the column that it is ordered by."""
    if options.order in ("rank", "confidence") and options.order not in own.table.extras:
        raise UsageError(f"{own.path} has no {options.order} column; choose another --order.")
    if options.min_confidence is not None and own.table.confidence is None:
        return [f"{own.path}: no confidences, so --min-confidence cuts nothing"]
    return []
