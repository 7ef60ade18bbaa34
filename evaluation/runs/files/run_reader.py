"""Read an uploaded run in any format of its task.

The readers of `python -m evaluation` read the files and check R601 to R707; R711, a format without results of the task,
is checked here, and phase_checks checks what the phase demands.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.annotated_text.document_results import (
    COUNTED_MENTIONS_BY_TASK,
    TEXT_TASKS,
    collect_document_results,
)
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.bc2_xml.reader import read_bc2_run
from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import (
    ResultFormat,
    check_result_file_is_text_or_archive,
    sniff_result_format_else_tsv,
)
from annotations.formats.trec.reader import TREC_TASKS, read_trec_run_ranked_by_score
from annotations.formats.tsv.result_reader import RunRules, read_tsv_run
from annotations.formats.tsv.result_table import ExtraColumn, ResultTable
from annotations.schema import Kind
from evaluation.measures.task_settings import TaskSettings

# The readers' name of a task, by kind of annotation.
READER_TASKS = {
    Kind.MENTION: "gm",
    Kind.CLASSIFICATION: "act",
    Kind.TAXON: "tx",
    Kind.NORMALIZATION: "gn",
    Kind.METHOD: "imt",
    Kind.PAIR: "ipt",
    Kind.PASSAGE: "iss",
}


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file that was read. note: for people, how its format and columns were interpreted."""

    source: str
    table: ResultTable
    form: ResultFormat
    note: str

    @property
    def articles(self) -> list[str]:
        """The names of all articles in the file, each once, also of articles without a result."""
        return list(self.table.article.names)

    def line(self, row: int) -> int:
        """The line of a row, from 1; 0 if the format does not have one result per line."""
        return row + 1 if self.form == ResultFormat.TSV else 0


def get_file_reader_task_name(kind: Kind, challenge_task_name: str) -> str:
    """Return the readers' name of a task, given its kind and its name in the challenge."""
    return "int" if kind == Kind.NORMALIZATION and challenge_task_name.lower().startswith("int") else READER_TASKS[kind]


@dataclass(frozen=True, slots=True)
class RunTarget:
    """What a run answers: a kind of annotation, the name of the task in its challenge, and its settings, if any."""

    kind: Kind
    name: str = ""
    settings: TaskSettings | None = None

    @property
    def reader_task(self) -> str:
        return get_file_reader_task_name(self.kind, self.name)


def read_run_in_any_format(
    stream: BinaryIO,
    source: str,
    reader_task: str,
    rules: RunRules,
    rule_checked_article_names: Collection[str] | None,
    *,
    extra_columns: Sequence[ExtraColumn] | None = None,
    names_for_repair: Mapping[str, str] | None = None,
) -> RunFile:
    """Read a run from a seekable stream.

    reader_task: its name in `python -m evaluation`, such as gn; rule_checked_article_names: the names of the phase's
    articles, used only by rules that name them, None for all; extra_columns: columns after the result, None to detect
    them; names_for_repair: {name: identifier} with which BioCreative II XML is repaired, None not to repair. Raises
    RefusedFileError with all faults: R601 to R707, R711.
    """
    check_result_file_is_text_or_archive(stream, source)
    file_format = _detect_run_format(stream, source, reader_task)
    if file_format == ResultFormat.BC2_XML:
        return RunFile(
            source,
            read_bc2_run(
                stream,
                reader_task,
                source,
                rules=rules,
                expected_extra_columns=extra_columns,
                repeat_checked_articles=rule_checked_article_names,
                repair=names_for_repair is not None,
                identifier_by_name=names_for_repair,
            ),
            file_format,
            "BioCreative II XML",
        )
    if file_format == ResultFormat.TSV:
        table = read_tsv_run(
            stream,
            reader_task,
            source,
            rules=rules,
            expected_extra_columns=extra_columns,
            repeat_checked_articles=rule_checked_article_names,
        )
        extras = ", ".join(table.extras) or "none"
        return RunFile(source, table, file_format, f"tab-separated values; columns after the result: {extras}")
    run = (
        _read_trec_run_file(stream, source, reader_task)
        if file_format == ResultFormat.TREC_RUN
        else _read_annotated_text_run(stream, source, reader_task, file_format)
    )
    if missing := [name for name in rules.required_columns if name not in run.table.extras]:
        message = f"there is no {missing[0]}, which the rules {rules.name} require - write tab-separated values"
        raise RefusedFileError([FormatError(source, 0, 0, "R611", message)])
    return run


def _detect_run_format(stream: BinaryIO, source: str, task: str) -> ResultFormat:
    """Return the format of a run. Raises RefusedFileError if the format has no results of the task (R711)."""
    file_format = sniff_result_format_else_tsv(stream)
    if file_format in ANNOTATED_TEXT_FORMATS:
        fits = task in TEXT_TASKS and (task != "act" or ANNOTATED_TEXT_FORMATS[file_format].has_classes)
    elif file_format == ResultFormat.TREC_QRELS and task in TREC_TASKS:
        message = "the file has TREC relevance judgements - upload the run, which has six columns"
        raise RefusedFileError([FormatError(source, 0, 0, "R711", message)])
    else:
        fits = (file_format != ResultFormat.BC2_XML or task in BC2_TASKS) and (
            file_format != ResultFormat.TREC_RUN or task in TREC_TASKS
        )
    if not fits:
        message = f"the format {file_format} cannot hold results of this task - write tab-separated values"
        raise RefusedFileError([FormatError(source, 0, 0, "R711", message)])
    # Lines in no known format are read as tab-separated values, so that their faults are reported.
    known_formats = {*ANNOTATED_TEXT_FORMATS, ResultFormat.BC2_XML, ResultFormat.TREC_RUN}
    return file_format if file_format in known_formats else ResultFormat.TSV


def _read_trec_run_file(stream: BinaryIO, source: str, task: str) -> RunFile:
    table = read_trec_run_ranked_by_score(stream, task, source)
    scores = "no confidence" if table.confidence is None else "the confidence"
    return RunFile(
        source, table, ResultFormat.TREC_RUN, f"TREC run; lists ordered by descending score, which is {scores}"
    )


def _read_annotated_text_run(stream: BinaryIO, source: str, task: str, file_format: ResultFormat) -> RunFile:
    text_format = ANNOTATED_TEXT_FORMATS[file_format]
    results = collect_document_results(text_format.read(stream, source), task)
    order = "; lists by number of mentions, then first position" if task in COUNTED_MENTIONS_BY_TASK else ""
    return RunFile(source, results.table, file_format, f"{text_format.name}; {results.note}{order}")
