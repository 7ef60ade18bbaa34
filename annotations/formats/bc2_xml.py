"""Runs and gold standards in the XML of BioCreative II: interaction pairs, methods and evidence passages.

Hardly any team wrote it correctly: entries were split, ranks reused, tags left open, entry names of UniProt given for
accessions and names of methods for their identifiers. Strictly such a file is refused whole, with all its faults; in
mending what has only one meaning is set right, and every repair is told. The format has no confidences.
Source: BioCreative II, protein-protein interaction task (Krallinger et al. 2008, Genome Biology 9 Suppl 2: S4), and the
descriptions of its subtasks.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import BinaryIO

from annotations.formats.bc2_xml_entries import read_entries
from annotations.formats.bc2_xml_lists import as_interactors, check_ranks, without_repeats
from annotations.formats.bc2_xml_results import Entries, Result
from annotations.formats.bc2_xml_said import FILE, Said
from annotations.formats.bc2_xml_values import plain_names
from annotations.formats.runs_tsv import LIBRARY, Extra, Rules, Table
from annotations.formats.tsv_columns import Integers, Ranks
from annotations.formats.tsv_content import content, empty_columns

# What the format can say: pairs, read as their interactors, too; methods; passages.
BC2_TASKS = frozenset({"int", "ipt", "imt", "iss"})
NO_CONFIDENCE = "this format has no confidences - write tab-separated values"


def read_bc2_run(
    stream: BinaryIO,
    task: str,
    source: str,
    *,
    rules: Rules = LIBRARY,
    columns: Sequence[Extra] | None = None,
    known: Collection[str] | None = None,
    by_line: bool = False,
    mend: bool = False,
    names: Mapping[str, str] | None = None,
) -> Table:
    """The run in a seekable stream; source is its name in faults and repairs. task: one of BC2_TASKS.

    rules, columns, known and by_line: as in annotations.formats.runs_tsv.read_run; a run has ranks if any result has
    one. mend: set right what can be, told in the repairs of the table, with names: {name of a protein or method:
    identifier}, in small or large letters. RefusedFileError with all faults (R606, R608, R609,
    R611, R631 to R646), of mending with those that cannot be mended; ValueError for another task.
    """
    said = Said(source, mend=mend, names=plain_names(names or {}))
    for lacking in (name for name in rules.needed if name == "confidence"):
        said.wrong("R611", FILE, f"there is no {lacking}, which the rules {rules.name} ask for: {NO_CONFIDENCE}")
    if columns is not None and "confidence" in columns:
        said.wrong("R611", FILE, f"there is no confidence: {NO_CONFIDENCE}")

    def checked(own: Result) -> bool:
        return rules.strangers or known is None or own.article in known

    results = without_repeats(read_results(stream, task, said), said, checked)
    if columns is not None and "rank" not in columns:
        return table(results, task, said, ranked=False)
    demanded = columns is not None or "rank" in rules.needed
    unique = no_result if by_line and not rules.strangers else checked
    word = "pair" if task == "iss" else "article"
    return table(results, task, said, ranked=check_ranks(results, said, unique, word=word, demanded=demanded))


def read_bc2_gold(
    stream: BinaryIO, task: str, source: str, *, mend: bool = False, names: Mapping[str, str] | None = None
) -> Table:
    """The gold standard in a seekable stream; ranks do not count. As read_bc2_run; of ISS there is none (R645)."""
    said = Said(source, mend=mend, names=plain_names(names or {}))
    if task == "iss":
        said.wrong("R645", FILE, "this format cannot say which passages are right - write tab-separated values")
    results = without_repeats(read_results(stream, task, said), said, every_result)
    return table(results, task, said, ranked=False)


def every_result(own: Result) -> bool:
    return True


def no_result(own: Result) -> bool:
    return False


def read_results(stream: BinaryIO, task: str, said: Said) -> list[Result]:
    """The results of all entries, in the order of the file."""
    if task not in BC2_TASKS:
        raise ValueError(
            f"BioCreative II XML has nothing for the task {task}; it is for {', '.join(sorted(BC2_TASKS))}."
        )
    entries = Entries(task, said)
    results = [result for entry in read_entries(stream, said) for result in entries.results(entry)]
    if not entries.number and not said.faults:
        said.wrong("R646", FILE, "there is no ENTRY in the file - write one for each result")
    return results


def table(results: Sequence[Result], task: str, said: Said, *, ranked: bool) -> Table:
    """The results as a table. RefusedFileError when there is a fault."""
    repairs = said.finish()
    rows = as_interactors(results) if task == "int" else results
    columns = empty_columns(task, ())
    values = zip(*((own.article, *(own.item or ())) for own in rows), strict=True) if rows else [()] * len(columns)
    for column, texts in zip(columns.values(), values, strict=True):
        column.add(texts)
    own = content(columns)
    return Table(own.article, own.item, rank=rank_column(rows) if ranked else None, repairs=repairs)


def rank_column(results: Sequence[Result]) -> Integers:
    ranks = Ranks()
    ranks.add([str(own.rank) for own in results])
    return ranks.column()
