"""The command `overlap`: the results that producers have in common, and how many of them are right."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotations.formats.tsv.result_table import ResultTable
from bcms.lib.svg.plot_sheets import PlotSheet
from evaluation.analyses.overlap import (
    Overlap,
    OverlapRegion,
    convert_relevant_calls_to_items,
    convert_relevant_gold_labels_to_items,
    count_items_by_producer_combination,
)
from evaluation.analyses.run_truncation import sort_and_truncate_run_lists
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import REPORT_FORMATS
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.table_columns import (
    convert_gold_labels,
    convert_gold_table,
    convert_run_calls,
    convert_run_table,
    select_relevant_passages_keeping_all_articles,
)
from evaluation.commands.files.task_files import (
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.plot import add_plot_option
from evaluation.commands.options.scenario import add_order_option
from evaluation.commands.options.task import (
    PASSAGE_TASKS,
    TASK_CHOICES,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.commands.options.values import parse_last_rank_or_zero, parse_unit_interval_number
from evaluation.commands.plots.plot_file import write_svg_and_print_plot_count
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.plotting.overlap_sets import build_venn_or_upset_panel


def add_arguments(parser: ArgumentParser) -> None:
    """The options of overlap."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="two or more runs, one for each producer")
    add_task_and_run_reading_options(parser)
    add_order_option(parser)
    add = parser.add_argument
    add("--gold", metavar="FILE", help="a gold standard: only its documents count, and right results are counted, too")
    add(
        "--cutoff-rank",
        type=parse_last_rank_or_zero,
        metavar="K",
        help="only the first K results of each document count (0: all)",
    )
    add(
        "--min-confidence", type=parse_unit_interval_number, metavar="C", help="a list ends at its first result below C"
    )
    add("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")
    add_plot_option(parser)


def run(options: Namespace) -> int:
    """Print the overlap after checking all files; return 0."""
    check_command_task_and_options(options, frozenset(TASK_CHOICES), "overlap")
    if len(options.files) < 2:
        raise UsageError("Give at least two runs to compare.")
    inputs = InputFiles()
    files = read_task_files_noting_faults(
        options, options.files, options.gold, inputs, ignores_ranks=options.order == "line"
    )
    inputs.raise_faults_or_print_notes()
    check_order_and_print_ineffective_options(options, files.runs)
    gold = None if files.gold is None else _build_gold_items(options, files.get_gold_for_runs(files.runs))
    overlap = count_items_by_producer_combination(
        [_build_producer_items(options, run_file.table) for run_file in files.runs], gold
    )
    names = [run_file.name for run_file in files.runs]
    if options.plot:
        write_svg_and_print_plot_count(options.plot, _build_overlap_sheet(options, overlap, names))
    print(
        {"json": _format_overlap_json, "tsv": _format_overlap_tsv, "table": _format_overlap_table}[options.format](
            overlap, names
        )
    )
    return 0


def _build_overlap_sheet(options: Namespace, overlap: Overlap, names: Sequence[str]) -> PlotSheet:
    """A sheet with the diagram of the sets. UsageError when all of them are empty."""
    try:
        return PlotSheet(
            f"{options.task.upper()}, {len(names)} producers", [[build_venn_or_upset_panel(names, overlap)]]
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def _build_producer_items(options: Namespace, table: ResultTable) -> RunColumns:
    """The results of a producer after the cuts; for ACT the articles that it calls relevant."""
    if options.task == "act":
        return convert_relevant_calls_to_items(convert_run_calls(table))
    confidence = None if table.confidence is None else options.min_confidence
    cut = options.cutoff_rank or None
    return sort_and_truncate_run_lists(
        convert_run_table(table), order=options.order, cutoff_rank=cut, min_confidence=confidence
    )


def _build_gold_items(options: Namespace, gold: ResultTable) -> GoldColumns:
    if options.task in PASSAGE_TASKS:
        return select_relevant_passages_keeping_all_articles(gold)
    return (
        convert_relevant_gold_labels_to_items(convert_gold_labels(gold))
        if options.task == "act"
        else convert_gold_table(gold)
    )


def _format_overlap_json(overlap: Overlap, names: Sequence[str]) -> str:
    """regions: results of exactly these producers; totals: all results of each; missed: unreported gold items."""
    values = {
        "producers": list(names),
        "totals": [_build_region_json(overlap.intersect_producers([index]), names) for index in range(len(names))],
        "regions": [_build_region_json(region, names) for region in overlap.regions],
        "missed": overlap.missed,
    }
    return json.dumps(values, indent=2)


def _build_region_json(region: OverlapRegion, names: Sequence[str]) -> dict[str, object]:
    return {"producers": [names[index] for index in region.producers], "items": region.items, "right": region.right}


def _format_overlap_tsv(overlap: Overlap, names: Sequence[str]) -> str:
    """One line for each region: 1 for each producer that reports its results, 0 for the others."""
    gold_head = [] if overlap.missed is None else ["right"]
    missed_rows = [["0"] * len(names) + [str(overlap.missed)] * 2] if overlap.missed else []
    return "\n".join(
        "\t".join(row)
        for row in [
            [*names, "items", *gold_head],
            *(_format_region_flags(region, names) for region in overlap.regions),
            *missed_rows,
        ]
    )


def _format_region_flags(region: OverlapRegion, names: Sequence[str]) -> list[str]:
    flags = [str(int(index in region.producers)) for index in range(len(names))]
    return [*flags, str(region.items), *([] if region.right is None else [str(region.right)])]


def _format_overlap_table(overlap: Overlap, names: Sequence[str]) -> str:
    """The results of each producer, then those of each region."""
    totals = [_format_overlap_row(names[index], overlap.intersect_producers([index])) for index in range(len(names))]
    common = [
        _format_overlap_row(" & ".join(names[index] for index in region.producers), region)
        for region in overlap.regions
    ]
    head = ["results", *([] if overlap.missed is None else ["right", "precision"])]
    lines = [
        *align_first_column_left_others_right([["producer", *head], *totals]),
        "",
        *align_first_column_left_others_right([["only", *head], *common]),
    ]
    if overlap.missed is not None:
        lines += ["", f"gold items that no producer reports: {overlap.missed:,}"]
    return "\n".join(lines)


def _format_overlap_row(name: str, region: OverlapRegion) -> list[str]:
    if region.right is None:
        return [name, str(region.items)]
    return [name, str(region.items), str(region.right), f"{region.right / region.items:.5f}" if region.items else "n/a"]
