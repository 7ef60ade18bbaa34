"""Check a run by all rules of its phase. Uploads and `python -m evaluation check` both call this."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import numpy as np

from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_reader import LIBRARY_RULES, RunRules
from annotations.formats.tsv.result_table import ExtraColumn, ResultTable
from annotations.schema import AnnotationData, Kind
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files.mention_reader import read_and_locate_run_mentions
from evaluation.runs.files.open_checks import check_results_per_article, locate_annotations_or_refuse_file
from evaluation.runs.files.open_files import OpenTaskFile, read_open_task_file
from evaluation.runs.files.passage_checks import check_passages_ranked_short_few_distinct_copied
from evaluation.runs.files.phase_checks import (
    check_run_articles_identifiers_and_caps,
    number_articles_if_any_is_accepted,
    read_run_for_phase,
)
from evaluation.runs.files.result_rows import build_annotations_by_article
from evaluation.runs.files.run_reader import RunFile, RunTarget


@dataclass(frozen=True, slots=True)
class RunRequirements:
    """What a phase demands of a run, as far as it is known.

    article_by_name: {name that a file may use: key of the article}, None if any name is accepted; load_texts: gives
    {key of the article: its text}, None if the texts are not known, so that R717, R721 and R722 are not checked;
    results_cap: the most results of an article, None for no limit; extra_columns: those after the result, None to
    detect them; names_for_repair: {name: identifier} with which BioCreative II XML is repaired, None not to repair.
    """

    rules: RunRules = LIBRARY_RULES
    article_by_name: Mapping[str, int] | None = None
    load_texts: Callable[[], Mapping[int, str]] | None = None
    results_cap: int | None = None
    extra_columns: Sequence[ExtraColumn] | None = None
    names_for_repair: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CheckedRunFile:
    """A file that fits its phase, and its annotations by key of the article.

    moved: {key of the article: number of annotations that could not be moved}, for articles with a slightly different
    text in the file, from which the others were moved.
    """

    file: RunFile
    findings: Mapping[int, Sequence[AnnotationData]]
    moved: Mapping[int, int] = field(default_factory=dict)


def read_and_check_run(
    stream: BinaryIO,
    source: str,
    target: RunTarget,
    requirements: RunRequirements,
    repeat_checked_articles: frozenset[str] | None = None,
) -> CheckedRunFile:
    """Read a run from a seekable stream. Raises RefusedFileError with all faults.

    repeat_checked_articles: names of the articles in which results may not be repeated, where the phase's are unknown.
    """
    if target.settings is not None:
        return _read_and_check_open_run(stream, source, target.kind, target.settings, requirements)
    if target.kind == Kind.MENTION:
        return CheckedRunFile(
            *read_and_locate_run_mentions(
                stream,
                source,
                requirements.article_by_name,
                requirements.load_texts() if requirements.load_texts else None,
                requirements.results_cap,
            )
        )
    run = read_run_for_phase(
        stream,
        source,
        target,
        requirements.rules,
        requirements.article_by_name,
        requirements.results_cap,
        extra_columns=requirements.extra_columns,
        names_for_repair=requirements.names_for_repair,
        repeat_checked_articles=repeat_checked_articles,
    )
    article_by_name = number_articles_if_any_is_accepted(run, requirements.article_by_name)
    if target.kind == Kind.PASSAGE:
        check_passages_ranked_short_few_distinct_copied(
            run, article_by_name, requirements.load_texts() if requirements.load_texts else None
        )
    return CheckedRunFile(run, build_annotations_by_article(run, target.kind, article_by_name))


def _read_and_check_open_run(
    stream: BinaryIO, source: str, kind: Kind, settings: TaskSettings, requirements: RunRequirements
) -> CheckedRunFile:
    """Read a run of a task with settings. Raises RefusedFileError with all faults."""
    file = read_open_task_file(stream, source, kind, settings, rules=requirements.rules)
    run = RunFile(source, _build_row_table(file), file.form, file.note)
    check_run_articles_identifiers_and_caps(run, kind, requirements.article_by_name, None)
    article_by_name = number_articles_if_any_is_accepted(run, requirements.article_by_name)
    texts = requirements.load_texts() if requirements.load_texts else None
    placed = locate_annotations_or_refuse_file(file, kind, settings, article_by_name, texts)
    check_results_per_article(source, kind, placed.by_article, article_by_name, requirements.results_cap)
    table = replace(run.table, warnings=[*run.table.warnings, *placed.warnings, *placed.not_movable])
    return CheckedRunFile(replace(run, table=table), placed.by_article, placed.moved)


def _build_row_table(file: OpenTaskFile) -> ResultTable:
    """The articles of a file, with a row for each of its annotations."""
    codes = {name: code for code, name in enumerate(file.documents)}
    rows = np.array([codes[each.document] for each in file.annotations], dtype=np.int64)
    return ResultTable(NameColumn(list(file.documents), rows), warnings=file.warnings)
