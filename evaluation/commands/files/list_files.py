"""Runs and gold standards of identifiers and classes, in any of their formats.

The readers of annotated text and XML are imported when a file needs them; most files are tables.
"""

from argparse import Namespace
from collections.abc import Collection
from typing import BinaryIO

from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.trec.reader import TREC_TASKS, read_relevant_trec_qrels, read_trec_run_ranked_by_score
from annotations.formats.tsv.result_reader import read_tsv_gold, read_tsv_run
from annotations.formats.tsv.result_table import DocumentResults
from evaluation.commands.errors import UsageError
from evaluation.commands.files.repair import RepairOptions
from evaluation.commands.options.task import find_extra_columns_given_by_option, get_run_rules


def read_run_in_detected_format(
    stream: BinaryIO,
    source: str,
    options: Namespace,
    checked_article_names: Collection[str] | None,
    repair_options: RepairOptions,
    *,
    ignores_ranks: bool,
) -> DocumentResults:
    """Read a run.

    UsageError when its format is for another task or for a gold standard, or when options do not work with it;
    RefusedFileError with all errors of the file.
    """
    result_format = _require_run_format(stream, source, options.task)
    if result_format == ResultFormat.TREC_RUN:
        return _read_trec_run_stream(stream, source, options)
    if _is_annotated_text(result_format):
        from evaluation.commands.files.annotated_text import read_annotated_text_run

        return read_annotated_text_run(stream, source, options, result_format)
    columns, rules = find_extra_columns_given_by_option(options), get_run_rules(options)
    if result_format == ResultFormat.BC2_XML:
        from evaluation.commands.files.bc2_xml import read_bc2_xml_run_with_options

        run = read_bc2_xml_run_with_options(
            stream, source, options, checked_article_names, repair_options, ignores_ranks=ignores_ranks
        )
    else:
        run = read_tsv_run(
            stream,
            options.task,
            source,
            rules=rules,
            expected_extra_columns=columns,
            repeat_checked_articles=checked_article_names,
            allow_repeated_ranks=ignores_ranks,
        )
    note = "" if columns is not None else f"columns found after the result: {', '.join(run.extras) or 'none'}"
    return DocumentResults(run, note)


def read_gold_in_detected_format(
    stream: BinaryIO, source: str, options: Namespace, repair_options: RepairOptions
) -> DocumentResults:
    """Read a gold standard.

    UsageError when its format is for another task or for a run; RefusedFileError with all errors of the file.
    """
    result_format = sniff_result_format_else_tsv(stream)
    if result_format == ResultFormat.BC2_XML:
        from evaluation.commands.files.bc2_xml import read_bc2_xml_gold_with_options

        return DocumentResults(read_bc2_xml_gold_with_options(stream, source, options, repair_options), "")
    if result_format == ResultFormat.TREC_QRELS:
        _check_trec_task(source, options.task)
        return DocumentResults(read_relevant_trec_qrels(stream, options.task, source), "")
    if _is_annotated_text(result_format):
        from evaluation.commands.files.annotated_text import read_nonempty_annotated_text_gold

        return read_nonempty_annotated_text_gold(stream, source, options, result_format)
    if result_format == ResultFormat.TREC_RUN:
        raise UsageError(
            f"{source} is a TREC run, but was given as the gold standard; put it before the gold standard."
        )
    return DocumentResults(read_tsv_gold(stream, options.task, source), "")


def _is_annotated_text(result_format: ResultFormat) -> bool:
    if result_format == ResultFormat.TSV:
        return False
    from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS

    return result_format in ANNOTATED_TEXT_FORMATS


def _require_run_format(stream: BinaryIO, source: str, task: str) -> ResultFormat:
    """The format of a run. UsageError for a format that is not for this task.

    A call with rank and confidence 1 looks like TREC judgements, which are only for list tasks.
    """
    result_format = sniff_result_format_else_tsv(stream)
    if result_format == ResultFormat.TREC_RUN:
        _check_trec_task(source, task)
    if result_format == ResultFormat.TREC_QRELS and task in TREC_TASKS:
        raise UsageError(f"{source} has TREC judgements, which are a gold standard, but a run is expected.")
    return result_format


def _check_trec_task(source: str, task: str) -> None:
    if task not in TREC_TASKS:
        raise UsageError(
            f"{source} is in a TREC format for lists of identifiers; --task {task} needs tab-separated values."
        )


def _read_trec_run_stream(stream: BinaryIO, source: str, options: Namespace) -> DocumentResults:
    """Read a TREC run. UsageError for --columns, --rules, or --min-confidence without confidences."""
    for name in ("columns", "rules"):
        if getattr(options, name) is not None:
            raise UsageError(
                f"--{name} works only with tab-separated values, but {source} is a TREC run; leave it out."
            )
    run = read_trec_run_ranked_by_score(stream, options.task, source)
    if run.confidence is None and getattr(options, "min_confidence", None) is not None:
        raise UsageError(
            f"--min-confidence needs confidences, but not all scores of {source} are above 0 and at most 1; "
            "use --cutoff-rank, or scale the scores."
        )
    score_note = "no confidence" if run.confidence is None else "the confidence"
    return DocumentResults(run, f"TREC run; lists by falling score, which is {score_note}")
