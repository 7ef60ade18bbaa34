"""The command `causes`: the likely causes of a run's false negatives and false positives."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import Span
from evaluation.analyses.error_causes import (
    ErrorCause,
    ErrorKnowledge,
    ScoringError,
    count_error_causes_false_negatives_first,
    group_items_remaining_after_cuts_by_document,
    list_errors_with_likely_causes,
)
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import REPORT_FORMATS
from evaluation.commands.figures.run_scores import choose_span_match
from evaluation.commands.figures.text_tables import align_first_column_left_others_right
from evaluation.commands.files.inputs import InputFiles
from evaluation.commands.files.scoring_maps import ScoringMaps, read_scoring_maps_noting_faults
from evaluation.commands.files.table_columns import convert_gold_table, convert_run_table
from evaluation.commands.files.task_files import (
    check_order_and_print_ineffective_options,
    read_task_files_noting_faults,
)
from evaluation.commands.options.open_task import ITEM_TASKS, LABEL_TASKS
from evaluation.commands.options.scenario import add_order_option
from evaluation.commands.options.task import (
    LIST_TASKS,
    MENTION_TASKS,
    add_task_and_run_reading_options,
    check_command_task_and_options,
)
from evaluation.commands.options.values import parse_last_rank_or_zero, parse_unit_interval_number
from evaluation.measures.columns import CodedColumn, GoldColumns, Item, LabelItem, MentionItem, RelationItem, RunColumns
from evaluation.measures.lists.scenarios import ScoringScenario


def add_arguments(parser: ArgumentParser) -> None:
    """The options of causes. Here homonyms and organisms only explain errors; they do not change the scoring."""
    add = parser.add_argument
    add(
        "files",
        nargs="+",
        metavar="FILE",
        help="the run, optional other runs to compare with, and the gold standard as the last",
    )
    add_task_and_run_reading_options(parser)
    add_order_option(parser)
    add(
        "--cutoff-rank",
        type=parse_last_rank_or_zero,
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
    parser.set_defaults(swissprot=None, alternatives=None, spans=None)


def run(options: Namespace) -> int:
    """Print the causes after checking all files; return 0."""
    check_command_task_and_options(options, LIST_TASKS | MENTION_TASKS | ITEM_TASKS | LABEL_TASKS, "causes")
    *runs, gold = options.files
    if not runs:
        raise UsageError("Give at least two files: the run and, as the last file, the gold standard.")
    inputs = InputFiles()
    files = read_task_files_noting_faults(options, runs, gold, inputs, ignores_ranks=options.order == "line")
    maps = read_scoring_maps_noting_faults(options, inputs, files)
    inputs.raise_faults_or_print_notes()
    analysed, *others = files.runs
    check_order_and_print_ineffective_options(options, [analysed])
    has_labels = options.task in LABEL_TASKS
    lists = _convert_causes_run(analysed.table, has_labels=has_labels)
    knowledge = ErrorKnowledge(
        maps.homonyms or {},
        maps.organisms or {},
        [
            group_items_remaining_after_cuts_by_document(_convert_causes_run(other.table, has_labels=has_labels))
            for other in others
        ],
    )
    gold_columns = convert_gold_table(files.get_gold_for_runs(files.runs))
    if has_labels:
        gold_columns = GoldColumns(gold_columns.document, _mark_labels(gold_columns.item))
    errors = list_errors_with_likely_causes(gold_columns, lists, _build_causes_scenario(options, maps), knowledge)
    print(
        {"json": _format_causes_json, "tsv": _format_causes_tsv, "table": _format_causes_table}[options.format](errors)
    )
    return 0


def _convert_causes_run(table: ResultTable, *, has_labels: bool) -> RunColumns:
    """The results of a run; labels have no order."""
    columns = convert_run_table(table)
    return RunColumns(columns.document, _mark_labels(columns.item)) if has_labels else columns


def _mark_labels(column: CodedColumn[Item]) -> CodedColumn[Item]:
    return CodedColumn([LabelItem(str(name)) for name in column.names], column.codes)


def _build_causes_scenario(options: Namespace, maps: ScoringMaps) -> ScoringScenario:
    """The scenario: cuts, accepted alternatives, and all documents, also those without a gold item."""
    return ScoringScenario(
        order=options.order,
        cutoff_rank=options.cutoff_rank or None,
        min_confidence=options.min_confidence,
        spans=choose_span_match(options),
        alternatives=maps.alternatives,
        empty_documents=True,
    )


def _format_causes_json(errors: Sequence[ScoringError]) -> str:
    """The number of errors by cause, and every error; instead: the item with which it was confused, or null."""
    values = {
        "causes": [
            {"fault": _name_error_type(is_false_negative=is_false_negative), "cause": cause, "number": number}
            for is_false_negative, cause, number in count_error_causes_false_negatives_first(errors)
        ],
        "faults": [
            {
                "document": error.document,
                "fault": _name_error_type(is_false_negative=error.is_false_negative),
                "item": _build_item_json(error.item),
                "cause": error.cause,
                "instead": error.counterpart_item and _build_item_json(error.counterpart_item),
            }
            for error in errors
        ],
    }
    return json.dumps(values, indent=2)


def _build_item_json(item: Item) -> object:
    if isinstance(item, LabelItem):
        return item.value
    return item._asdict() if isinstance(item, MentionItem | RelationItem) else item


def _name_error_type(*, is_false_negative: bool) -> str:
    return "miss" if is_false_negative else "false alarm"


def _format_causes_tsv(errors: Sequence[ScoringError]) -> str:
    """One line for each error."""
    rows = [
        [
            error.document,
            _name_error_type(is_false_negative=error.is_false_negative),
            _format_scored_item(error.item),
            error.cause,
            _format_scored_item(error.counterpart_item) if error.counterpart_item else "",
        ]
        for error in errors
    ]
    return "\n".join("\t".join(row) for row in [["document", "fault", "item", "cause", "instead"], *rows])


def _format_scored_item(item: Item) -> str:
    """An item as one cell: a pair separated by a space, a mention as the first and last character of each part."""
    if isinstance(item, Span):
        return f"{item.start} {item.end - 1}"
    if isinstance(item, MentionItem):
        parts = " ".join(f"{part.start} {part.end - 1}" for part in item.parts)
        return f"{parts} {item.name}".rstrip()
    if isinstance(item, RelationItem):
        negation = "not" if item.negated else ""
        return " ".join(filter(None, (negation, item.type, *item.arguments, item.novelty)))
    return item if isinstance(item, str) else " ".join(item)


def _format_causes_table(errors: Sequence[ScoringError]) -> str:
    """The number of errors by cause, and their share of all false negatives or of all false positives."""
    rows = [
        _format_cause_row(cause, number, is_false_negative, errors)
        for is_false_negative, cause, number in count_error_causes_false_negatives_first(errors)
    ]
    return (
        "\n".join(align_first_column_left_others_right([["fault", "number", "share"], *rows]))
        if rows
        else "No false negatives and no false positives."
    )


def _format_cause_row(
    cause: ErrorCause, number: int, is_false_negative: bool, errors: Sequence[ScoringError]
) -> list[str]:
    total = sum(error.is_false_negative == is_false_negative for error in errors)
    return [f"{_name_error_type(is_false_negative=is_false_negative)}: {cause}", str(number), f"{number / total:.1%}"]
