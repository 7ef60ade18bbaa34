"""The command `check`: whether runs have the format of their task, and which of their articles are unknown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from annotations.formats.tsv.result_table import ResultTable
from evaluation.commands.figures.text_tables import format_name_list_with_rest_count
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.task_files import RunFileTable, read_task_files_noting_faults
from evaluation.commands.options.task import add_task_and_run_reading_options, check_task_options


def add_arguments(parser: ArgumentParser) -> None:
    """The options of check."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="runs to check")
    add_task_and_run_reading_options(parser)
    parser.add_argument("--gold", metavar="FILE", help="a gold standard, which is checked, too")


def run(options: Namespace) -> int:
    """Check all files and describe the runs; return 0. RefusedFileError with all errors of all files."""
    check_task_options(options)
    inputs = InputFiles(every_warning=True)
    files = read_task_files_noting_faults(options, options.files, options.gold, inputs, ignores_ranks=False)
    inputs.raise_faults_or_print_notes()
    for checked in files.runs:
        print("\n".join(_iter_check_lines(checked, None if files.gold is None else files.get_gold_for_runs([checked]))))
    return 0


def _iter_check_lines(run: RunFileTable, gold: ResultTable | None) -> Iterator[str]:
    """The contents of a valid run; gold: None without a gold standard."""
    yield f"{run.path}: no errors; results: {len(run.table):,}, articles: {len(run.table.article.names):,}"
    if gold is not None:
        known = frozenset(gold.article.names)
        unknown = [name for name in run.table.article.names if name not in known]
        if unknown:
            yield f"{run.path}: not in the gold standard: {format_name_list_with_rest_count(unknown)}"
