"""Reads runs and relevance judgements in TREC format, so files for trec_eval can be scored here too.

A run has lines `topic Q0 docno rank score tag`, judgements (qrels) have lines `topic iteration docno relevance`, with
columns separated by any white space. A topic is an article and a docno is a result for it: an identifier, or in IPT
both partners as `A:B`. Source: trec_eval 9 and pytrec_eval, which give the same scores for each topic.
"""

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from annotations.formats.tsv.clean_lines import CodedValues
from annotations.formats.tsv.column_reader import ColumnReader
from annotations.formats.tsv.columns import (
    INTEGER_TEXT,
    NO_CLASS,
    ClassColumnBuilder,
    ColumnBuilder,
    Floats,
    Integers,
    NameColumn,
    NameColumnBuilder,
    NumberColumnBuilder,
    RankColumnBuilder,
)
from annotations.formats.tsv.content import compute_joint_row_codes
from annotations.formats.tsv.lines import LineLayout
from annotations.formats.tsv.names import NameNumbers
from annotations.formats.tsv.result_table import ResultTable

WHITE_SPACE_LAYOUT = LineLayout(loose=True, rule="R701", separator_label="separated by white space")
# Tasks whose results are a list of identifiers for each article. Classes and mentions cannot be written as docnos.
TREC_TASKS = frozenset({"int", "gn", "imt", "ipt", "tx"})
DOCNO_FIELD, SCORE_FIELD, RELEVANCE_FIELD = 2, 4, 3


class IgnoredColumnBuilder:
    """A column whose values are not used."""

    def add(self, values: Sequence[str]) -> None: ...

    def add_coded(self, coded: CodedValues) -> None: ...


class RelevanceColumnBuilder(ClassColumnBuilder):
    """A column of judgements: 1 relevant, 0 not, NO_CLASS anything else."""

    def add(self, values: Sequence[str]) -> None:
        classes = {value: int(int(value) > 0) if INTEGER_TEXT.fullmatch(value) else NO_CLASS for value in set(values)}
        self.parts.append(np.fromiter(map(classes.__getitem__, values), dtype=np.int8, count=len(values)))


def read_trec_run_ranked_by_score(stream: BinaryIO, task: str, source: str) -> ResultTable:
    """The run in a seekable stream; source is the file's name in faults and warnings.

    The ranks of the table follow the order of trec_eval: by falling score in single precision, ties by falling docno.
    Like in trec_eval, the ranks in the file are ignored; a warning says if they disagree (R705). The scores are the
    confidences if all are above 0 and at most 1; otherwise there are none. RefusedFileError with all faults (R601,
    R602, R701, R702, R704, R706); ValueError for a task that has no lists of identifiers.
    """
    topic, docno, rank, score = (
        NameColumnBuilder(NameNumbers()),
        NameColumnBuilder(NameNumbers()),
        RankColumnBuilder(),
        NumberColumnBuilder(),
    )
    columns: dict[str, ColumnBuilder] = {
        "topic": topic,
        "Q0": IgnoredColumnBuilder(),
        "docno": docno,
        "rank": rank,
        "score": score,
        "tag": IgnoredColumnBuilder(),
    }
    reader = ColumnReader(stream, source, WHITE_SPACE_LAYOUT)
    reader.read_columns(columns)
    article, docnos, scores = topic.column(), docno.column(), score.column()
    item = _check_trec_items(reader, task, article, docnos)
    reader.note_rows("R702", np.isnan(scores), SCORE_FIELD, "{} is not a score - write a finite number")
    _warn_score_disorder(reader, article.codes, rank.column(), scores)
    warnings = reader.finish()
    confidence = scores if ((scores > 0) & (scores <= 1)).all() else None
    return ResultTable(
        article,
        item,
        rank=_compute_trec_eval_ranks(article.codes, docnos, scores),
        confidence=confidence,
        warnings=warnings,
    )


def read_relevant_trec_qrels(stream: BinaryIO, task: str, source: str) -> ResultTable:
    """The judgements in a seekable stream as a gold standard; source is the file's name in the faults.

    Items with a relevance above 0 are relevant and become rows. An article without relevant items has no row, but is
    among the names of the articles. RefusedFileError with all faults (R601, R602, R701, R703, R704, R706, R707);
    ValueError for a task that has no lists of identifiers.
    """
    topic, docno, relevance = (
        NameColumnBuilder(NameNumbers()),
        NameColumnBuilder(NameNumbers()),
        RelevanceColumnBuilder(),
    )
    columns: dict[str, ColumnBuilder] = {
        "topic": topic,
        "iteration": IgnoredColumnBuilder(),
        "docno": docno,
        "relevance": relevance,
    }
    reader = ColumnReader(stream, source, WHITE_SPACE_LAYOUT)
    reader.read_columns(columns)
    article, relevant = topic.column(), relevance.column()
    item = _check_trec_items(reader, task, article, docno.column())
    reader.note_rows("R703", relevant == NO_CLASS, RELEVANCE_FIELD, "{} is not a relevance - write a whole number")
    if not reader.faults and not (relevant == 1).any():
        reader.faults.add("R707", 0, 0, "nothing is judged relevant - give relevant items a relevance of 1")
    warnings = reader.finish()
    is_relevant = relevant == 1
    return ResultTable(
        NameColumn(article.names, article.codes[is_relevant]),
        NameColumn(item.names, item.codes[is_relevant]),
        warnings=warnings,
    )


def _check_trec_items(reader: ColumnReader, task: str, article: NameColumn, docno: NameColumn) -> NameColumn:
    """The items that the docnos denote; notes invalid pairs and repeated items of an article."""
    if task not in TREC_TASKS:
        raise ValueError(f"TREC files hold lists of identifiers; task {task} has none.")
    item = _parse_docno_pairs(reader, docno) if task == "ipt" else docno
    message = "this docno of the topic is already in line {line} - keep one of the two"
    reader.note_repeats("R704", compute_joint_row_codes(article, item), np.arange(len(item)), DOCNO_FIELD, message)
    return item


def _parse_docno_pairs(reader: ColumnReader, docno: NameColumn) -> NameColumn:
    """The docnos as pairs, each sorted; notes those that are not pairs."""
    pairs = [tuple(sorted(name.split(":"))) for name in docno.names]
    is_invalid = np.array([len(pair) != 2 or "" in pair for pair in pairs], dtype=np.bool_)
    reader.note_rows("R706", is_invalid[docno.codes], DOCNO_FIELD, "{} is not a pair - write both partners as A:B")
    names = list(dict.fromkeys(pairs))
    codes = dict(zip(names, range(len(names)), strict=True))
    return NameColumn(names, np.array([codes[pair] for pair in pairs], dtype=np.int64)[docno.codes])


def _compute_trec_eval_ranks(topic: Integers, docno: NameColumn, score: Floats) -> Integers:
    """int [rows]: the rank of each row in its topic, from 1, in the order of trec_eval."""
    with np.errstate(over="ignore"):
        negated_scores = -score.astype(np.float32)
    order = np.lexsort((negated_scores, topic))
    is_tied = (np.diff(topic[order]) == 0) & (np.diff(negated_scores[order]) == 0)
    if is_tied.any():
        tied_rows = order[np.append(is_tied, False) | np.insert(is_tied, 0, False)]
        order = np.lexsort((_rank_names_descending(docno, tied_rows), negated_scores, topic))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1) - np.searchsorted(topic[order], topic[order])
    return ranks


def _rank_names_descending(docno: NameColumn, rows: Integers) -> Integers:
    """int [rows of docno]: the position of each name among the names of these rows, in descending order; else 0."""
    codes = np.unique(docno.codes[rows])
    positions = np.zeros(len(docno.names), dtype=np.int64)
    positions[sorted(codes.tolist(), key=docno.names.__getitem__, reverse=True)] = np.arange(len(codes))
    return positions[docno.codes]


def _warn_score_disorder(reader: ColumnReader, topic: Integers, rank: Integers, score: Floats) -> None:
    """Warn once if a score is higher than that of a better rank of the same topic (R705)."""
    order = np.lexsort((rank, topic))
    same_topic = np.diff(topic[order]) == 0
    rows = order[1:][same_topic & (np.diff(rank[order]) > 0) & (np.diff(score[order]) > 0)]
    if not len(rows):
        return
    others = f", and so are {len(rows) - 1:,} more" if len(rows) > 1 else ""
    problem = f"score {{}} is higher than that of a better rank{others}"
    message = f"{problem} - only scores count; correct them if the ranks are right"
    reader.warnings.add("R705", reader.line_numbers(rows.min(keepdims=True))[0], SCORE_FIELD, message)
