"""The command `agree`: how far two or more producers say the same."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from evaluation.analyses.agreements import Agreements, of_items, of_labels
from evaluation.analyses.causes import reported_items
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS, NOT_GIVEN, shown
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.columns import run_calls, run_columns
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.runs import Run, read_files
from evaluation.commands.options.arguments import TASKS, add_task, check_task
from evaluation.measures.agreement import Agreement


def add_arguments(parser: ArgumentParser) -> None:
    """The options of agree."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="what each producer says, two or more")
    add_task(parser)
    parser.add_argument("--format", choices=FORMATS, default="table", help="how the figures are written")


def run(options: Namespace) -> int:
    """Compare every two producers once all files are checked; 0."""
    check_task(options, frozenset(TASKS), "agree")
    if len(options.files) < 2:
        raise UsageError("Give at least two runs to compare.")
    inputs = Inputs()
    files = read_files(options, options.files, None, inputs, by_line=False)
    inputs.finish()
    found = of_calls(files.runs) if options.task == "act" else of_lists(files.runs)
    print({"json": as_json, "tsv": as_tsv, "table": as_table}[options.format](found))
    return 0


def of_calls(runs: Sequence[Run]) -> Agreements:
    """Of classifications."""
    calls = [run_calls(own.table) for own in runs]
    labels = [dict(zip(own.article, own.relevant.tolist(), strict=True)) for own in calls]
    return of_labels([own.name for own in runs], labels)


def of_lists(runs: Sequence[Run]) -> Agreements:
    """Of identifiers.

    A run cannot say that it finds nothing, so a document that it lacks is one in which it found nothing.
    """
    named = [reported_items(run_columns(own.table)) for own in runs]
    articles = dict.fromkeys(article for own in named for article in own)
    return of_items([own.name for own in runs], [{name: own.get(name, ()) for name in articles} for own in named])


def as_json(found: Agreements) -> str:
    """All figures with full double precision; null: 0/0, or a kappa that says nothing, between two without a third."""
    values = {
        "producers": list(found.names),
        "articles": found.articles,
        "instances": found.instances,
        "fleiss_kappa": found.fleiss,
        "pairs": [{"a": found.names[a], "b": found.names[b], **asdict(own)} for (a, b), own in found.pairs.items()],
    }
    return json.dumps(values, indent=2)


def as_tsv(found: Agreements) -> str:
    """One line for every two producers."""
    rows = [[found.names[a], found.names[b], *values(own)] for (a, b), own in found.pairs.items()]
    return "\n".join("\t".join(row) for row in [["a", "b", "instances", "joint", "kappa", "f1"], *rows])


def values(own: Agreement) -> list[str]:
    figures = (own.joint, own.kappa, own.f1)
    return [str(own.instances), *(NOT_GIVEN if value is None else str(value) for value in figures)]


def as_table(found: Agreements) -> str:
    """One row for every two producers, and beneath how many articles were compared, and Fleiss' kappa."""
    rows = [
        [f"{found.names[a]} - {found.names[b]}", str(own.instances), *map(shown, (own.joint, own.kappa, own.f1))]
        for (a, b), own in found.pairs.items()
    ]
    lines = aligned([["producers", "instances", "joint", "kappa", "F1"], *rows])
    lines += ["", f"articles compared: {found.articles:,}"]
    if found.fleiss is not None:
        lines += [f"Fleiss' kappa of all {len(found.names)}: {found.fleiss:.5f}, instances: {found.instances:,}"]
    return "\n".join(lines)
