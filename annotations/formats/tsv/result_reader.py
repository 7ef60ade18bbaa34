"""Reads runs and gold standards in BioCreative's format: tab-separated, one result per line, lines in any order.

ACT `article class`, INT, GN, IMT and TX `article identifier`, IPT `article A B`, ISS `article A B passage`; a run may
add a rank, then a confidence. Source: BioCreative evaluation library 3.2; files that it reads ambiguously are rejected
here. An invalid file is rejected as a whole, with all its faults.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.tsv.column_reader import ColumnReader, mark_known_article_rows
from annotations.formats.tsv.columns import (
    ColumnBuilder,
    Floats,
    Integers,
    NameColumn,
    RankOrConfidenceColumnBuilder,
)
from annotations.formats.tsv.content import (
    CONFIDENCE_COLUMN,
    JUDGEMENT_COLUMNS,
    RANK_COLUMN,
    RANK_OR_CONFIDENCE_COLUMN,
    TASK_COLUMNS,
    TsvContent,
    build_tsv_content,
    group_rows_by_ranked_list,
    interpret_rank_and_confidence_columns,
    make_column_builders,
    note_name_class_and_repeat_faults,
)
from annotations.formats.tsv.lines import detect_column_count_of_first_lines
from annotations.formats.tsv.ranks import (
    RankGroups,
    note_and_list_faulty_rank_rows,
    note_confidence_faults,
    note_rank_gaps_of_faultless_groups,
    warn_rising_confidences,
)
from annotations.formats.tsv.result_table import ExtraColumn, ResultTable


@dataclass(frozen=True, slots=True)
class RunRules:
    """What a run must satisfy beyond its format.

    required_columns: extra columns that it must have; gapless: ranks must be 1, 2, 3 without gaps, and a confidence
    that rises from one rank to the next causes a warning; checks_unknown_articles: articles outside the gold standard
    must not repeat results or ranks either; ignores_further_columns: columns after rank and confidence are ignored.
    """

    name: str
    required_columns: tuple[ExtraColumn, ...] = ()
    gapless: bool = False
    checks_unknown_articles: bool = True
    ignores_further_columns: bool = False


LIBRARY_RULES = RunRules("library", checks_unknown_articles=False, ignores_further_columns=True)
BC25_RULES = RunRules("bc25", required_columns=("rank", "confidence"), gapless=True)
BC3_RULES = RunRules("bc3", required_columns=("confidence",))
# A line with an article alone says that it has no label.
TASKS_WITH_EMPTY_ARTICLES = frozenset({"labels"})
RANK_AND_CONFIDENCE = (RANK_COLUMN, CONFIDENCE_COLUMN)
RUN_RULES = {rules.name: rules for rules in (LIBRARY_RULES, BC25_RULES, BC3_RULES)}


def read_tsv_run(
    stream: BinaryIO,
    task: str,
    source: str,
    *,
    rules: RunRules = LIBRARY_RULES,
    expected_extra_columns: Sequence[ExtraColumn] | None = None,
    repeat_checked_articles: Collection[str] | None = None,
    allow_repeated_ranks: bool = False,
) -> ResultTable:
    """The run in a seekable stream; source is the file's name in faults and warnings.

    expected_extra_columns: its extra columns, None to detect them: two are rank and confidence; one is the confidence
    if the rules require it and all values are valid confidences; otherwise it is the rank if all values are whole
    numbers from 1 without repetition within an article (ACT: a class), else the confidence. repeat_checked_articles:
    articles of the gold standard, None if there is none. allow_repeated_ranks: ranks may be repeated unless the rules
    check unknown articles. RefusedFileError with all faults (R601 to R612).
    """
    extra_columns = (
        _detect_extra_columns(stream, task, rules) if expected_extra_columns is None else expected_extra_columns
    )
    reader, content = _read_tsv_content(
        stream,
        make_column_builders(task, extra_columns),
        source,
        accepts_single_names=task in TASKS_WITH_EMPTY_ARTICLES,
        cut_further_columns=rules.ignores_further_columns and len(extra_columns) == len(RANK_AND_CONFIDENCE),
    )
    is_checked = mark_known_article_rows(
        content.article, None if rules.checks_unknown_articles else repeat_checked_articles
    )
    note_name_class_and_repeat_faults(content, reader, is_checked)
    groups = group_rows_by_ranked_list(content, is_checked)
    rank, confidence = interpret_rank_and_confidence_columns(
        content,
        groups,
        preferred_if_ambiguous=CONFIDENCE_COLUMN if CONFIDENCE_COLUMN in rules.required_columns else RANK_COLUMN,
    )
    values = {RANK_COLUMN: rank, CONFIDENCE_COLUMN: confidence}
    for missing_column in (name for name in rules.required_columns if values[name] is None):
        reader.faults.add(
            "R611", 0, 0, f"there is no {missing_column} column - add it, as the rules {rules.name} require"
        )
    _note_extra_column_faults(
        content,
        reader,
        groups,
        rank,
        confidence,
        rules,
        unique=rules.checks_unknown_articles or not allow_repeated_ranks,
    )
    return _build_tsv_result_table(content, reader, rank, confidence)


def read_tsv_gold(stream: BinaryIO, task: str, source: str) -> ResultTable:
    """The gold standard in a seekable stream (ISS: the judgements); source is the file's name in the faults.

    RefusedFileError with all faults (R601 to R605, R608, R610, R619).
    """
    columns = make_column_builders(task, JUDGEMENT_COLUMNS if task == "iss" else ())
    reader, content = _read_tsv_content(stream, columns, source, accepts_single_names=task in TASKS_WITH_EMPTY_ARTICLES)
    note_name_class_and_repeat_faults(content, reader, mark_known_article_rows(content.article, None))
    if task == "iss":
        is_contradictory = (content.classes["best"] == 1) & (content.classes["relevant"] == 0)
        reader.note_rows(
            "R619",
            is_contradictory,
            content.field_index("best"),
            "a passage marked as best must be relevant - write 1 for relevant, or 0 for best",
        )
    if not len(content.article) and not reader.faults:
        reader.faults.add("R610", 0, 0, f"the gold standard is empty - write one line per result: {', '.join(columns)}")
    return _build_tsv_result_table(content, reader, None, None)


def _read_tsv_content(
    stream: BinaryIO,
    columns: dict[str, ColumnBuilder],
    source: str,
    *,
    accepts_single_names: bool,
    cut_further_columns: bool = False,
) -> tuple[ColumnReader, TsvContent]:
    reader = ColumnReader(stream, source, accepts_single_names=accepts_single_names)
    reader.read_columns(columns, cut_further_columns=cut_further_columns)
    return reader, build_tsv_content(columns)


def _detect_extra_columns(stream: BinaryIO, task: str, rules: RunRules) -> Sequence[str]:
    """The extra columns, by the number of columns of most lines; for an empty run, those that the rules require."""
    least = len(TASK_COLUMNS[task]) if task in TASKS_WITH_EMPTY_ARTICLES else 1
    width = detect_column_count_of_first_lines(stream, least)
    extra = width - len(TASK_COLUMNS[task])
    if not width:
        return rules.required_columns
    if extra == 1:
        return (RANK_OR_CONFIDENCE_COLUMN,)
    return RANK_AND_CONFIDENCE if extra > 1 else ()


def _note_extra_column_faults(
    content: TsvContent,
    reader: ColumnReader,
    groups: RankGroups,
    rank: Integers | None,
    confidence: Floats | None,
    rules: RunRules,
    *,
    unique: bool,
) -> None:
    """Note faults of ranks and confidences, each None if the file has none."""
    last_field = len(content.columns) - 1
    if confidence is not None:
        ambiguous = content.columns.get(RANK_OR_CONFIDENCE_COLUMN)
        could_be_ranks = isinstance(ambiguous, RankOrConfidenceColumnBuilder) and ambiguous.ranks.all_valid
        note_confidence_faults(reader, confidence, last_field, suggest_ranks=could_be_ranks)
    if rank is None:
        return
    field = last_field if confidence is None else last_field - 1
    faulty_rows = note_and_list_faulty_rank_rows(reader, groups, rank, field, must_be_unique=unique)
    if rules.gapless:
        note_rank_gaps_of_faultless_groups(reader, groups, rank, field, faulty_rows)
        if confidence is not None:
            warn_rising_confidences(reader, groups, rank, confidence, last_field)


def _build_tsv_result_table(
    content: TsvContent, reader: ColumnReader, rank: Integers | None, confidence: Floats | None
) -> ResultTable:
    """The results as a table. RefusedFileError if there are faults."""
    warnings = reader.finish()
    classes = {name: column == 1 for name, column in content.classes.items()}
    relevant = classes.get("class", classes.get("relevant"))
    article = content.article
    if reader.single_names:
        article = NameColumn(list(dict.fromkeys([*article.names, *reader.single_names])), article.codes)
    return ResultTable(article, content.item, relevant, classes.get("best"), rank, confidence, warnings)
