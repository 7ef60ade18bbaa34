"""Runs and relevance judgements as TREC writes them, so that what trec_eval scores can be scored here, too.

A run has lines `topic Q0 docno rank score tag`, judgements (qrels) `topic iteration docno relevance`, columns with any
white space between. A topic is an article and a docno is what is reported of it: an identifier, in IPT both partners
as `A:B`. Source: trec_eval 9 and pytrec_eval, whose figures of each topic come out the same.
"""

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from annotations.formats.runs_tsv import Table
from annotations.formats.tsv_columns import (
    INTEGER,
    NO_CLASS,
    Codes,
    Column,
    Floats,
    Integers,
    Named,
    Numbers,
    Ranks,
    joined,
)
from annotations.formats.tsv_content import together
from annotations.formats.tsv_lines import Layout
from annotations.formats.tsv_names import Names
from annotations.formats.tsv_reading import Reading

WHITE = Layout(loose=True, rule="R701", between="white space between")
# Tasks whose results are a list of identifiers for each article. A class is no docno, and a mention has a place.
TREC_TASKS = frozenset({"int", "gn", "imt", "ipt", "tx"})
DOCNO, RANK, SCORE, RELEVANCE = 2, 3, 4, 3


class Ignored:
    """A column that says nothing here."""

    def add(self, values: Sequence[str]) -> None: ...


class Relevances:
    """A column of judgements: 1 relevant, 0 not, NO_CLASS anything else."""

    def __init__(self) -> None:
        self.parts: list[Integers] = []

    def add(self, values: Sequence[str]) -> None:
        known = {value: int(int(value) > 0) if INTEGER.fullmatch(value) else NO_CLASS for value in set(values)}
        self.parts.append(np.fromiter(map(known.__getitem__, values), dtype=np.int64, count=len(values)))

    def column(self) -> Integers:
        return joined(self.parts, np.int64)


def read_trec_run(stream: BinaryIO, task: str, source: str) -> Table:
    """The run in a seekable stream; source is its name in faults and warnings.

    A list is in the order in which trec_eval puts it: by falling score, in single precision, scores that are equal
    there by falling docno; the ranks of the table say so, and the rank in the file counts as little as there (where it
    disagrees, a warning says so, R705). The scores are the confidences if all are above 0 and at most 1; otherwise
    there are none. RefusedFileError with all faults (R601, R602, R701, R702, R704, R706); ValueError for a task that
    has no lists of identifiers.
    """
    topic, docno, rank, score = Codes(Names()), Codes(Names()), Ranks(), Numbers()
    columns: dict[str, Column] = {
        "topic": topic,
        "Q0": Ignored(),
        "docno": docno,
        "rank": rank,
        "score": score,
        "tag": Ignored(),
    }
    reading = Reading(stream, source, WHITE)
    reading.read(columns)
    article, name, scores = topic.column(), docno.column(), score.column()
    item = items(reading, task, article, name)
    reading.note("R702", np.isnan(scores), SCORE, "{} is not a score - write a finite number")
    warn_of_disorder(reading, article.codes, rank.column(), scores)
    warnings = reading.finish()
    confidence = scores if ((scores > 0) & (scores <= 1)).all() else None
    return Table(
        article, item, rank=as_trec_eval_ranks(article.codes, name, scores), confidence=confidence, warnings=warnings
    )


def read_qrels(stream: BinaryIO, task: str, source: str) -> Table:
    """The judgements in a seekable stream as a gold standard; source is its name in the faults.

    What has a relevance above 0 is right. An article of which nothing is right is known all the same: it is among the
    names of the articles, without a row. RefusedFileError with all faults (R601, R602, R701, R703, R704, R706, R707);
    ValueError for a task that has no lists of identifiers.
    """
    topic, docno, relevance = Codes(Names()), Codes(Names()), Relevances()
    columns: dict[str, Column] = {"topic": topic, "iteration": Ignored(), "docno": docno, "relevance": relevance}
    reading = Reading(stream, source, WHITE)
    reading.read(columns)
    article, relevant = topic.column(), relevance.column()
    item = items(reading, task, article, docno.column())
    reading.note("R703", relevant == NO_CLASS, RELEVANCE, "{} is not a relevance - write a whole number")
    if not reading.faults and not (relevant == 1).any():
        reading.faults.add("R707", 0, 0, "nothing is judged relevant - give what is right a relevance of 1")
    warnings = reading.finish()
    right = relevant == 1
    return Table(Named(article.names, article.codes[right]), Named(item.names, item.codes[right]), warnings=warnings)


def items(reading: Reading, task: str, article: Named, docno: Named) -> Named:
    """What the docnos stand for; notes what is no pair, and what is said twice of an article."""
    if task not in TREC_TASKS:
        raise ValueError(f"TREC files hold lists of identifiers; task {task} has none.")
    item = pairs(reading, docno) if task == "ipt" else docno
    said = "this docno of the topic is in line {line} already - keep one of the two"
    reading.note_repeats("R704", together(article, item), np.arange(len(item)), DOCNO, said)
    return item


def pairs(reading: Reading, docno: Named) -> Named:
    """The docnos as pairs, each sorted; notes those that are none."""
    parts = [tuple(sorted(name.split(":"))) for name in docno.names]
    wrong = np.array([len(part) != 2 or "" in part for part in parts], dtype=np.bool_)
    reading.note("R706", wrong[docno.codes], DOCNO, "{} is not a pair - write both partners as A:B")
    names = list(dict.fromkeys(parts))
    places = dict(zip(names, range(len(names)), strict=True))
    return Named(names, np.array([places[part] for part in parts], dtype=np.int64)[docno.codes])


def as_trec_eval_ranks(topic: Integers, docno: Named, score: Floats) -> Integers:
    """int [rows]: the place of each row in its topic, from 1, in the order of trec_eval."""
    with np.errstate(over="ignore"):
        falling = -score.astype(np.float32)
    order = np.lexsort((falling, topic))
    tied = (np.diff(topic[order]) == 0) & (np.diff(falling[order]) == 0)
    if tied.any():
        alike = order[np.append(tied, False) | np.insert(tied, 0, False)]
        order = np.lexsort((places_from_last(docno, alike), falling, topic))
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1) - np.searchsorted(topic[order], topic[order])
    return ranks


def places_from_last(docno: Named, rows: Integers) -> Integers:
    """int [rows of docno]: the place of each name among the names of the rows given, the last name first; else 0."""
    codes = np.unique(docno.codes[rows])
    places = np.zeros(len(docno.names), dtype=np.int64)
    places[sorted(codes.tolist(), key=docno.names.__getitem__, reverse=True)] = np.arange(len(codes))
    return places[docno.codes]


def warn_of_disorder(reading: Reading, topic: Integers, rank: Integers, score: Floats) -> None:
    """Warn once if a score is above that of a better rank of its topic (R705)."""
    order = np.lexsort((rank, topic))
    same = np.diff(topic[order]) == 0
    worse = order[1:][same & (np.diff(rank[order]) > 0) & (np.diff(score[order]) > 0)]
    if not len(worse):
        return
    more = f", and so are {len(worse) - 1:,} more" if len(worse) > 1 else ""
    said = f"score {{}} is above that of a better rank{more}; only scores count - mend them if the ranks are meant"
    reading.warnings.add("R705", reading.lines(worse.min(keepdims=True))[0], SCORE, said)
