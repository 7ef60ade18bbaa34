"""The command `tapk`: threshold average precision of retrieval lists, in the format of the module TAP-k."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tap.reader import read_tap_lists
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.options.values import parse_comma_separated_positive_counts
from evaluation.measures.tap import (
    QueryRetrieval,
    TapError,
    TapK,
    check_each_list,
    check_lists_and_detect_ascending_scores,
    compute_tap_at_own_kth_error,
    compute_tap_k,
)


def add_arguments(parser: ArgumentParser) -> None:
    """The options of tapk."""
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        help="blocks separated by blank lines: query and weight, number of relevant records, then 0|1 and score",
    )
    add(
        "-k",
        type=parse_comma_separated_positive_counts,
        default=[5, 10, 20],
        metavar="K",
        help="numbers of errors (default: 5,10,20)",
    )
    add("--pad", action="store_true", help="use whole lists when fewer than half of them have k errors")
    add("--per-list", action="store_true", help="cut each list at its own k-th error")
    add("--format", choices=("table", "json"), default="table", help="output format (default: table)")


def run(options: Namespace) -> int:
    """Print TAP-k for every k; return 0. RefusedFileError for an invalid file, or when there is no E_k."""
    if options.pad and options.per_list:
        raise UsageError("--pad does not work with --per-list, which has no common threshold; choose one of the two.")
    lists = _read_retrieval_lists(options.file)
    try:
        figures = _compute_requested_taps(lists, options)
    except TapError as error:
        raise RefusedFileError([FormatError(options.file, 0, 0, "R628", f"{error.wrong} - {error.fix}")]) from None
    print(_format_tap_json(figures) if options.format == "json" else "\n".join(_format_tap_table(figures)))
    return 0


def _read_retrieval_lists(path: str) -> list[QueryRetrieval]:
    inputs = InputFiles()
    lists = inputs.read_input(path, read_tap_lists)
    inputs.raise_faults_or_print_notes()
    return [
        QueryRetrieval(block.query, block.relevant, block.hits, block.scores, block.weight) for block in lists or ()
    ]


def _compute_requested_taps(lists: Sequence[QueryRetrieval], options: Namespace) -> list[TapK]:
    if options.per_list:
        check_each_list(lists)
        return [compute_tap_at_own_kth_error(lists, k) for k in options.k]
    ascending = check_lists_and_detect_ascending_scores(lists)
    return [compute_tap_k(lists, k, smallest_is_best=ascending, pad_if_too_few_errors=options.pad) for k in options.k]


def _format_tap_json(figures: Sequence[TapK]) -> str:
    return json.dumps({"tapk": [asdict(tap) for tap in figures]}, indent=2)


def _format_tap_table(figures: Sequence[TapK]) -> list[str]:
    """One row for each k, then one for each query and k."""
    means = [[str(tap.k), "none" if tap.e_k is None else f"{tap.e_k:g}", f"{tap.tap_k:.5f}"] for tap in figures]
    queries = [[name, *(f"{tap.queries[name]:.5f}" for tap in figures)] for name in figures[0].queries]
    head = ["query", *(f"TAP-{tap.k}" for tap in figures)]
    return [
        *align_first_column_left_others_right([["k", "E_k", "TAP-k"], *means]),
        "",
        *align_first_column_left_others_right([head, *queries]),
    ]
