"""The command `check`: whether runs have the form that their task asks for, and which of their articles are unknown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from annotations.formats.runs_tsv import Table
from evaluation.commands.figures.text import listed
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.runs import Run, read_files
from evaluation.commands.options.arguments import add_task, check_options


def add_arguments(parser: ArgumentParser) -> None:
    """The options of check."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="runs")
    add_task(parser)
    parser.add_argument("--gold", metavar="FILE", help="the gold standard, to be checked, too")


def run(options: Namespace) -> int:
    """Check all files and say what is in the runs; 0. RefusedFileError with all faults of all files."""
    check_options(options)
    inputs = Inputs(every_warning=True)
    files = read_files(options, options.files, options.gold, inputs, by_line=False)
    inputs.finish()
    for own in files.runs:
        print("\n".join(found(own, None if files.gold is None else files.gold_for([own]))))
    return 0


def found(own: Run, gold: Table | None) -> Iterator[str]:
    """What a run without faults holds."""
    yield f"{own.path}: no fault; results: {len(own.table):,}, articles: {len(own.table.article.names):,}"
    if gold is not None:
        known = frozenset(gold.article.names)
        unknown = [name for name in own.table.article.names if name not in known]
        if unknown:
            yield f"{own.path}: not in the gold standard: {listed(unknown)}"
