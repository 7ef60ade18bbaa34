"""Runs and gold standard of one task: all are checked before any is used, and all their faults are told at once."""

from argparse import Namespace
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from annotations.formats.runs_tsv import Table
from annotations.formats.text_results import Found
from evaluation.commands.errors import UsageError
from evaluation.commands.files.bc2_xml import mending_of, repairs
from evaluation.commands.files.inputs import Inputs, opened, tell
from evaluation.commands.files.lists import read_list_gold, read_list_run
from evaluation.commands.files.mentions import read_mention_files, with_documents
from evaluation.measures.spans import Span


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was read; name is what reports call it."""

    name: str
    path: str
    table: Table


@dataclass(frozen=True, slots=True)
class Files:
    """The runs and the gold standard of one task, all of them checked; gold is None when there is none.

    solid: places of mentions do not count white space, and files name only the sentences that have one; alternatives:
    what a gold standard of mentions accepts in place of genes, None where it says nothing of them.
    """

    runs: Sequence[Run]
    gold: Table | None
    solid: bool = False
    alternatives: Mapping[str, Collection[Span]] | None = None

    def gold_for(self, runs: Sequence[Run]) -> Table:
        """The gold standard that these runs are held against. ValueError when there is none."""
        if self.gold is None:
            raise ValueError("These runs are held against nothing; read_files reads a gold standard too.")
        return with_documents(self.gold, [own.table for own in runs]) if self.solid else self.gold


def read_files(options: Namespace, runs: Sequence[str], gold: str | None, inputs: Inputs, *, by_line: bool) -> Files:
    """Runs and gold standard; what is wrong with them and what is worth a note is gathered in inputs.

    by_line: lists stand in the order of lines, so that ranks do not count.
    """
    paths = (*runs, *([gold] if gold else []))
    for path in paths:
        opened(path).close()
    if options.task == "gm":
        return read_mentions_of(options, runs, gold, inputs)
    mending = mending_of(options, paths, inputs)
    right = inputs.read(gold, lambda stream, source: read_list_gold(stream, source, options, mending)) if gold else None
    known = None if right is None else frozenset(right.table.article.names)

    def reader(stream: BinaryIO, source: str) -> Found:
        return read_list_run(stream, source, options, known, mending, by_line=by_line)

    found = [inputs.read(path, reader) for path in runs]
    for path, own in zip((*runs, gold or ""), (*found, right), strict=True):
        if own is not None:
            inputs.notes += [*([f"{path}: {own.note}"] if own.note else []), *repairs(own.table)]
            inputs.warn(path, own.table.warnings)
    named = zip(run_names(runs), runs, found, strict=True)
    read = [Run(name, path, own.table) for name, path, own in named if own is not None]
    return Files(read, None if right is None else right.table)


def read_mentions_of(options: Namespace, runs: Sequence[str], gold: str | None, inputs: Inputs) -> Files:
    """As read_files, of gene mentions."""
    found = read_mention_files(runs, gold, getattr(options, "alternatives", None), inputs)
    names = dict(zip(runs, run_names(runs), strict=True))
    read = [Run(names[own.path], own.path, own.table) for own in found.runs]
    right = found.gold
    return Files(read, right.table if right else None, found.solid, right.alternatives if right else None)


def run_names(paths: Sequence[str]) -> list[str]:
    """The names of the files without their endings; the whole paths of those that would have the same name."""
    stems = Counter(Path(path).stem for path in paths)
    return [Path(path).stem if stems[Path(path).stem] == 1 else path for path in paths]


def tell_mismatches(options: Namespace, runs: Sequence[Run]) -> None:
    """Tell what an option cannot do to a run. UsageError when a run has not the column that it is ordered by."""
    for own in runs:
        tell(mismatches(options, own))


def mismatches(options: Namespace, own: Run) -> list[str]:
    """Notes on what an option cannot do to this run. UsageError when it has not the column that it is ordered by."""
    if options.order in ("rank", "confidence") and options.order not in own.table.extras:
        raise UsageError(f"{own.path} has no {options.order} column; choose another --order.")
    if options.min_confidence is not None and own.table.confidence is None:
        return [f"{own.path}: no confidences, so --min-confidence cuts nothing"]
    return []
