"""Reads runs and gold standards in BioCreative II XML: interaction pairs, methods and evidence passages.

Few teams wrote this format correctly: they split entries, reused ranks, left tags open, and used UniProt entry names
and names of methods instead of identifiers. By default, such a file is rejected as a whole, with all its faults. With
repairs on, faults that have only one possible correction are repaired, and every repair is reported. The format has no
confidences.
Source: BioCreative II, protein-protein interaction task (Krallinger et al. 2008, Genome Biology 9 Suppl 2: S4), and the
descriptions of its subtasks.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import BinaryIO

from annotations.formats.bc2_xml.entries import METHOD_ELEMENT, PAIR_ELEMENT, iter_bc2_entries
from annotations.formats.bc2_xml.entry_results import Bc2EntryParser, Bc2Result
from annotations.formats.bc2_xml.fault_log import WHOLE_FILE, Bc2FaultLog
from annotations.formats.bc2_xml.result_lists import (
    note_or_remove_repeated_results,
    note_or_repair_bc2_rank_faults_if_ranked,
    split_pairs_into_ranked_interactors,
)
from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.formats.bc2_xml.values import is_bc2_identifier, normalize_lookup_names
from annotations.formats.tsv.columns import Integers, RankColumnBuilder
from annotations.formats.tsv.content import build_tsv_content, make_column_builders
from annotations.formats.tsv.result_reader import LIBRARY_RULES, RunRules
from annotations.formats.tsv.result_table import ExtraColumn, ResultTable

# The elements that have identifiers of proteins and methods.
NAMED_ELEMENTS = ("INTERACTOR_1", "INTERACTOR_2", "INT_DET_METHOD_ID")
NO_CONFIDENCE = "this format has no confidences - write tab-separated values"


def read_bc2_run(
    stream: BinaryIO,
    task: str,
    source: str,
    *,
    rules: RunRules = LIBRARY_RULES,
    expected_extra_columns: Sequence[ExtraColumn] | None = None,
    repeat_checked_articles: Collection[str] | None = None,
    allow_repeated_ranks: bool = False,
    repair: bool = False,
    identifier_by_name: Mapping[str, str] | None = None,
) -> ResultTable:
    """The run in a seekable stream; source is the file's name in faults and repairs. task: one of BC2_TASKS.

    rules, expected_extra_columns, repeat_checked_articles, allow_repeated_ranks: see
    annotations.formats.tsv.result_reader.read_tsv_run; the run has ranks if any result has one. repair: repair what is
    unambiguous, and list it in the repairs of the table; identifier_by_name: {name of a protein or method: identifier}
    for repairs, in any case. RefusedFileError with all faults that were not repaired (R606, R608, R609, R611, R631 to
    R646); ValueError for another task.
    """
    fault_log = Bc2FaultLog(source, repair=repair, names=normalize_lookup_names(identifier_by_name or {}))
    for missing_column in (name for name in rules.required_columns if name == "confidence"):
        fault_log.note_fault_or_repair(
            "R611", WHOLE_FILE, f"there is no {missing_column}, which the rules {rules.name} require: {NO_CONFIDENCE}"
        )
    if expected_extra_columns is not None and "confidence" in expected_extra_columns:
        fault_log.note_fault_or_repair("R611", WHOLE_FILE, f"there is no confidence: {NO_CONFIDENCE}")

    def is_checked(result: Bc2Result) -> bool:
        return (
            rules.checks_unknown_articles
            or repeat_checked_articles is None
            or result.article in repeat_checked_articles
        )

    results = note_or_remove_repeated_results(_read_bc2_results(stream, task, fault_log), fault_log, is_checked)
    if expected_extra_columns is not None and "rank" not in expected_extra_columns:
        return _build_bc2_result_table(results, task, fault_log, ranked=False)
    required = expected_extra_columns is not None or "rank" in rules.required_columns
    must_be_unique = _accept_no_result if allow_repeated_ranks and not rules.checks_unknown_articles else is_checked
    group_name = "pair" if task == "iss" else "article"
    return _build_bc2_result_table(
        results,
        task,
        fault_log,
        ranked=note_or_repair_bc2_rank_faults_if_ranked(
            results, fault_log, must_be_unique, rank_scope=group_name, ranks_required=required
        ),
    )


def list_names_instead_of_identifiers(stream: BinaryIO) -> list[str]:
    """The distinct names of proteins and methods where a file has no identifiers, in its order; faults are ignored."""
    fault_log = Bc2FaultLog("", repair=True, names={})
    values = (
        leaf.value
        for entry in iter_bc2_entries(stream, fault_log)
        for element in (*entry.list_children(PAIR_ELEMENT), *entry.list_children(METHOD_ELEMENT))
        for name in NAMED_ELEMENTS
        for leaf in element.list_children(name)
    )
    return list(dict.fromkeys(value for value in values if value and not is_bc2_identifier(value)))


def read_bc2_gold_refusing_iss(
    stream: BinaryIO,
    task: str,
    source: str,
    *,
    repair: bool = False,
    identifier_by_name: Mapping[str, str] | None = None,
) -> ResultTable:
    """The gold standard in a seekable stream, without ranks. RefusedFileError for ISS, too (R645).

    repair, identifier_by_name, other errors: see read_bc2_run.
    """
    fault_log = Bc2FaultLog(source, repair=repair, names=normalize_lookup_names(identifier_by_name or {}))
    if task == "iss":
        fault_log.note_fault_or_repair(
            "R645", WHOLE_FILE, "this format cannot mark passages as relevant - write tab-separated values"
        )
    results = note_or_remove_repeated_results(
        _read_bc2_results(stream, task, fault_log), fault_log, _accept_every_result
    )
    return _build_bc2_result_table(results, task, fault_log, ranked=False)


def _accept_every_result(result: Bc2Result) -> bool:
    return True


def _accept_no_result(result: Bc2Result) -> bool:
    return False


def _read_bc2_results(stream: BinaryIO, task: str, fault_log: Bc2FaultLog) -> list[Bc2Result]:
    """The results of all entries, in the order of the file."""
    if task not in BC2_TASKS:
        raise ValueError(
            f"BioCreative II XML has no results for the task {task}; it has results for {', '.join(sorted(BC2_TASKS))}."
        )
    parser = Bc2EntryParser(task, fault_log)
    results = [result for entry in iter_bc2_entries(stream, fault_log) for result in parser.iter_results(entry)]
    if not parser.number and not fault_log.faults:
        fault_log.note_fault_or_repair("R646", WHOLE_FILE, "the file has no ENTRY - write one for each result")
    return results


def _build_bc2_result_table(
    results: Sequence[Bc2Result], task: str, fault_log: Bc2FaultLog, *, ranked: bool
) -> ResultTable:
    """The results as a table. RefusedFileError if there are faults."""
    repairs = fault_log.finish()
    rows = split_pairs_into_ranked_interactors(results) if task == "int" else results
    columns = make_column_builders(task, ())
    fields = ((row.article, *(row.item or ())) for row in rows)
    column_values = zip(*fields, strict=True) if rows else [()] * len(columns)
    for column, texts in zip(columns.values(), column_values, strict=True):
        column.add(texts)
    content = build_tsv_content(columns)
    return ResultTable(content.article, content.item, rank=_build_rank_array(rows) if ranked else None, repairs=repairs)


def _build_rank_array(results: Sequence[Bc2Result]) -> Integers:
    ranks = RankColumnBuilder()
    ranks.add([str(result.rank) for result in results])
    return ranks.column()
