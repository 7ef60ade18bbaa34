"""The command `compare`: paired tests of runs, and the ranks that indistinguishable runs share."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from annotations.formats.tsv.result_table import ResultTable
from bcms.lib.svg.plot_sheets import PlotSheet
from evaluation.analyses.significance.count_tests import run_paired_count_tests
from evaluation.analyses.significance.passage_tests import PASSAGE_FIGURES, run_paired_passage_tests
from evaluation.analyses.significance.randomization import (
    TESTABLE_FIGURES,
    PairedTests,
    run_paired_call_tests,
    run_paired_list_tests,
)
from evaluation.analyses.significance.shared_ranks import (
    SharedRank,
    compute_shared_rank_intervals,
    list_run_indexes_by_score_then_name,
    median_critical_difference,
)
from evaluation.analyses.tables.call_tables import CALL_COUNT_FIGURES
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.intervals import (
    build_call_table_of_run,
    build_sample_generator,
    compute_ranked_hits_of_run,
    count_run_passages_per_article,
)
from evaluation.commands.figures.open_scores import build_open_count_table, list_count_figures
from evaluation.commands.figures.report import REPORT_FORMATS
from evaluation.commands.figures.run_scores import ORDER_DEPENDENT_FIGURES, choose_leading_figure
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.scoring_maps import (
    ScoringMaps,
    note_faults_of_gold_accessions_without_organism,
    read_scoring_maps_noting_faults,
)
from evaluation.commands.files.task_files import (
    RunFileTable,
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.open_task import LABEL_TASKS, get_mention_scheme
from evaluation.commands.options.plot import add_plot_option
from evaluation.commands.options.scenario import add_scenario_options
from evaluation.commands.options.task import (
    PASSAGE_TASKS,
    TASK_CHOICES,
    add_task_and_run_reading_options,
    check_command_task_and_options,
    is_ranked_task,
)
from evaluation.commands.options.values import DEFAULT_SEED, parse_sample_count, parse_seed, parse_unit_interval_number
from evaluation.commands.plots.plot_file import write_svg_and_print_plot_count
from evaluation.plotting.rank_intervals import RankedRun, build_rank_panel

LOWER_IS_BETTER_FIGURES = frozenset({"fp", "fn", "micro.fp", "micro.fn", "unjudged"})


def add_arguments(parser: ArgumentParser) -> None:
    """The options of compare. All documents count, so that all runs are tested over the same documents."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="two or more runs, and the gold standard as the last")
    add_task_and_run_reading_options(parser)
    add_scenario_options(parser)
    parser.set_defaults(profile=None, answered_only=False, all_documents=False, per_organism=False)
    add = parser.add_argument
    add(
        "--figure",
        metavar="NAME",
        help="figure to test, such as macro.ap (default: macro.f1; act: mcc, iss: mrr, imt, gm, ner, nel, "
        "relations and labels: micro.f1)",
    )
    add(
        "--samples",
        type=parse_sample_count,
        default=10_000,
        metavar="N",
        help="number of random samples (default: 10,000)",
    )
    add("--seed", type=parse_seed, metavar="S", help="random seed of the samples (default: 1)")
    add(
        "--level",
        type=parse_unit_interval_number,
        default=0.05,
        metavar="P",
        help="significance level: runs with a larger p share a rank (default: 0.05)",
    )
    add("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")
    add_plot_option(parser)


@dataclass(frozen=True, slots=True)
class TestedRuns:
    """The tests of all runs. names, ranks: in the order of the files; order: indexes of the runs, best first."""

    task: str
    figure: str
    samples: int
    seed: int
    names: Sequence[str]
    tests: PairedTests
    ranks: Sequence[SharedRank]
    order: Sequence[int]


def run(options: Namespace) -> int:
    """Test all pairs of runs after checking all files; return 0."""
    *runs, gold = options.files
    figure = _choose_tested_figure(options)
    if len(runs) < 2:
        raise UsageError("Give at least three files: two or more runs and, as the last file, the gold standard.")
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, runs, gold, inputs, ignores_ranks=options.order == "line")
    maps = read_scoring_maps_noting_faults(options, inputs, files)
    note_faults_of_gold_accessions_without_organism(options, files, maps, inputs)
    inputs.raise_faults_or_print_notes()
    check_order_and_print_ineffective_options(options, files.runs)
    tested = _rank_runs_by_paired_tests(options, figure, files.runs, files.get_gold_for_runs(files.runs), maps)
    if options.plot:
        write_svg_and_print_plot_count(options.plot, _build_rank_sheet(tested))
    print(
        {"json": _format_comparison_json, "tsv": _format_comparison_tsv, "table": _format_comparison_table}[
            options.format
        ](tested)
    )
    return 0


def _choose_tested_figure(options: Namespace) -> str:
    """The figure to test. UsageError when the task has no such figure."""
    check_command_task_and_options(options, frozenset(TASK_CHOICES), "compare")
    testable = _list_testable_figures(options)
    figure = options.figure or choose_leading_figure(options.task)
    if figure not in testable:
        raise UsageError(
            f"--figure {figure} cannot be tested with --task {options.task}; choose {', '.join(testable)}."
        )
    return figure


def _list_testable_figures(options: Namespace) -> Sequence[str]:
    if options.task == "act":
        return CALL_COUNT_FIGURES
    if options.task in PASSAGE_TASKS:
        return PASSAGE_FIGURES
    if options.task in LABEL_TASKS or get_mention_scheme(options) is not None:
        return list_count_figures(options)
    return [name for name in TESTABLE_FIGURES if is_ranked_task(options) or name not in ORDER_DEPENDENT_FIGURES]


def _rank_runs_by_paired_tests(
    options: Namespace, figure: str, runs: Sequence[RunFileTable], gold: ResultTable, maps: ScoringMaps
) -> TestedRuns:
    """The tests of all pairs. UsageError when no document is evaluated."""
    names, rng, higher_is_better = (
        [run.name for run in runs],
        build_sample_generator(options),
        figure not in LOWER_IS_BETTER_FIGURES,
    )
    try:
        if options.task == "act":
            tables = [build_call_table_of_run(options, run.table, gold) for run in runs]
            tests = run_paired_call_tests(tables, figure, options.samples, rng, level=options.level)
        elif options.task in PASSAGE_TASKS:
            passage_tables = [count_run_passages_per_article(options, run.table, gold) for run in runs]
            tests = run_paired_passage_tests(passage_tables, figure, options.samples, rng, level=options.level)
        elif options.task in LABEL_TASKS or get_mention_scheme(options) is not None:
            built = [build_open_count_table(options, run.table, gold, maps) for run in runs]
            count_tables = [table for table in built if table is not None]
            tests = run_paired_count_tests(count_tables, figure, options.samples, rng, level=options.level)
        else:
            lists = [compute_ranked_hits_of_run(options, run.table, gold, maps) for run in runs]
            beta, progress = options.beta or 1.0, _print_progress_bar if sys.stderr.isatty() else None
            tests = run_paired_list_tests(
                lists, figure, options.samples, rng, beta=beta, level=options.level, progress=progress
            )
    except ValueError as error:
        raise UsageError(str(error)) from None
    ranks = compute_shared_rank_intervals(tests, higher_is_better=higher_is_better)
    order = list_run_indexes_by_score_then_name(tests, names, higher_is_better=higher_is_better)
    seed = DEFAULT_SEED if options.seed is None else options.seed
    return TestedRuns(options.task, figure, options.samples, seed, names, tests, ranks, order)


def _build_rank_sheet(tested: TestedRuns) -> PlotSheet:
    """A sheet with the plot of all ranks."""
    runs = [RankedRun(tested.names[run], float(tested.tests.scores[run]), tested.ranks[run]) for run in tested.order]
    note = f"Paired randomization tests, {tested.samples:,} samples, seed {tested.seed}."
    return PlotSheet(
        f"{tested.task.upper()}, {len(runs)} runs",
        [[build_rank_panel(tested.figure, tested.tests.level, runs)]],
        [note],
    )


def _print_progress_bar(done: int, total: int) -> None:
    """Print the progress of the tests as one line on standard error."""
    width = 40 * done // total
    print(f"\r[{'#' * width:<40}] {done:,} of {total:,} samples", end="" if done < total else "\n", file=sys.stderr)


def _format_comparison_json(tested: TestedRuns) -> str:
    """All results with full double precision; a null resolution: there is too little data to separate any runs."""
    resolution = median_critical_difference(tested.tests)
    values = {
        "task": tested.task,
        "figure": tested.figure,
        "samples": tested.samples,
        "seed": tested.seed,
        "level": tested.tests.level,
        "resolution": resolution if resolution < float("inf") else None,
        "runs": [
            {"run": tested.names[run], "rank": list(tested.ranks[run]), tested.figure: float(tested.tests.scores[run])}
            for run in tested.order
        ],
        "pairs": [
            {
                "a": tested.names[a],
                "b": tested.names[b],
                "difference": float(tested.tests.difference[a, b]),
                "p": _pair_p_value(tested, a, b),
            }
            for a, b in combinations(tested.order, 2)
        ],
    }
    return json.dumps(values, indent=2)


def _pair_p_value(tested: TestedRuns, a: int, b: int) -> float:
    return float(tested.tests.p[a, b])


def _format_comparison_tsv(tested: TestedRuns) -> str:
    """One line for each pair of runs, the better run first."""
    head = ["a", "b", "rank_a", "rank_b", f"{tested.figure}_a", f"{tested.figure}_b", "difference", "p"]
    rows = [_format_tested_pair(tested, a, b) for a, b in combinations(tested.order, 2)]
    return "\n".join("\t".join(row) for row in [head, *rows])


def _format_tested_pair(tested: TestedRuns, a: int, b: int) -> list[str]:
    values = (*tested.tests.scores[[a, b]].tolist(), tested.tests.difference[a, b], tested.tests.p[a, b])
    return [
        tested.names[a],
        tested.names[b],
        str(tested.ranks[a]),
        str(tested.ranks[b]),
        *(str(float(value)) for value in values),
    ]


def _format_comparison_table(tested: TestedRuns) -> str:
    """Ranks and scores, the p of each pair of runs, and the smallest detectable difference."""
    names, resolution = [tested.names[run] for run in tested.order], median_critical_difference(tested.tests)
    scores = [[tested.names[run], str(tested.ranks[run]), f"{tested.tests.scores[run]:.5f}"] for run in tested.order]
    matrix = [
        [tested.names[a], *("-" if a == b else f"{_pair_p_value(tested, a, b):.4f}" for b in tested.order)]
        for a in tested.order
    ]
    smallest = (
        f"{resolution:.5f}" if resolution < float("inf") else "none, because there are too few samples or documents"
    )
    return "\n".join(
        [
            *align_first_column_left_others_right([["run", "rank", tested.figure], *scores]),
            "",
            f"p of the difference in {tested.figure}, {tested.samples:,} samples, seed {tested.seed}",
            *align_first_column_left_others_right([["", *names], *matrix]),
            "",
            f"Runs with a p above {tested.tests.level:g} share a rank. Smallest detectable difference: {smallest}.",
        ]
    )
