"""Runs and gold standards as BioCreative writes them: tab-separated, one result a line, lines in any order.

ACT `article class`, INT, GN, IMT and TX `article identifier`, IPT `article A B`, ISS `article A B passage`; a run may
add a rank, then a confidence. Source: BioCreative evaluation library 3.2, whose doubtful cases are refused here. A file
is refused whole, with all its faults.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Literal

from annotations.formats.errors import FormatError
from annotations.formats.tsv_columns import Booleans, Column, Floats, Integers, Named, RanksOrConfidences
from annotations.formats.tsv_content import (
    COLUMNS,
    CONFIDENCE,
    EITHER,
    JUDGED,
    RANK,
    Content,
    check_content,
    content,
    empty_columns,
    grouped,
    settled,
)
from annotations.formats.tsv_lines import usual_width
from annotations.formats.tsv_ranks import Grouped, check_confidences, check_gaps, check_ranks, warn_of_rises
from annotations.formats.tsv_reading import Reading, known_rows

Extra = Literal["rank", "confidence"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a run beyond its form.

    needed: the extra columns that it must have; gapless: ranks are 1, 2, 3 without a gap, and a confidence that rises
    with the rank is warned of; strangers: articles that the gold standard does not know must not have a result or a
    rank twice either.
    """

    name: str
    needed: tuple[Extra, ...] = ()
    gapless: bool = False
    strangers: bool = True


LIBRARY = Rules("library", strangers=False)
BC25 = Rules("bc25", needed=("rank", "confidence"), gapless=True)
BC3 = Rules("bc3", needed=("confidence",))
RULES = {rules.name: rules for rules in (LIBRARY, BC25, BC3)}


@dataclass(frozen=True, slots=True)
class Table:
    """A file, one row for each line.

    item: what is said of the article: an identifier, (A, B) sorted, or (A, B, passage); None for ACT. relevant: bool
    [rows], of ACT and of judgements, which also have best. rank: int [rows] from 1, confidence: float [rows] in ]0, 1],
    None when the file has none. repairs: what was mended in reading, where that was asked for.
    """

    article: Named
    item: Named | None = None
    relevant: Booleans | None = None
    best: Booleans | None = None
    rank: Integers | None = None
    confidence: Floats | None = None
    warnings: Sequence[FormatError] = ()
    repairs: Sequence[FormatError] = ()

    def __len__(self) -> int:
        return len(self.article)

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Which of rank and confidence the file has."""
        rank: tuple[Extra, ...] = () if self.rank is None else ("rank",)
        return rank if self.confidence is None else (*rank, "confidence")


def read_run(
    stream: BinaryIO,
    task: str,
    source: str,
    *,
    rules: Rules = LIBRARY,
    columns: Sequence[Extra] | None = None,
    known: Collection[str] | None = None,
    by_line: bool = False,
) -> Table:
    """The run in a seekable stream; source is its name in faults and warnings.

    columns: which extra columns it has, None to find out: two are rank and confidence; one is the rank if all its
    values are whole numbers from 1, none twice in an article (ACT: in a class), else the confidence, which it also is
    where the rules need one and all values could be one. known: articles of the gold standard, None when there is none.
    by_line: ranks do not count, so that one may stand twice unless the rules are strict. RefusedFileError with all
    faults (R601 to R612).
    """
    more = found_columns(stream, task, rules) if columns is None else columns
    reading, own = read(stream, empty_columns(task, more), source)
    checked = known_rows(own.article, None if rules.strangers else known)
    check_content(own, reading, checked)
    lists = grouped(own, checked)
    rank, confidence = settled(own, lists, unsure=CONFIDENCE if CONFIDENCE in rules.needed else RANK)
    values = {RANK: rank, CONFIDENCE: confidence}
    for lacking in (name for name in rules.needed if values[name] is None):
        reading.faults.add("R611", 0, 0, f"there is no {lacking} column - the rules {rules.name} ask for one")
    check_extras(own, reading, lists, rank, confidence, rules, unique=rules.strangers or not by_line)
    return table(own, reading, rank, confidence)


def read_gold(stream: BinaryIO, task: str, source: str) -> Table:
    """The gold standard in a seekable stream, of ISS the judgements; source is its name in the faults.

    RefusedFileError with all faults (R601 to R605, R608, R610, R619).
    """
    columns = empty_columns(task, JUDGED if task == "iss" else ())
    reading, own = read(stream, columns, source)
    check_content(own, reading, known_rows(own.article, None))
    if task == "iss":
        worst = (own.classes["best"] == 1) & (own.classes["relevant"] == 0)
        reading.note("R619", worst, own.field("best"), "a best passage is relevant - write 1 before it, or 0 here")
    if not len(own.article) and not reading.faults:
        reading.faults.add("R610", 0, 0, f"the gold standard is empty - write one line each: {', '.join(columns)}")
    return table(own, reading, None, None)


def read(stream: BinaryIO, columns: dict[str, Column], source: str) -> tuple[Reading, Content]:
    reading = Reading(stream, source)
    reading.read(columns)
    return reading, content(columns)


def found_columns(stream: BinaryIO, task: str, rules: Rules) -> Sequence[str]:
    """The extra columns by the number of columns that most lines have; an empty run has those that it needs."""
    width = usual_width(stream)
    extra = width - len(COLUMNS[task])
    if not width:
        return rules.needed
    if extra == 1:
        return (EITHER,)
    return (RANK, CONFIDENCE) if extra > 1 else ()


def check_extras(
    own: Content,
    reading: Reading,
    lists: Grouped,
    rank: Integers | None,
    confidence: Floats | None,
    rules: Rules,
    *,
    unique: bool,
) -> None:
    """Note what is wrong with ranks and confidences, each None when the file has none."""
    last = len(own.columns) - 1
    if confidence is not None:
        either = own.columns.get(EITHER)
        like_ranks = isinstance(either, RanksOrConfidences) and either.ranks.sound
        check_confidences(reading, confidence, last, like_ranks=like_ranks)
    if rank is None:
        return
    field = last if confidence is None else last - 1
    faulty = check_ranks(reading, lists, rank, field, unique=unique)
    if rules.gapless:
        check_gaps(reading, lists, rank, field, faulty)
        if confidence is not None:
            warn_of_rises(reading, lists, rank, confidence, last)


def table(own: Content, reading: Reading, rank: Integers | None, confidence: Floats | None) -> Table:
    """All of it. RefusedFileError when there is a fault."""
    warnings = reading.finish()
    classes = {name: column == 1 for name, column in own.classes.items()}
    relevant = classes.get("class", classes.get("relevant"))
    return Table(own.article, own.item, relevant, classes.get("best"), rank, confidence, warnings)
