"""The command `agree`: inter-annotator agreement of two or more producers."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict

from evaluation.analyses.error_causes import group_items_remaining_after_cuts_by_document
from evaluation.analyses.producer_agreement import (
    ProducerAgreement,
    compute_agreement_on_article_labels,
    compute_agreement_on_shared_article_items,
)
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import NO_VALUE, REPORT_FORMATS, format_figure_or_na
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.table_columns import convert_run_calls, convert_run_table
from evaluation.commands.files.task_files import RunFileTable, read_task_files_noting_faults
from evaluation.commands.options.task import (
    TASK_CHOICES,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.measures.agreement import PairwiseAgreement


def add_arguments(parser: ArgumentParser) -> None:
    """The options of agree."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="two or more runs, one for each producer")
    add_task_and_run_reading_options(parser)
    parser.add_argument("--format", choices=REPORT_FORMATS, default="table", help="output format (default: table)")


def run(options: Namespace) -> int:
    """Compare every two producers after checking all files; return 0."""
    check_command_task_and_options(options, frozenset(TASK_CHOICES), "agree")
    if len(options.files) < 2:
        raise UsageError("Give at least two runs to compare.")
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, options.files, None, inputs, ignores_ranks=False)
    inputs.raise_faults_or_print_notes()
    agreement = (
        _compute_run_call_agreement(files.runs) if options.task == "act" else _compute_run_item_agreement(files.runs)
    )
    print(
        {"json": _format_agreement_json, "tsv": _format_agreement_tsv, "table": _format_agreement_table}[
            options.format
        ](agreement)
    )
    return 0


def _compute_run_call_agreement(runs: Sequence[RunFileTable]) -> ProducerAgreement:
    """Agreement of classifications."""
    run_calls = [convert_run_calls(run.table) for run in runs]
    labels = [dict(zip(calls.article, calls.relevant.tolist(), strict=True)) for calls in run_calls]
    return compute_agreement_on_article_labels([run.name for run in runs], labels)


def _compute_run_item_agreement(runs: Sequence[RunFileTable]) -> ProducerAgreement:
    """Agreement on items.

    A run cannot report that it found nothing, so a document that is not in it counts as one without items.
    """
    items_of_runs = [group_items_remaining_after_cuts_by_document(convert_run_table(run.table)) for run in runs]
    articles = dict.fromkeys(article for items in items_of_runs for article in items)
    return compute_agreement_on_shared_article_items(
        [run.name for run in runs],
        [{article: items.get(article, ()) for article in articles} for items in items_of_runs],
    )


def _format_agreement_json(agreement: ProducerAgreement) -> str:
    """All figures with full double precision; null for 0/0, and for kappa without a third producer."""
    values = {
        "producers": list(agreement.names),
        "articles": agreement.articles,
        "instances": agreement.instances,
        "fleiss_kappa": agreement.fleiss,
        "pairs": [
            {"a": agreement.names[a], "b": agreement.names[b], **asdict(pair)}
            for (a, b), pair in agreement.pairs.items()
        ],
    }
    return json.dumps(values, indent=2)


def _format_agreement_tsv(agreement: ProducerAgreement) -> str:
    """One line for every two producers."""
    rows = [
        [agreement.names[a], agreement.names[b], *_format_agreement_values(pair)]
        for (a, b), pair in agreement.pairs.items()
    ]
    return "\n".join("\t".join(row) for row in [["a", "b", "instances", "joint", "kappa", "f1"], *rows])


def _format_agreement_values(pair: PairwiseAgreement) -> list[str]:
    figures = (pair.joint, pair.kappa, pair.f1)
    return [str(pair.instances), *(NO_VALUE if value is None else str(value) for value in figures)]


def _format_agreement_table(agreement: ProducerAgreement) -> str:
    """One row for every two producers, followed by the number of articles compared and Fleiss' kappa."""
    rows = [
        [
            f"{agreement.names[a]} - {agreement.names[b]}",
            str(pair.instances),
            *map(format_figure_or_na, (pair.joint, pair.kappa, pair.f1)),
        ]
        for (a, b), pair in agreement.pairs.items()
    ]
    lines = align_first_column_left_others_right([["producers", "instances", "joint", "kappa", "F1"], *rows])
    lines += ["", f"articles compared: {agreement.articles:,}"]
    if agreement.fleiss is not None:
        lines += [
            f"Fleiss' kappa of all {len(agreement.names)}: {agreement.fleiss:.5f}, instances: {agreement.instances:,}"
        ]
    return "\n".join(lines)
