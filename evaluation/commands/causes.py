"""The command `causes`: the likely causes of a run's false negatives and false positives."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from evaluation.analyses.error_causes import (
    ErrorCause,
    ErrorKnowledge,
    ScoringError,
    count_errors_by_cause,
    group_reported_items_by_document,
    list_scoring_errors,
)
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import REPORT_FORMATS
from evaluation.commands.figures.text_tables import align_columns
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.scoring_maps import ScoringMaps, read_scoring_maps
from evaluation.commands.files.table_columns import convert_gold_table, convert_run_table
from evaluation.commands.files.task_files import print_option_mismatches, read_task_files
from evaluation.commands.options.scenario import add_order_option
from evaluation.commands.options.task import LIST_TASKS, MENTION_TASKS, add_task_options, check_command_task
from evaluation.commands.options.values import parse_last_rank, parse_unit_interval_number
from evaluation.measures.columns import Item
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.mentions.spans import Span


def add_arguments(parser: ArgumentParser) -> None:
    """The options of causes. Here homonyms and organisms only explain errors; they do not change the scoring."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="the run, optional other runs to compare with, and the gold standard as the last",
    )
    add_task_options(parser)
    add_order_option(parser)
    add(
        "--cutoff-rank",
        type=parse_last_rank,
        metavar="K",
        help="only the first K results of each document count (0: all)",
    )
    add(
        "--min-confidence", type=parse_unit_interval_number, metavar="C", help="a list ends at its first result below C"
    )
    add(
        "--homonyms",
        metavar="FILE",
        help="accessions with the same name: gold accession, tab, comma-separated accessions",
    )
    add("--organisms", metavar="FILE", help="taxa: accession, tab, taxon")
    add(
        "--format",
        choices=REPORT_FORMATS,
        default="table",
        help="counts (table, default), every error (tsv) or both (json)",
    )
    parser.set_defaults(swissprot=None, alternatives=None)


def run(options: Namespace) -> int:
    """Print the causes after checking all files; return 0."""
    check_command_task(options, LIST_TASKS | MENTION_TASKS, "causes")
    *runs, gold = options.files
    if not runs:
        raise UsageError("Give at least two files: the run and, as the last file, the gold standard.")
    inputs = InputFiles()
    files = read_task_files(options, runs, gold, inputs, by_line=options.order == "line")
    maps = read_scoring_maps(options, inputs, files)
    inputs.raise_faults_or_print_notes()
    analysed, *others = files.runs
    print_option_mismatches(options, [analysed])
    lists = convert_run_table(analysed.table)
    knowledge = ErrorKnowledge(
        maps.homonyms or {},
        maps.organisms or {},
        [group_reported_items_by_document(convert_run_table(other.table)) for other in others],
    )
    errors = list_scoring_errors(
        convert_gold_table(files.get_gold_for_runs(files.runs)), lists, build_causes_scenario(options, maps), knowledge
    )
    print({"json": format_causes_json, "tsv": format_causes_tsv, "table": format_causes_table}[options.format](errors))
    return 0


def build_causes_scenario(options: Namespace, maps: ScoringMaps) -> ScoringScenario:
    """The scenario: cuts, accepted alternatives, and all documents, also those without a gold item."""
    return ScoringScenario(
        order=options.order,
        cutoff_rank=options.cutoff_rank or None,
        min_confidence=options.min_confidence,
        alternatives=maps.alternatives,
        empty_documents=True,
    )


def format_causes_json(errors: Sequence[ScoringError]) -> str:
    """The number of errors by cause, and every error; instead: the item with which it was confused, or null."""
    values = {
        "causes": [
            {"fault": name_error_type(is_false_negative=is_false_negative), "cause": cause, "number": number}
            for is_false_negative, cause, number in count_errors_by_cause(errors)
        ],
        "faults": [
            {
                "document": error.document,
                "fault": name_error_type(is_false_negative=error.is_false_negative),
                "item": error.item,
                "cause": error.cause,
                "instead": error.counterpart_item,
            }
            for error in errors
        ],
    }
    return json.dumps(values, indent=2)


def name_error_type(*, is_false_negative: bool) -> str:
    return "miss" if is_false_negative else "false alarm"


def format_causes_tsv(errors: Sequence[ScoringError]) -> str:
    """One line for each error."""
    rows = [
        [
            error.document,
            name_error_type(is_false_negative=error.is_false_negative),
            format_scored_item(error.item),
            error.cause,
            format_scored_item(error.counterpart_item) if error.counterpart_item else "",
        ]
        for error in errors
    ]
    return "\n".join("\t".join(row) for row in [["document", "fault", "item", "cause", "instead"], *rows])


def format_scored_item(item: Item) -> str:
    """An item as one cell: a pair separated by a space, a mention as its first and last character."""
    if isinstance(item, Span):
        return f"{item.start} {item.end - 1}"
    return item if isinstance(item, str) else " ".join(item)


def format_causes_table(errors: Sequence[ScoringError]) -> str:
    """The number of errors by cause, and their share of all false negatives or of all false positives."""
    rows = [
        format_cause_row(cause, number, is_false_negative, errors)
        for is_false_negative, cause, number in count_errors_by_cause(errors)
    ]
    return (
        "\n".join(align_columns([["fault", "number", "share"], *rows]))
        if rows
        else "No false negatives and no false positives."
    )


def format_cause_row(
    cause: ErrorCause, number: int, is_false_negative: bool, errors: Sequence[ScoringError]
) -> list[str]:
    total = sum(error.is_false_negative == is_false_negative for error in errors)
    return [f"{name_error_type(is_false_negative=is_false_negative)}: {cause}", str(number), f"{number / total:.1%}"]
