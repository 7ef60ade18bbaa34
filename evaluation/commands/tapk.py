"""The command `tapk`: threshold average precision of retrieval lists, in the format of the module TAP-k."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.tap_lists import read_lists
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.options.values import whole_numbers
from evaluation.measures.tap import Retrieval, TapError, TapK, is_ascending, tap_k, tap_per_list


def add_arguments(parser: ArgumentParser) -> None:
    """The options of tapk."""
    add = parser.add_argument
    add(
        "file", metavar="FILE", help="blocks between blank lines: query and weight, number relevant, then 0|1 and score"
    )
    add("-k", type=whole_numbers, default=[5, 10, 20], metavar="K", help="numbers of errors (default: 5,10,20)")
    add("--pad", action="store_true", help="where half of the lists have fewer than k errors, use whole lists")
    add("--per-list", action="store_true", help="cut each list at its own k-th error")
    add("--format", choices=("table", "json"), default="table", help="how the figures are written (default: table)")


def run(options: Namespace) -> int:
    """Print TAP-k for every k; 0. RefusedFileError for a file with faults or without an E_k."""
    if options.pad and options.per_list:
        raise UsageError("--pad does not go with --per-list, which has no common threshold; choose one of the two.")
    lists = read(options.file)
    try:
        ascending = is_ascending(lists)
        figures = [tap_of(lists, k, options, ascending=ascending) for k in options.k]
    except TapError as error:
        raise RefusedFileError([FormatError(options.file, 0, 0, "R628", f"{error.wrong} - {error.mend}")]) from None
    print(as_json(figures) if options.format == "json" else "\n".join(as_table(figures)))
    return 0


def read(path: str) -> list[Retrieval]:
    inputs = Inputs()
    lists = inputs.read(path, read_lists)
    inputs.finish()
    return [Retrieval(own.query, own.relevant, own.hits, own.scores, own.weight) for own in lists or ()]


def tap_of(lists: Sequence[Retrieval], k: int, options: Namespace, *, ascending: bool) -> TapK:
    if options.per_list:
        return tap_per_list(lists, k)
    return tap_k(lists, k, ascending=ascending, pad=options.pad)


def as_json(figures: Sequence[TapK]) -> str:
    return json.dumps({"tapk": [asdict(own) for own in figures]}, indent=2)


def as_table(figures: Sequence[TapK]) -> list[str]:
    """One row for each k, then one for each query and k."""
    means = [[str(own.k), "none" if own.e_k is None else f"{own.e_k:g}", f"{own.tap_k:.5f}"] for own in figures]
    queries = [[name, *(f"{own.queries[name]:.5f}" for own in figures)] for name in figures[0].queries]
    head = ["query", *(f"TAP-{own.k}" for own in figures)]
    return [*aligned([["k", "E_k", "TAP-k"], *means]), "", *aligned([head, *queries])]
