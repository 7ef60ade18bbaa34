"""Runs and gold standards of identifiers and classes, in any of their formats."""

from argparse import Namespace
from collections.abc import Collection
from typing import BinaryIO

from annotations.formats.annotated_text.document_results import DocumentResults
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.sniffing import ResultFormat, sniff_result_format
from annotations.formats.trec.reader import TREC_TASKS, read_trec_qrels, read_trec_run
from annotations.formats.tsv.result_reader import read_tsv_gold, read_tsv_run
from evaluation.commands.errors import UsageError
from evaluation.commands.files.annotated_text import read_text_gold, read_text_run
from evaluation.commands.files.bc2_xml import RepairOptions, read_bc2_gold_stream, read_bc2_run_stream
from evaluation.commands.options.task import find_extra_columns, get_run_rules


def read_list_run(
    stream: BinaryIO,
    source: str,
    options: Namespace,
    known: Collection[str] | None,
    repair_options: RepairOptions,
    *,
    by_line: bool,
) -> DocumentResults:
    """Read a run.

    UsageError when its format is for another task or for a gold standard, or when options do not work with it;
    RefusedFileError with all errors of the file.
    """
    result_format = require_run_format(stream, source, options.task)
    if result_format == ResultFormat.TREC_RUN:
        return read_trec_run_stream(stream, source, options)
    if result_format in ANNOTATED_TEXT_FORMATS:
        return read_text_run(stream, source, options, result_format)
    columns, rules = find_extra_columns(options), get_run_rules(options)
    if result_format == ResultFormat.BC2_XML:
        run = read_bc2_run_stream(stream, source, options, known, repair_options, by_line=by_line)
    else:
        run = read_tsv_run(
            stream, options.task, source, rules=rules, columns=columns, known_articles=known, ignore_ranks=by_line
        )
    note = "" if columns is not None else f"columns found after the result: {', '.join(run.extras) or 'none'}"
    return DocumentResults(run, note)


def read_list_gold(stream: BinaryIO, source: str, options: Namespace, repair_options: RepairOptions) -> DocumentResults:
    """Read a gold standard.

    UsageError when its format is for another task or for a run; RefusedFileError with all errors of the file.
    """
    result_format = sniff_result_format(stream)
    if result_format == ResultFormat.BC2_XML:
        return DocumentResults(read_bc2_gold_stream(stream, source, options, repair_options), "")
    if result_format == ResultFormat.TREC_QRELS:
        check_trec_task(source, options.task)
        return DocumentResults(read_trec_qrels(stream, options.task, source), "")
    if result_format in ANNOTATED_TEXT_FORMATS:
        return read_text_gold(stream, source, options, result_format)
    if result_format == ResultFormat.TREC_RUN:
        raise UsageError(
            f"{source} is a TREC run, but was given as the gold standard; put it before the gold standard."
        )
    return DocumentResults(read_tsv_gold(stream, options.task, source), "")


def require_run_format(stream: BinaryIO, source: str, task: str) -> ResultFormat:
    """The format of a run. UsageError for a format that is not for this task.

    A call with rank and confidence 1 looks like TREC judgements, which are only for list tasks.
    """
    result_format = sniff_result_format(stream)
    if result_format == ResultFormat.TREC_RUN:
        check_trec_task(source, task)
    if result_format == ResultFormat.TREC_QRELS and task in TREC_TASKS:
        raise UsageError(f"{source} has TREC judgements, which are a gold standard, but a run is expected.")
    return result_format


def check_trec_task(source: str, task: str) -> None:
    if task not in TREC_TASKS:
        raise UsageError(
            f"{source} is in a TREC format for lists of identifiers; --task {task} needs tab-separated values."
        )


def read_trec_run_stream(stream: BinaryIO, source: str, options: Namespace) -> DocumentResults:
    """Read a TREC run. UsageError for --columns, --rules, or --min-confidence without confidences."""
    for name in ("columns", "rules"):
        if getattr(options, name) is not None:
            raise UsageError(
                f"--{name} works only with tab-separated values, but {source} is a TREC run; leave it out."
            )
    run = read_trec_run(stream, options.task, source)
    if run.confidence is None and getattr(options, "min_confidence", None) is not None:
        raise UsageError(
            f"--min-confidence needs confidences, but not all scores of {source} are above 0 and at most 1; "
            "use --cutoff-rank, or scale the scores."
        )
    score_note = "no confidence" if run.confidence is None else "the confidence"
    return DocumentResults(run, f"TREC run; lists by falling score, which is {score_note}")
