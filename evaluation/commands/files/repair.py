"""The options to repair files in BioCreative II XML, and what was repaired."""

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.tsv.map_reader import read_identifier_by_name
from annotations.formats.tsv.result_table import ResultTable
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file


@dataclass(frozen=True, slots=True)
class RepairOptions:
    """How to read BioCreative II XML. repair: whether errors are repaired; names: {name: identifier} for the repair."""

    repair: bool
    names: Mapping[str, str]


def read_repair_options_noting_faults(
    options: Namespace, input_paths: Sequence[str], inputs: InputFiles
) -> RepairOptions:
    """The values of --mend and --names; errors in the table of names are collected in inputs.

    UsageError for --names without --mend, or for --mend when no file is BioCreative II XML.
    """
    if options.names and not options.mend:
        raise UsageError("--names FILE has the identifiers that --mend writes; give both options or neither.")
    if options.mend and not any(_is_bc2_xml_file(path) for path in input_paths):
        raise UsageError("--mend works only with BioCreative II XML, but no file has this format; leave it out.")
    names = inputs.read_input(options.names, read_identifier_by_name) if options.names else None
    return RepairOptions(bool(options.mend), names or {})


def _is_bc2_xml_file(path: str) -> bool:
    with open_regular_input_file(path) as stream:
        return sniff_result_format_else_tsv(stream) == ResultFormat.BC2_XML


def iter_repair_lines(table: ResultTable) -> Iterable[str]:
    """One line for each repair in a file."""
    for repair in table.repairs:
        yield f"{repair.source}:{repair.line}:{repair.column}: {repair.rule} repaired: {repair.message}"
