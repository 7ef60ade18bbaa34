"""Runs and gold standards taken from annotated text: PubTator, BioC and PubAnnotation."""

from argparse import Namespace
from typing import BinaryIO

from annotations.formats.annotated_text import TEXT_FORMATS, TextFormat
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.sniffing import Format
from annotations.formats.text_results import COUNTED, TEXT_TASKS, Found, results_of
from evaluation.commands.errors import UsageError


def read_text_run(stream: BinaryIO, source: str, options: Namespace, form: Format) -> Found:
    """The run in a stream of one of TEXT_FORMATS. UsageError for a task or an option that does not go with it;
    RefusedFileError with all faults."""
    own = TEXT_FORMATS[form]
    for name in ("columns", "rules"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is for tab-separated values, but {source} is {own.name}; leave it out.")
    found = results(stream, source, options.task, own)
    order = "; lists by number of mentions, then first position" if options.task in COUNTED else ""
    return Found(found.table, found.note + order)


def read_text_gold(stream: BinaryIO, source: str, options: Namespace, form: Format) -> Found:
    """The gold standard in a stream of one of TEXT_FORMATS. UsageError for a task that does not go with it;
    RefusedFileError with all faults, or when nothing in it counts."""
    found = results(stream, source, options.task, TEXT_FORMATS[form])
    if not len(found.table):
        said = f"nothing here is a gold standard for {options.task} ({found.note}) - choose the task or the file anew"
        raise RefusedFileError([FormatError(source, 0, 0, "R610", said)])
    return found


def results(stream: BinaryIO, source: str, task: str, own: TextFormat) -> Found:
    """What the file says for the task, and by a note how it was taken."""
    if task not in TEXT_TASKS or (task == "act" and not own.classes):
        what = f"{source} is {own.name}, which has no results for --task {task}"
        raise UsageError(f"{what}; give tab-separated values{', or BioC' if task == 'act' else ''}.")
    found = results_of(own.read(stream, source), task)
    return Found(found.table, f"{own.name}; {found.note}")
