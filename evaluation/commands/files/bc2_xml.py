"""Runs and gold standards in BioCreative II XML."""

from argparse import Namespace
from collections.abc import Collection
from typing import BinaryIO

from annotations.formats.bc2_xml.reader import read_bc2_gold_refusing_iss, read_bc2_run
from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.formats.tsv.result_table import ResultTable
from evaluation.commands.errors import UsageError
from evaluation.commands.files.repair import RepairOptions
from evaluation.commands.options.task import find_extra_columns_given_by_option, get_run_rules


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
