"""Runs and gold standards in formats of annotated text: PubTator, BioC and PubAnnotation."""

from argparse import Namespace
from typing import BinaryIO

from annotations.formats.annotated_text.document_results import (
    COUNTED_MENTIONS_BY_TASK,
    TEXT_TASKS,
    collect_document_results,
)
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS, AnnotatedTextFormat
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.tsv.result_table import DocumentResults
from evaluation.commands.errors import UsageError
from evaluation.commands.files.open_annotations import build_label_table_of_file
from evaluation.commands.options.open_task import LABEL_TASKS


def read_annotated_text_run(
    stream: BinaryIO, source: str, options: Namespace, result_format: ResultFormat
) -> DocumentResults:
    """Read a run in one of ANNOTATED_TEXT_FORMATS.

    UsageError for a task or an option that does not work with the format; RefusedFileError with all errors of the file.
    """
    text_format = ANNOTATED_TEXT_FORMATS[result_format]
    for name in ("columns", "rules"):
        if getattr(options, name) is not None:
            raise UsageError(
                f"--{name} works only with tab-separated values, but {source} is {text_format.name}; leave it out."
            )
    results = _read_text_results(stream, source, options, text_format)
    order = "; lists by number of mentions, then first position" if options.task in COUNTED_MENTIONS_BY_TASK else ""
    return DocumentResults(results.table, results.note + order)


def read_nonempty_annotated_text_gold(
    stream: BinaryIO, source: str, options: Namespace, result_format: ResultFormat
) -> DocumentResults:
    """Read a gold standard in one of ANNOTATED_TEXT_FORMATS.

    UsageError for a task that the format does not support; RefusedFileError with all errors of the file, or when
    nothing in it counts.
    """
    results = _read_text_results(stream, source, options, ANNOTATED_TEXT_FORMATS[result_format])
    if not len(results.table):
        message = f"the file has no gold annotations for {options.task} ({results.note}) - choose another task or file"
        raise RefusedFileError([FormatError(source, 0, 0, "R610", message)])
    return results


def _read_text_results(
    stream: BinaryIO, source: str, options: Namespace, text_format: AnnotatedTextFormat
) -> DocumentResults:
    """The results in the file for the task, with a note on how they were read."""
    task = options.task
    if task in LABEL_TASKS:
        table, note = build_label_table_of_file(text_format.read(stream, source), options.label_set or "")
        return DocumentResults(table, f"{text_format.name}; {note}")
    if task not in TEXT_TASKS or (task == "act" and not text_format.has_classes):
        problem = f"{source} is {text_format.name}, which cannot hold results for --task {task}"
        raise UsageError(f"{problem}; use tab-separated values{', or BioC' if task == 'act' else ''}.")
    results = collect_document_results(text_format.read(stream, source), task)
    return DocumentResults(results.table, f"{text_format.name}; {results.note}")
