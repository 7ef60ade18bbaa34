"""The command `agree`: how far two or more producers say the same."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import nan

from evaluation.analyses.causes import reported_items
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import FORMATS, NOT_GIVEN, shown
from evaluation.commands.figures.text import aligned
from evaluation.commands.files.columns import run_calls, run_columns
from evaluation.commands.files.inputs import Inputs
from evaluation.commands.files.runs import Run, read_files
from evaluation.commands.options.arguments import TASKS, add_task, check_task
from evaluation.measures.agreement import Agreement, defined, fleiss_kappa, item_agreement, label_agreement, presence


@dataclass(frozen=True, slots=True)
class Agreements:
    """By the places of two producers; fleiss: kappa of all of them, None of two or where it is 0/0.

    articles: those of which any producer says something, in ACT all; instances: what is said of these, or, in ACT, they
    themselves.
    """

    names: Sequence[str]
    pairs: Mapping[tuple[int, int], Agreement]
    fleiss: float | None
    instances: int
    articles: int


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
    """Of classifications: the articles that both of two, and for kappa of all those that all, call so or so."""
    labels = [dict(zip(own.article, own.relevant.tolist(), strict=True)) for own in (run_calls(r.table) for r in runs)]
    pairs = {(a, b): label_agreement(labels[a], labels[b]) for a, b in combinations(range(len(runs)), 2)}
    shared = [[own[article] for own in labels] for article in labels[0] if all(article in own for own in labels)]
    return agreements(runs, pairs, shared, len(shared))


def of_lists(runs: Sequence[Run]) -> Agreements:
    """Of identifiers: what all together report.

    A run cannot say that it finds nothing, so a document that it lacks is one
    in which it found nothing; left out, such disagreement would not be seen.
    """
    named = [reported_items(run_columns(own.table)) for own in runs]
    articles = dict.fromkeys(article for own in named for article in own)
    reported = [{article: own.get(article, ()) for article in articles} for own in named]
    return agreements(runs, item_agreement(reported), presence(reported), len(articles))


def agreements(
    runs: Sequence[Run], pairs: Mapping[tuple[int, int], Agreement], labels: Sequence[Sequence[Hashable]], articles: int
) -> Agreements:
    fleiss = defined(fleiss_kappa(labels, nan)) if len(runs) > 2 else None
    return Agreements([own.name for own in runs], pairs, fleiss, len(labels), articles)


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
