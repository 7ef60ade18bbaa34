"""The command `score`: all figures of runs against a gold standard."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace

from annotations.formats.tsv.time_reader import read_seconds_by_run_name
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.open_scores import score_open_run
from evaluation.commands.figures.report import REPORT_FORMATS, ScoreReport, format_score_reports
from evaluation.commands.figures.run_scores import score_run_table
from evaluation.commands.figures.signature import build_score_signature, get_profile_name
from evaluation.commands.files.inputs import InputFiles, format_short_file_sha256
from evaluation.commands.files.scoring_maps import (
    ScoringMaps,
    note_faults_of_gold_accessions_without_organism,
    read_scoring_maps_noting_faults,
)
from evaluation.commands.files.task_files import (
    RunFileTable,
    TaskFiles,
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.open_task import ITEM_TASKS, LABEL_TASKS
from evaluation.commands.options.plot import add_plot_option, check_plot_and_times_options
from evaluation.commands.options.scenario import add_scenario_options
from evaluation.commands.options.task import add_task_and_run_reading_options, check_task_options
from evaluation.commands.options.values import parse_sample_count, parse_seed


def add_arguments(parser: ArgumentParser) -> None:
    """The options of score."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="one or more runs, and the gold standard as the last")
    add_task_and_run_reading_options(parser)
    add_scenario_options(parser)
    add = parser.add_argument
    add("--profile", choices=("bc3", "bc25"), help="keep (bc3, default) or leave out (bc25) unanswered documents")
    unanswered = parser.add_mutually_exclusive_group()
    unanswered.add_argument("--answered-only", action="store_true", help="leave out unanswered documents")
    unanswered.add_argument("--all-documents", action="store_true", help="keep unanswered documents")
    add(
        "--further",
        action="store_true",
        help="also print further figures: of lists P@5, break-even, MRR, TRR, MAP, ROC 10, pooled ROC 10, TAP-5; of "
        "classifications negative precision, fall-out, AUC ROC, ROC 10",
    )
    add("--per-organism", action="store_true", help="also print the figures of each organism (needs --organisms)")
    add(
        "--bootstrap",
        type=parse_sample_count,
        metavar="N",
        help="95 %% confidence intervals of every figure from N bootstrap samples of the articles",
    )
    add("--seed", type=parse_seed, metavar="S", help="random seed of the samples (default: 1)")
    add("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")
    add_plot_option(parser)
    add("--times", metavar="FILE", help="times for --plot: run, tab, seconds for an article")


def run(options: Namespace) -> int:
    """Score all runs after checking all files; return 0."""
    *runs, gold = options.files
    _check_score_options(options, runs)
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, runs, gold, inputs, ignores_ranks=options.order == "line")
    maps = read_scoring_maps_noting_faults(options, inputs, files)
    note_faults_of_gold_accessions_without_organism(options, files, maps, inputs)
    times = inputs.read_input(options.times, read_seconds_by_run_name) if options.times else None
    inputs.raise_faults_or_print_notes()
    check_order_and_print_ineffective_options(options, files.runs)
    reports = _build_score_reports(options, files, maps, format_short_file_sha256(gold))
    if options.plot:
        # Imported here because loading the plots takes longer than scoring most runs.
        from evaluation.commands.plots.score_sheet import write_score_plots

        write_score_plots(options, files, maps, reports, times)
    print(format_score_reports(reports, options.format))
    return 0


def _check_score_options(options: Namespace, runs: Sequence[str]) -> None:
    """UsageError when files or options are missing or do not fit together."""
    if not runs:
        raise UsageError("Give at least two files: one or more runs and, as the last file, the gold standard.")
    check_task_options(options)
    check_plot_and_times_options(options)
    if options.seed is not None and options.bootstrap is None:
        raise UsageError("--seed is the random seed of --bootstrap; give both options or neither.")
    if options.per_organism and not options.organisms:
        raise UsageError("--per-organism needs --organisms FILE with the taxon of each accession.")


def _build_score_reports(options: Namespace, files: TaskFiles, maps: ScoringMaps, checksum: str) -> list[ScoreReport]:
    """The reports of all runs; checksum: that of the gold standard."""
    return [_build_score_report(options, run_file, files, maps, checksum) for run_file in files.runs]


def _build_score_report(
    options: Namespace, run_file: RunFileTable, files: TaskFiles, maps: ScoringMaps, checksum: str
) -> ScoreReport:
    gold = files.get_gold_for_runs([run_file])
    if options.task in ITEM_TASKS | LABEL_TASKS:
        score = score_open_run(options, run_file, files, maps)
    else:
        score = score_run_table(options, run_file.table, gold, maps)
    if options.bootstrap is not None:
        # Imported here because loading the modules takes longer than scoring most runs.
        from evaluation.commands.figures.intervals import (
            compute_bootstrap_intervals_by_organism,
            compute_bootstrap_intervals_of_run,
        )

        score = replace(score, intervals=compute_bootstrap_intervals_of_run(options, run_file.table, gold, maps))
        if options.per_organism:
            score = replace(
                score, organism_intervals=compute_bootstrap_intervals_by_organism(options, run_file.table, gold, maps)
            )
    return ScoreReport(
        run_file.name,
        options.task,
        get_profile_name(options),
        build_score_signature(options, run_file.table, checksum),
        score,
    )
