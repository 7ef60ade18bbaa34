"""Runs and gold standards of identifiers and classes, in whichever format they are written."""

from argparse import Namespace
from collections.abc import Collection
from typing import BinaryIO

from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.runs_tsv import read_gold, read_run
from annotations.formats.sniffing import Format, format_of
from annotations.formats.text_results import Found
from annotations.formats.trec import TREC_TASKS, read_qrels, read_trec_run
from evaluation.commands.errors import UsageError
from evaluation.commands.files.annotated_text import read_text_gold, read_text_run
from evaluation.commands.files.bc2_xml import Mending, bc2_gold, bc2_run
from evaluation.commands.options.arguments import columns_of, rules_of


def read_list_run(
    stream: BinaryIO,
    source: str,
    options: Namespace,
    known: Collection[str] | None,
    mending: Mending,
    *,
    by_line: bool,
) -> Found:
    """The run in a stream. UsageError when its format is for another task, or for a gold standard, or when options do
    not go with it; RefusedFileError with all faults."""
    form = run_format(stream, source, options.task)
    if form == Format.TREC_RUN:
        return trec_run(stream, source, options)
    if form in TEXT_FORMATS:
        return read_text_run(stream, source, options, form)
    columns, rules = columns_of(options), rules_of(options)
    if form == Format.BC2_XML:
        run = bc2_run(stream, source, options, known, mending, by_line=by_line)
    else:
        run = read_run(stream, options.task, source, rules=rules, columns=columns, known=known, by_line=by_line)
    found = "" if columns is not None else f"columns found after the result: {', '.join(run.extras) or 'none'}"
    return Found(run, found)


def read_list_gold(stream: BinaryIO, source: str, options: Namespace, mending: Mending) -> Found:
    """The gold standard in a stream. UsageError when its format is for another task, or for a run; RefusedFileError
    with all faults."""
    form = format_of(stream)
    if form == Format.BC2_XML:
        return Found(bc2_gold(stream, source, options, mending), "")
    if form == Format.TREC_QRELS:
        check_trec(source, options.task)
        return Found(read_qrels(stream, options.task, source), "")
    if form in TEXT_FORMATS:
        return read_text_gold(stream, source, options, form)
    if form == Format.TREC_RUN:
        raise UsageError(f"{source} is a TREC run, but stands where the gold standard is; put it before that.")
    return Found(read_gold(stream, options.task, source), "")


def run_format(stream: BinaryIO, source: str, task: str) -> Format:
    """The format of a run. A call with rank and confidence 1 looks like a judgement, which is no run of classes."""
    form = format_of(stream)
    if form == Format.TREC_RUN:
        check_trec(source, task)
    if form == Format.TREC_QRELS and task in TREC_TASKS:
        raise UsageError(f"{source} holds TREC judgements, which are a gold standard; give it as such, or give a run.")
    return form


def check_trec(source: str, task: str) -> None:
    if task not in TREC_TASKS:
        raise UsageError(
            f"{source} is a file of TREC, which has lists of identifiers; --task {task} needs tab-separated values."
        )


def trec_run(stream: BinaryIO, source: str, options: Namespace) -> Found:
    """A TREC run, whose columns are known. UsageError for confidences that it has not."""
    for name in ("columns", "rules"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is for tab-separated values, but {source} is a TREC run; leave it out.")
    run = read_trec_run(stream, options.task, source)
    if run.confidence is None and getattr(options, "min_confidence", None) is not None:
        raise UsageError(
            f"--min-confidence needs confidences, but not all scores of {source} are above 0 and at most 1; "
            "use --cutoff-rank, or scale the scores."
        )
    scores = "no confidence" if run.confidence is None else "the confidence"
    return Found(run, f"TREC run; lists by falling score, which is {scores}")
