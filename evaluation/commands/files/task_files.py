"""Runs and gold standard of one task; all files are checked before any is used, so all errors appear at once.

The readers of mentions and of other annotations are imported for the tasks that need them.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotations.formats.tsv.result_table import DocumentResults, ResultTable
from annotations.schema import Span
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file, print_to_stderr
from evaluation.commands.files.list_files import read_gold_in_detected_format, read_run_in_detected_format
from evaluation.commands.files.repair import iter_repair_lines, read_repair_options_noting_faults
from evaluation.commands.options.open_task import ITEM_TASKS, build_task_settings, choose_item_form_of_task


@dataclass(frozen=True, slots=True)
class RunFileTable:
    """A valid run. name: its name in reports; table_by_type: the table of each type of the gold standard, if asked."""

    name: str
    path: str
    table: ResultTable
    table_by_type: Mapping[str, ResultTable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The valid runs and the gold standard of one task; gold is None when there is none.

    ignores_white_space: offsets of mentions do not count white space, and files name only sentences with a mention;
    alternatives: {document: spans that a gold standard accepts instead of genes}, None if it has none; gold_by_type:
    {type: the gold standard of this type}, {} for tasks without types.
    """

    runs: Sequence[RunFileTable]
    gold: ResultTable | None
    ignores_white_space: bool = False
    alternatives: Mapping[str, Collection[Span]] | None = None
    gold_by_type: Mapping[str, ResultTable] = field(default_factory=dict)

    def get_gold_for_runs(self, runs: Sequence[RunFileTable]) -> ResultTable:
        """The gold standard for scoring these runs. ValueError when there is none."""
        if self.gold is None:
            raise ValueError("There is no gold standard for these runs; give one to read_task_files_noting_faults.")
        if not self.ignores_white_space:
            return self.gold
        from evaluation.commands.files.mention_files import build_gold_with_run_documents

        return build_gold_with_run_documents(self.gold, [run.table for run in runs])


def read_task_files_noting_faults(
    options: Namespace, run_paths: Sequence[str], gold_path: str | None, inputs: InputFiles, *, ignores_ranks: bool
) -> TaskFiles:
    """Read runs and gold standard; their errors and notes are collected in inputs.

    ignores_ranks: lists are sorted by line, so ranks are ignored.
    """
    paths = (*run_paths, *([gold_path] if gold_path else []))
    for path in paths:
        open_regular_input_file(path).close()
    if options.task == "gm":
        return _read_mention_task_files(options, run_paths, gold_path, inputs)
    if options.task in ITEM_TASKS:
        return _read_item_task_files(options, run_paths, gold_path, inputs)
    repair_options = read_repair_options_noting_faults(options, paths, inputs)
    gold_results = (
        inputs.read_input(
            gold_path, lambda stream, source: read_gold_in_detected_format(stream, source, options, repair_options)
        )
        if gold_path
        else None
    )
    known = None if gold_results is None else frozenset(gold_results.table.article.names)

    def reader(stream: BinaryIO, source: str) -> DocumentResults:
        return read_run_in_detected_format(stream, source, options, known, repair_options, ignores_ranks=ignores_ranks)

    results = [inputs.read_input(path, reader) for path in run_paths]
    for path, file_results in zip((*run_paths, gold_path or ""), (*results, gold_results), strict=True):
        if file_results is not None:
            inputs.notes += [
                *([f"{path}: {file_results.note}"] if file_results.note else []),
                *iter_repair_lines(file_results.table),
            ]
            inputs.add_warnings(path, file_results.table.warnings)
    named_results = zip(_name_run_files(run_paths), run_paths, results, strict=True)
    run_files = [
        RunFileTable(name, path, file_results.table)
        for name, path, file_results in named_results
        if file_results is not None
    ]
    return TaskFiles(run_files, None if gold_results is None else gold_results.table)


def _read_mention_task_files(
    options: Namespace, runs: Sequence[str], gold: str | None, inputs: InputFiles
) -> TaskFiles:
    """Read runs and gold standard of gene mentions; their errors and notes are collected in inputs."""
    from evaluation.commands.files.mention_files import read_mention_files_noting_faults

    files = read_mention_files_noting_faults(runs, gold, getattr(options, "alternatives", None), inputs)
    names = dict(zip(runs, _name_run_files(runs), strict=True))
    run_files = [RunFileTable(names[file.path], file.path, file.table) for file in files.runs]
    gold_file = files.gold
    return TaskFiles(
        run_files,
        gold_file.table if gold_file else None,
        files.ignores_white_space,
        gold_file.alternatives if gold_file else None,
    )


def _read_item_task_files(
    options: Namespace, run_paths: Sequence[str], gold_path: str | None, inputs: InputFiles
) -> TaskFiles:
    """Read runs and gold standard of entities and relations; their errors and notes are collected in inputs."""
    from evaluation.commands.files.open_annotations import (
        build_item_tables,
        describe_open_file,
        note_gold_without_items,
        read_open_file_noting_faults,
    )

    form, settings = choose_item_form_of_task(options), build_task_settings(options)
    gold = read_open_file_noting_faults(gold_path, inputs, form, name_type=settings.name_type) if gold_path else None
    gold_tables = build_item_tables(form, gold, settings, gold) if gold else None
    if gold and gold_tables:
        note_gold_without_items(gold, gold_tables, inputs)
    run_files = []
    for path, name in zip(run_paths, _name_run_files(run_paths), strict=True):
        file = read_open_file_noting_faults(path, inputs, form if gold else None, gold, settings.name_type)
        if file is not None:
            inputs.notes.append(f"{path}: {describe_open_file(file)}")
            tables = build_item_tables(form, file, settings, gold)
            run_files.append(RunFileTable(name, path, tables.table, tables.table_by_type))
    if gold_tables is None:
        return TaskFiles(run_files, None)
    return TaskFiles(run_files, gold_tables.table, gold_by_type=gold_tables.table_by_type)


def _name_run_files(paths: Sequence[str]) -> list[str]:
    """The names of the files without extension; full paths for those that would have the same name."""
    stems = Counter(Path(path).stem for path in paths)
    return [Path(path).stem if stems[Path(path).stem] == 1 else path for path in paths]


def check_order_and_print_ineffective_options(options: Namespace, runs: Sequence[RunFileTable]) -> None:
    """Print notes on options without effect on a run. UsageError when a run does not have the column of --order."""
    for run in runs:
        print_to_stderr(_list_option_mismatches(options, run))


def _list_option_mismatches(options: Namespace, run: RunFileTable) -> list[str]:
    """Notes on options without effect on a run. UsageError when it does not have the column of --order."""
    if options.order in ("rank", "confidence") and options.order not in run.table.extras:
        raise UsageError(f"{run.path} has no {options.order} column; choose another --order.")
    if options.min_confidence is not None and run.table.confidence is None:
        return [f"{run.path}: no confidences, so --min-confidence has no effect"]
    return []
