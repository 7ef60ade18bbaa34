"""The command `overlap`: what producers report in common, and how much of it is right."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotations.formats.runs_tsv import Table
from bcms.lib.svg.sheet import Sheet
from evaluation.analyses.cut_runs import cut_run
from evaluation.analyses.overlap import Overlap, Region, as_items, gold_as_items, overlap
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.columns import gold_classes, gold_columns, relevant_passages, run_calls, run_columns
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.runs import read_files, tell_mismatches
from evaluation.commands.options.arguments import PASSAGES, TASKS, add_task, check_task
from evaluation.commands.options.plot import add_plot
from evaluation.commands.options.scenario import add_order
from evaluation.commands.options.values import last_rank, share
from evaluation.commands.plots.plot_file import save_plots
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.plotting.overlap_sets import overlap_panel


def add_arguments(parser: ArgumentParser) -> None:
    """The options of overlap."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="what each producer reports, two or more")
    add_task(parser)
    add_order(parser)
    add = parser.add_argument
    add("--gold", metavar="FILE", help="a gold standard: only its documents count, and what is right is counted, too")
    add("--cutoff-rank", type=last_rank, metavar="K", help="only the first K results of each document count (0: all)")
    add("--min-confidence", type=share, metavar="C", help="a list ends at its first result below C")
    add("--format", choices=FORMATS, default="table", help="how the counts are written (default: table)")
    add_plot(parser)


def run(options: Namespace) -> int:
    """Count once all files are checked; 0."""
    check_task(options, frozenset(TASKS), "overlap")
    if len(options.files) < 2:
        raise UsageError("Give at least two runs to lay over each other.")
    inputs = Inputs()
    files = read_files(options, options.files, options.gold, inputs, by_line=options.order == "line")
    inputs.finish()
    tell_mismatches(options, files.runs)
    right = None if files.gold is None else gold_items(options, files.gold_for(files.runs))
    found = overlap([items(options, own.table) for own in files.runs], right)
    names = [own.name for own in files.runs]
    if options.plot:
        save_plots(options.plot, sheet(options, found, names))
    print({"json": as_json, "tsv": as_tsv, "table": as_table}[options.format](found, names))
    return 0


def sheet(options: Namespace, found: Overlap, names: Sequence[str]) -> Sheet:
    """The diagram of the sets. UsageError when there is nothing in any of them."""
    try:
        return Sheet(f"{options.task.upper()}, {len(names)} producers", [[overlap_panel(names, found)]])
    except ValueError as error:
        raise UsageError(str(error)) from None


def items(options: Namespace, table: Table) -> RunColumns:
    """What a producer reports after the cuts, of ACT the articles that it calls relevant."""
    if options.task == "act":
        return as_items(run_calls(table))
    confidence = None if table.confidence is None else options.min_confidence
    cut = options.cutoff_rank or None
    return cut_run(run_columns(table), order=options.order, cutoff_rank=cut, min_confidence=confidence)


def gold_items(options: Namespace, gold: Table) -> GoldColumns:
    if options.task in PASSAGES:
        return relevant_passages(gold)
    return gold_as_items(gold_classes(gold)) if options.task == "act" else gold_columns(gold)


def as_json(found: Overlap, names: Sequence[str]) -> str:
    """Regions: what exactly these producers report; totals: what each reports; missed: what is right and nobody has."""
    values = {
        "producers": list(names),
        "totals": [as_values(found.of([place]), names) for place in range(len(names))],
        "regions": [as_values(region, names) for region in found.regions],
        "missed": found.missed,
    }
    return json.dumps(values, indent=2)


def as_values(region: Region, names: Sequence[str]) -> dict[str, object]:
    return {"producers": [names[place] for place in region.producers], "items": region.items, "right": region.right}


def as_tsv(found: Overlap, names: Sequence[str]) -> str:
    """One line for each region: 1 for each producer that reports what is counted, 0 for each that does not."""
    last = [] if found.missed is None else ["right"]
    rows = [["0"] * len(names) + [str(found.missed)] * 2] if found.missed else []
    return "\n".join(
        "\t".join(row) for row in [[*names, "items", *last], *(flags(r, names) for r in found.regions), *rows]
    )


def flags(region: Region, names: Sequence[str]) -> list[str]:
    within = [str(int(place in region.producers)) for place in range(len(names))]
    return [*within, str(region.items), *([] if region.right is None else [str(region.right)])]


def as_table(found: Overlap, names: Sequence[str]) -> str:
    """What each producer reports, then what exactly which of them report in common."""
    totals = [row(names[place], found.of([place])) for place in range(len(names))]
    common = [row(" & ".join(names[place] for place in region.producers), region) for region in found.regions]
    head = ["results", *([] if found.missed is None else ["right", "precision"])]
    lines = [*aligned([["producer", *head], *totals]), "", *aligned([["only", *head], *common])]
    if found.missed is not None:
        lines += ["", f"right, but reported by nobody: {found.missed:,}"]
    return "\n".join(lines)


def row(name: str, region: Region) -> list[str]:
    if region.right is None:
        return [name, str(region.items)]
    return [name, str(region.items), str(region.right), f"{region.right / region.items:.5f}" if region.items else "n/a"]
