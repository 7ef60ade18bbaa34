"""Runs and gold standards in BioCreative II XML, and whether what is wrong with them is mended."""

from argparse import Namespace
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from annotations.formats.bc2_xml import BC2_TASKS, read_bc2_gold, read_bc2_run
from annotations.formats.maps_tsv import read_names
from annotations.formats.runs_tsv import Table
from annotations.formats.sniffing import Format, format_of
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import Inputs, opened
from evaluation.commands.options.arguments import columns_of, rules_of


@dataclass(frozen=True, slots=True)
class Mending:
    """How files in BioCreative II XML are read: mended, and with which identifiers for names, or strictly."""

    mend: bool
    names: Mapping[str, str]


def mending_of(options: Namespace, paths: Sequence[str], inputs: Inputs) -> Mending:
    """What --mend and --names say; what is wrong with the table of names is gathered in inputs.

    UsageError when there is nothing to mend in any of the files, or nothing is to be mended.
    """
    if options.names and not options.mend:
        raise UsageError("--names FILE says what --mend writes for names; give both, or none of them.")
    if options.mend and not any(is_bc2(path) for path in paths):
        raise UsageError("--mend is for BioCreative II XML, but none of the files is that; leave it out.")
    names = inputs.read(options.names, read_names) if options.names else None
    return Mending(bool(options.mend), names or {})


def is_bc2(path: str) -> bool:
    with opened(path) as stream:
        return format_of(stream) == Format.BC2_XML


def bc2_run(
    stream: BinaryIO,
    source: str,
    options: Namespace,
    known: Collection[str] | None,
    mending: Mending,
    *,
    by_line: bool,
) -> Table:
    """The run in a stream. UsageError for another task; RefusedFileError with all faults."""
    check_bc2(source, options.task)
    return read_bc2_run(
        stream,
        options.task,
        source,
        rules=rules_of(options),
        columns=columns_of(options),
        known=known,
        by_line=by_line,
        mend=mending.mend,
        names=mending.names,
    )


def bc2_gold(stream: BinaryIO, source: str, options: Namespace, mending: Mending) -> Table:
    """The gold standard in a stream. UsageError for another task; RefusedFileError with all faults."""
    check_bc2(source, options.task)
    return read_bc2_gold(stream, options.task, source, mend=mending.mend, names=mending.names)


def check_bc2(source: str, task: str) -> None:
    if task not in BC2_TASKS:
        raise UsageError(
            f"{source} is XML as in BioCreative II, which is for {', '.join(sorted(BC2_TASKS))}; "
            f"--task {task} needs tab-separated values."
        )


def repairs(table: Table) -> Iterable[str]:
    """What was mended in a file, one line each."""
    for own in table.repairs:
        yield f"{own.source}:{own.line}:{own.column}: {own.rule} mended: {own.message}"
