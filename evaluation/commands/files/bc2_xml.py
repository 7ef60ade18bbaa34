"""Runs and gold standards in BioCreative II XML, with optional repair of errors."""

from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.bc2_xml.reader import BC2_TASKS, read_bc2_gold_refusing_iss, read_bc2_run
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.tsv.map_reader import read_identifier_by_name
from annotations.formats.tsv.result_table import ResultTable
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file
from evaluation.commands.options.task import find_extra_columns_given_by_option, get_run_rules


@dataclass(frozen=True, slots=True)
class RepairOptions:
    """How to read BioCreative II XML. repair: whether errors are repaired; names: {name: identifier} for the repair."""

    repair: bool
    names: Mapping[str, str]


def read_repair_options_noting_faults(
    options: Namespace, input_paths: Sequence[str], inputs: InputFiles
) -> RepairOptions:
    """The values of --mend and --names; errors in the table of names are collected in inputs.

    UsageError for --names without --mend, or for --mend when no file is BioCreative II XML.
    """
    if options.names and not options.mend:
        raise UsageError("--names FILE has the identifiers that --mend writes; give both options or neither.")
    if options.mend and not any(_is_bc2_xml_file(path) for path in input_paths):
        raise UsageError("--mend works only with BioCreative II XML, but no file has this format; leave it out.")
    names = inputs.read_input(options.names, read_identifier_by_name) if options.names else None
    return RepairOptions(bool(options.mend), names or {})


def _is_bc2_xml_file(path: str) -> bool:
    with open_regular_input_file(path) as stream:
        return sniff_result_format_else_tsv(stream) == ResultFormat.BC2_XML


def read_bc2_xml_run_with_options(
    stream: BinaryIO,
    source: str,
    options: Namespace,
    checked_article_names: Collection[str] | None,
    repair_options: RepairOptions,
    *,
    ignores_ranks: bool,
) -> ResultTable:
    """Read a run. UsageError for a task without this format; RefusedFileError with all errors of the file."""
    _check_bc2_task(source, options.task)
    return read_bc2_run(
        stream,
        options.task,
        source,
        rules=get_run_rules(options),
        expected_extra_columns=find_extra_columns_given_by_option(options),
        repeat_checked_articles=checked_article_names,
        allow_repeated_ranks=ignores_ranks,
        repair=repair_options.repair,
        identifier_by_name=repair_options.names,
    )


def read_bc2_xml_gold_with_options(
    stream: BinaryIO, source: str, options: Namespace, repair_options: RepairOptions
) -> ResultTable:
    """Read a gold standard. UsageError for a task without this format; RefusedFileError with all errors."""
    _check_bc2_task(source, options.task)
    return read_bc2_gold_refusing_iss(
        stream, options.task, source, repair=repair_options.repair, identifier_by_name=repair_options.names
    )


def _check_bc2_task(source: str, task: str) -> None:
    if task not in BC2_TASKS:
        raise UsageError(
            f"{source} is BioCreative II XML, which is for {', '.join(sorted(BC2_TASKS))}; "
            f"--task {task} needs tab-separated values."
        )


def iter_repair_lines(table: ResultTable) -> Iterable[str]:
    """One line for each repair in a file."""
    for repair in table.repairs:
        yield f"{repair.source}:{repair.line}:{repair.column}: {repair.rule} repaired: {repair.message}"
