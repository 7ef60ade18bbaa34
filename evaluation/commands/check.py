"""The command `check`: whether runs would be accepted, by the rules of the site; which articles are unknown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import BinaryIO

from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import Kind
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.text_tables import format_name_list_with_rest_count
from evaluation.commands.files.article_texts import ArticleTexts, read_article_texts
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file
from evaluation.commands.files.repair import iter_repair_lines, read_repair_options_noting_faults
from evaluation.commands.files.task_files import read_task_files_noting_faults
from evaluation.commands.options.open_task import ITEM_TASKS, LABEL_TASKS
from evaluation.commands.options.task import (
    MENTION_TASKS,
    PASSAGE_TASKS,
    add_task_and_run_reading_options,
    check_task_options,
    find_extra_columns_given_by_option,
    get_run_rules,
)
from evaluation.commands.options.values import parse_positive_count
from evaluation.runs.files.run_checks import RunRequirements, read_and_check_run
from evaluation.runs.files.run_reader import RunFile, RunTarget

KINDS_BY_TASK = {
    "act": Kind.CLASSIFICATION,
    "int": Kind.NORMALIZATION,
    "gn": Kind.NORMALIZATION,
    "imt": Kind.METHOD,
    "tx": Kind.TAXON,
    "ipt": Kind.PAIR,
    "iss": Kind.PASSAGE,
    "gm": Kind.MENTION,
}
UNCHECKED_WITHOUT_TEXTS = "give --articles to check them, as the site does"


def add_arguments(parser: ArgumentParser) -> None:
    """The options of check."""
    parser.add_argument("files", nargs="+", metavar="RUN", help="runs to check")
    add_task_and_run_reading_options(parser)
    parser.add_argument("--gold", metavar="FILE", help="a gold standard, which is checked, too")
    parser.add_argument(
        "--articles",
        metavar="FILE",
        help="the phase's article file (TSV or JSON lines), to check names of articles and texts of passages, too",
    )
    parser.add_argument(
        "--cap", type=parse_positive_count, metavar="N", help="the most results that an article may have"
    )


def run(options: Namespace) -> int:
    """Check all files and describe the runs; return 0. RefusedFileError with all errors of all files."""
    check_task_options(options)
    if options.task in ITEM_TASKS | LABEL_TASKS:
        return _check_open_files(options)
    inputs, gold_inputs = InputFiles(every_warning=True), InputFiles(every_warning=True)
    for path in options.files:
        _check_columns_option(path, options)
    repair = read_repair_options_noting_faults(
        options, [*options.files, *([options.gold] if options.gold else [])], inputs
    )
    articles = inputs.read_input(options.articles, read_article_texts) if options.articles else None
    gold = _read_gold(options, gold_inputs)
    requirements = RunRequirements(
        get_run_rules(options),
        None if articles is None else articles.article_by_name,
        None if articles is None else lambda: articles.text_by_article,
        options.cap,
        find_extra_columns_given_by_option(options),
        repair.names if repair.repair else None,
    )
    known = None if gold is None else frozenset(gold.article.names)

    def check_stream(stream: BinaryIO, source: str) -> RunFile:
        return read_and_check_run(
            stream, source, RunTarget(KINDS_BY_TASK[options.task], options.task), requirements, known
        ).file

    checked = [inputs.read_input(path, check_stream) for path in options.files]
    for path, run_file in zip(options.files, checked, strict=True):
        if run_file is not None:
            inputs.notes += _list_run_notes(path, run_file, options)
            inputs.add_warnings(path, run_file.table.warnings)
    inputs.faults += gold_inputs.faults
    inputs.notes += [*gold_inputs.notes, *_list_unchecked_notes(options, articles)]
    inputs.raise_faults_or_print_notes()
    for path, run_file in zip(options.files, checked, strict=True):
        if run_file is not None:
            print("\n".join(_iter_check_lines(path, run_file.table, gold)))
    return 0


def _check_open_files(options: Namespace) -> int:
    """Check files of mentions, links and relations of any type, or of labels, and describe them; return 0."""
    inputs = InputFiles(every_warning=True)
    files = read_task_files_noting_faults(options, options.files, options.gold, inputs, ignores_ranks=False)
    inputs.raise_faults_or_print_notes()
    for run_file in files.runs:
        print("\n".join(_iter_check_lines(run_file.path, run_file.table, files.gold)))
    return 0


def _read_gold(options: Namespace, gold_inputs: InputFiles) -> ResultTable | None:
    """The gold standard of --gold, with its errors and notes collected; None without one, or if it is invalid."""
    if not options.gold:
        return None
    return read_task_files_noting_faults(options, [], options.gold, gold_inputs, ignores_ranks=False).gold


def _check_columns_option(path: str, options: Namespace) -> None:
    """UsageError for --columns with a format that has no columns."""
    with open_regular_input_file(path) as stream:
        run_format = sniff_result_format_else_tsv(stream)
    if options.columns is not None and run_format not in (ResultFormat.TSV, ResultFormat.BC2_XML):
        raise UsageError(
            f"--columns works only with tab-separated values, but {path} has the format {run_format}; leave it out."
        )


def _list_run_notes(path: str, run_file: RunFile, options: Namespace) -> list[str]:
    """How the file was read, and its repairs."""
    has_columns = run_file.form in (ResultFormat.TSV, ResultFormat.BC2_XML)
    extras = f"columns found after the result: {', '.join(run_file.table.extras) or 'none'}"
    note = extras if has_columns else run_file.note
    return [*([] if options.columns is not None else [f"{path}: {note}"]), *iter_repair_lines(run_file.table)]


def _list_unchecked_notes(options: Namespace, articles: ArticleTexts | None) -> list[str]:
    """The rules that cannot be checked without the articles."""
    if articles is not None or options.articles:
        return []
    if options.task in PASSAGE_TASKS:
        return [f"whether passages are copied from their articles (R717) was not checked; {UNCHECKED_WITHOUT_TEXTS}"]
    if options.task in MENTION_TASKS:
        return [f"whether mentions fit the texts (R721, R722) was not checked; {UNCHECKED_WITHOUT_TEXTS}"]
    return []


def _iter_check_lines(path: str, table: ResultTable, gold: ResultTable | None) -> Iterator[str]:
    """The contents of a valid run; gold: None without a gold standard."""
    yield f"{path}: no errors; results: {len(table):,}, articles: {len(table.article.names):,}"
    if gold is not None:
        known = frozenset(gold.article.names)
        unknown = [name for name in table.article.names if name not in known]
        if unknown:
            yield f"{path}: not in the gold standard: {format_name_list_with_rest_count(unknown)}"
