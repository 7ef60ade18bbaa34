"""The command `compare`: which runs differ by more than chance, and the ranks that the others share."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from annotations.formats.runs_tsv import Table
from bcms.lib.svg.sheet import Sheet
from evaluation.analyses.call_tables import COUNT_FIGURES
from evaluation.analyses.passages import PASSAGE_FIGURES, passage_tests
from evaluation.analyses.randomization import TESTED, PairedTests, call_tests, list_tests
from evaluation.analyses.ranks import SharedRank, best_first, resolution, shared_ranks
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.intervals import calls_counted, generator, lists_counted, passages_counted
from evaluation.commands.figures.report import FORMATS
from evaluation.commands.figures.scored import OF_RANKING, leading
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.maps import Maps, check_organisms, read_maps
from evaluation.commands.files.runs import Run, read_files, tell_mismatches
from evaluation.commands.options.arguments import MENTIONS, PASSAGES, TASKS, add_task, check_task
from evaluation.commands.options.plot import add_plot
from evaluation.commands.options.scenario import add_scenario
from evaluation.commands.options.values import FIRST_SEED, samples, seed, share
from evaluation.commands.plots.plot_file import save_plots
from evaluation.plotting.shared_ranks import RankedRun, rank_panel

LOWER_IS_BETTER = frozenset({"fp", "fn", "micro.fp", "micro.fn", "unjudged"})


def add_arguments(parser: ArgumentParser) -> None:
    """The options of compare. All documents count, so that all runs are tested over the same."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="two runs or more, and as the last the gold standard")
    add_task(parser)
    add_scenario(parser)
    parser.set_defaults(profile=None, answered_only=False, all_documents=False, per_organism=False)
    add = parser.add_argument
    add(
        "--figure",
        metavar="NAME",
        help="what is tested, macro.ap for example (default: macro.f1; act mcc, imt and gm micro.f1, iss mrr)",
    )
    add("--samples", type=samples, default=10_000, metavar="N", help="times that answers are swapped (10,000)")
    add("--seed", type=seed, metavar="S", help="what the samples begin with (default: 1)")
    add(
        "--level", type=share, default=0.05, metavar="P", help="runs with a p of at most this are apart (default: 0.05)"
    )
    add("--format", choices=FORMATS, default="table", help="how the tests are written (default: table)")
    add_plot(parser)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs, in the order of the files, and what the tests say of them."""

    task: str
    figure: str
    samples: int
    seed: int
    names: Sequence[str]
    tests: PairedTests
    ranks: Sequence[SharedRank]
    order: Sequence[int]


def run(options: Namespace) -> int:
    """Test every two runs once all files are checked; 0."""
    *runs, gold = options.files
    figure = figure_of(options)
    if len(runs) < 2:
        raise UsageError("Give at least three files: two or more runs, and the gold standard as the last.")
    inputs = Inputs()
    files = read_files(options, runs, gold, inputs, by_line=options.order == "line")
    maps = read_maps(options, inputs, files)
    check_organisms(options, files, maps, inputs)
    inputs.finish()
    tell_mismatches(options, files.runs)
    compared = compare(options, figure, files.runs, files.gold_for(files.runs), maps)
    if options.plot:
        save_plots(options.plot, sheet(compared))
    print({"json": as_json, "tsv": as_tsv, "table": as_table}[options.format](compared))
    return 0


def figure_of(options: Namespace) -> str:
    """The figure to be tested. UsageError when there is none of that name for the task."""
    check_task(options, frozenset(TASKS), "compare")
    tested = tested_figures(options.task)
    figure = options.figure or leading(options.task)
    if figure not in tested:
        raise UsageError(f"--figure {figure} cannot be tested with --task {options.task}; choose {', '.join(tested)}.")
    return figure


def tested_figures(task: str) -> Sequence[str]:
    if task == "act":
        return COUNT_FIGURES
    if task in PASSAGES:
        return PASSAGE_FIGURES
    return [name for name in TESTED if task not in MENTIONS or name not in OF_RANKING]


def compare(options: Namespace, figure: str, runs: Sequence[Run], gold: Table, maps: Maps) -> Comparison:
    """The tests of all pairs. UsageError when no document is evaluated."""
    names, rng, better = [own.name for own in runs], generator(options), figure not in LOWER_IS_BETTER
    try:
        if options.task == "act":
            tables = [calls_counted(options, own.table, gold) for own in runs]
            tests = call_tests(tables, figure, options.samples, rng, level=options.level)
        elif options.task in PASSAGES:
            judged = [passages_counted(options, own.table, gold) for own in runs]
            tests = passage_tests(judged, figure, options.samples, rng, level=options.level)
        else:
            lists = [lists_counted(options, own.table, gold, maps) for own in runs]
            beta, progress = options.beta or 1.0, bar if sys.stderr.isatty() else None
            tests = list_tests(lists, figure, options.samples, rng, beta=beta, level=options.level, progress=progress)
    except ValueError as error:
        raise UsageError(str(error)) from None
    ranks = shared_ranks(tests, higher_is_better=better)
    order = best_first(tests, names, higher_is_better=better)
    first = FIRST_SEED if options.seed is None else options.seed
    return Comparison(options.task, figure, options.samples, first, names, tests, ranks, order)


def sheet(own: Comparison) -> Sheet:
    """The ranks of all runs."""
    runs = [RankedRun(own.names[run], float(own.tests.scores[run]), own.ranks[run]) for run in own.order]
    note = f"Paired randomization tests, {own.samples:,} samples, seed {own.seed}."
    return Sheet(f"{own.task.upper()}, {len(runs)} runs", [[rank_panel(own.figure, own.tests.level, runs)]], [note])


def bar(done: int, total: int) -> None:
    """How far the tests are, in one line on standard error."""
    width = 40 * done // total
    print(f"\r[{'#' * width:<40}] {done:,} of {total:,} samples", end="" if done < total else "\n", file=sys.stderr)


def as_json(own: Comparison) -> str:
    """Everything, with full double precision; a resolution of null: too little to separate any runs."""
    floor = resolution(own.tests)
    values = {
        "task": own.task,
        "figure": own.figure,
        "samples": own.samples,
        "seed": own.seed,
        "level": own.tests.level,
        "resolution": floor if floor < float("inf") else None,
        "runs": [
            {"run": own.names[run], "rank": list(own.ranks[run]), own.figure: float(own.tests.scores[run])}
            for run in own.order
        ],
        "pairs": [
            {
                "a": own.names[a],
                "b": own.names[b],
                "difference": float(own.tests.difference[a, b]),
                "p": p_of(own, a, b),
            }
            for a, b in combinations(own.order, 2)
        ],
    }
    return json.dumps(values, indent=2)


def p_of(own: Comparison, a: int, b: int) -> float:
    return float(own.tests.p[a, b])


def as_tsv(own: Comparison) -> str:
    """One line for every two runs, the better one first."""
    head = ["a", "b", "rank_a", "rank_b", f"{own.figure}_a", f"{own.figure}_b", "difference", "p"]
    rows = [pair_row(own, a, b) for a, b in combinations(own.order, 2)]
    return "\n".join("\t".join(row) for row in [head, *rows])


def pair_row(own: Comparison, a: int, b: int) -> list[str]:
    values = (*own.tests.scores[[a, b]].tolist(), own.tests.difference[a, b], own.tests.p[a, b])
    return [own.names[a], own.names[b], str(own.ranks[a]), str(own.ranks[b]), *(str(float(value)) for value in values)]


def as_table(own: Comparison) -> str:
    """Ranks and scores, the p of every two runs, and what difference these documents can tell."""
    names, floor = [own.names[run] for run in own.order], resolution(own.tests)
    scores = [[own.names[run], str(own.ranks[run]), f"{own.tests.scores[run]:.5f}"] for run in own.order]
    matrix = [[own.names[a], *("-" if a == b else f"{p_of(own, a, b):.4f}" for b in own.order)] for a in own.order]
    smallest = f"{floor:.5f}" if floor < float("inf") else "none, there are too few samples or documents"
    return "\n".join(
        [
            *aligned([["run", "rank", own.figure], *scores]),
            "",
            f"p of the difference in {own.figure}, {own.samples:,} samples, seed {own.seed}",
            *aligned([["", *names], *matrix]),
            "",
            f"Runs with a p above {own.tests.level:g} share a rank. Smallest difference told from chance: {smallest}.",
        ]
    )
