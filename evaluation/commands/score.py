"""The command `score`: every figure of runs against a gold standard."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace

from annotations.formats.runs_tsv import Table
from annotations.formats.times_tsv import read_times
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS, Report, written
from evaluation.commands.figures.scored import score
from evaluation.commands.figures.signature import profile, signature
from evaluation.commands.files.inputs import Inputs, checksum
from evaluation.commands.files.maps import Maps, check_organisms, read_maps
from evaluation.commands.files.runs import Files, Run, read_files, tell_mismatches
from evaluation.commands.options.arguments import add_task, check_options
from evaluation.commands.options.plot import add_plot, check_plot
from evaluation.commands.options.scenario import add_scenario
from evaluation.commands.options.values import samples, seed


def add_arguments(parser: ArgumentParser) -> None:
    """The options of score."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="runs, and as the last the gold standard")
    add_task(parser)
    add_scenario(parser)
    add = parser.add_argument
    add("--profile", choices=("bc3", "bc25"), help="whether unanswered documents stay (bc3, default) or not (bc25)")
    unanswered = parser.add_mutually_exclusive_group()
    unanswered.add_argument("--answered-only", action="store_true", help="leave out unanswered documents")
    unanswered.add_argument("--all-documents", action="store_true", help="keep unanswered documents")
    add("--per-organism", action="store_true", help="the figures of each organism, too (needs --organisms)")
    add(
        "--bootstrap",
        type=samples,
        metavar="N",
        help="an interval of every figure, from N samples of the articles",
    )
    add("--seed", type=seed, metavar="S", help="what the samples begin with (default: 1)")
    add("--format", choices=FORMATS, default="table", help="how the figures are written (default: table)")
    add_plot(parser)
    add("--times", metavar="FILE", help="run, tab, seconds of an article; drawn against the score by --plot")


def run(options: Namespace) -> int:
    """Score all runs once all files are checked; 0."""
    *runs, gold = options.files
    check_usage(options, runs)
    inputs = Inputs()
    files = read_files(options, runs, gold, inputs, by_line=options.order == "line")
    maps = read_maps(options, inputs, files)
    check_organisms(options, files, maps, inputs)
    times = inputs.read(options.times, read_times) if options.times else None
    inputs.finish()
    tell_mismatches(options, files.runs)
    found = reports(options, files, maps, checksum(gold))
    if options.plot:
        # Most runs are scored without plots, and sooner than the modules that draw them are loaded.
        from evaluation.commands.plots.score_sheet import draw

        draw(options, files, maps, found, times)
    print(written(found, options.format))
    return 0


def check_usage(options: Namespace, runs: Sequence[str]) -> None:
    """UsageError when files or options are lacking or do not go together."""
    if not runs:
        raise UsageError("Give at least two files: one or more runs, and the gold standard as the last.")
    check_options(options)
    check_plot(options)
    if options.seed is not None and options.bootstrap is None:
        raise UsageError("--seed is what --bootstrap N begins with; give both, or none of them.")
    if options.per_organism and not options.organisms:
        raise UsageError("--per-organism needs --organisms FILE, which says of what organism each accession is.")


def reports(options: Namespace, files: Files, maps: Maps, gold: str) -> list[Report]:
    """The figures of every run."""
    return [report(options, own, files.gold_for([own]), maps, gold) for own in files.runs]


def report(options: Namespace, own: Run, right: Table, maps: Maps, gold: str) -> Report:
    scored = score(options, own.table, right, maps)
    if options.bootstrap is not None:
        # Most runs are scored without samples, and sooner than the modules that draw them are loaded.
        from evaluation.commands.figures.intervals import intervals_of, organism_intervals

        scored = replace(scored, intervals=intervals_of(options, own.table, right, maps))
        if options.per_organism:
            scored = replace(scored, organism_intervals=organism_intervals(options, own.table, right, maps))
    return Report(own.name, options.task, profile(options), signature(options, own.table, gold), scored)
