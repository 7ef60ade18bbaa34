"""Check that an uploaded run fits its phase (R712 to R715): its articles, identifiers and number of results."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import BinaryIO

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.tsv.content import TASK_COLUMNS
from annotations.formats.tsv.lines import iter_blocks_of_stripped_lines
from annotations.formats.tsv.result_reader import RunRules
from annotations.formats.tsv.result_table import ExtraColumn
from annotations.schema import KIND_LABELS, Kind
from evaluation.runs.files.identifier_forms import (
    IDENTIFIER_FORMS,
    ensure_item_is_tuple,
    find_database_with_matching_pattern,
    format_identifier_fault,
)
from evaluation.runs.files.run_reader import RunFile, RunTarget, read_run_in_any_format


def read_run_for_phase(
    stream: BinaryIO,
    source: str,
    target: RunTarget,
    rules: RunRules,
    article_by_name: Mapping[str, int] | None,
    allowed_results_per_article: int | None,
    *,
    extra_columns: Sequence[ExtraColumn] | None = None,
    names_for_repair: Mapping[str, str] | None = None,
    repeat_checked_articles: Collection[str] | None = None,
) -> RunFile:
    """Read a run that fits its phase from a seekable stream.

    article_by_name: {name in the file: key of the article}, None if any name is accepted; allowed_results_per_article:
    the most an article may have, None for no limit; extra_columns, names_for_repair: as in read_run_in_any_format;
    repeat_checked_articles: as there, used only if any name is accepted. Raises RefusedFileError with all faults of
    read_run_in_any_format or check_run_articles_identifiers_and_caps.
    """
    try:
        run = read_run_in_any_format(
            stream,
            source,
            target.reader_task,
            rules,
            repeat_checked_articles if article_by_name is None else article_by_name,
            extra_columns=extra_columns,
            names_for_repair=names_for_repair,
        )
    except RefusedFileError as error:
        faults = PositionedFaults(source)
        _check_refused_lines(stream, target, article_by_name, faults)
        raise RefusedFileError(
            sorted([*error.faults, *faults.list_faults()], key=compute_fault_key_file_faults_last)
        ) from None
    check_run_articles_identifiers_and_caps(run, target.kind, article_by_name, allowed_results_per_article)
    return run


def compute_fault_key_file_faults_last(fault: FormatError) -> tuple[bool, int, int, str]:
    """Sort by position; faults of the file as a whole (line 0) come last."""
    return (not fault.line, fault.line, fault.column, fault.rule)


def _check_refused_lines(
    stream: BinaryIO, target: RunTarget, article_by_name: Mapping[str, int] | None, faults: PositionedFaults
) -> None:
    """R712 for tab-separated values that were refused already, so that all their faults are reported at once."""
    stream.seek(0)
    width = len(TASK_COLUMNS[target.reader_task])
    if sniff_result_format_else_tsv(stream) != ResultFormat.TSV or target.kind == Kind.CLASSIFICATION:
        return
    for number, line in enumerate(chain.from_iterable(iter_blocks_of_stripped_lines(stream)), 1):
        name, *rest = line.split("\t")
        parts = tuple(rest[: width - 1])
        if (
            (article_by_name is None or name in article_by_name)
            and len(parts) == width - 1
            and all(parts)
            and find_database_with_matching_pattern(target.kind, parts) is None
        ):
            faults.add("R712", number, len(name) + 2, format_identifier_fault(target.kind, parts))


def check_run_articles_identifiers_and_caps(
    run: RunFile, kind: Kind, article_by_name_or_any: Mapping[str, int] | None, max_results_per_article: int | None
) -> None:
    """Raise RefusedFileError with all faults (R712 to R715) of a run that does not fit the phase.

    Articles that the phase does not have are no fault, unless it has none of them (R713).
    """
    faults = PositionedFaults(run.source)
    article_by_name = number_articles_if_any_is_accepted(run, article_by_name_or_any)
    if article_by_name_or_any is not None and not any(name in article_by_name for name in run.articles):
        message = "none of its articles is in this phase - name articles as in the phase's article file"
        faults.add("R713", 0, 0, message)
    check_identifier_forms_noting_faults(run, kind, article_by_name, faults)
    _check_results_per_article(run, kind, article_by_name, max_results_per_article, faults)
    _check_article_names(run, article_by_name, faults)
    if faults:
        raise RefusedFileError(faults.list_faults())


def number_articles_if_any_is_accepted(run: RunFile, article_by_name: Mapping[str, int] | None) -> Mapping[str, int]:
    """{name: key of the article}; any distinct keys if every name is accepted."""
    return {name: number for number, name in enumerate(run.articles)} if article_by_name is None else article_by_name


def check_identifier_forms_noting_faults(
    run: RunFile, kind: Kind, article_by_name: Mapping[str, int], faults: PositionedFaults
) -> None:
    """R712: each identifier has the form of one of the databases of its kind."""
    item, article = run.table.item, run.table.article
    if item is None or kind not in IDENTIFIER_FORMS:
        return
    wrong_codes = {
        code
        for code, value in enumerate(item.names)
        if find_database_with_matching_pattern(kind, ensure_item_is_tuple(value)) is None
    }
    if not wrong_codes:
        return
    for row, (code, article_code) in enumerate(zip(item.codes.tolist(), article.codes.tolist(), strict=True)):
        name = article.names[article_code]
        if code in wrong_codes and name in article_by_name:
            prefix = "" if run.line(row) else f"article {quote_file_text(name)}: "
            column = len(name) + 2 if run.line(row) else 0
            faults.add(
                "R712",
                run.line(row),
                column,
                prefix + format_identifier_fault(kind, ensure_item_is_tuple(item.names[code])),
            )


def _check_results_per_article(
    run: RunFile, kind: Kind, article_by_name: Mapping[str, int], max_results: int | None, faults: PositionedFaults
) -> None:
    """R714: no article has more results than the phase accepts."""
    if max_results is None or run.table.item is None:
        return
    article, counts = run.table.article, Counter[int]()
    for row, code in enumerate(article.codes.tolist()):
        counts[code] += 1
        if counts[code] == max_results + 1 and (name := article.names[code]) in article_by_name:
            cap = f"{max_results:,} {KIND_LABELS[kind].lower()}, the cap of the phase"
            message = f"article {quote_file_text(name)} has more than {cap} - leave out the least certain"
            faults.add("R714", run.line(row), min(run.line(row), 1), message)


def _check_article_names(run: RunFile, article_by_name: Mapping[str, int], faults: PositionedFaults) -> None:
    """R715: no article has two names in one file."""
    first_names: dict[int, str] = {}
    for name in run.articles:
        if name in article_by_name and first_names.setdefault(article_by_name[name], name) != name:
            both = f"{quote_file_text(name)} and {quote_file_text(first_names[article_by_name[name]])}"
            message = f"{both} are the same article - use one of its names"
            faults.add("R715", 0, 0, message)
