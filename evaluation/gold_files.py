"""A gold standard's file, read in whichever format it is written; by the readers of `python -m evaluation`."""

from collections.abc import Mapping, Sequence
from io import BytesIO

from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.bc2_xml import BC2_TASKS, read_bc2_gold
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gold_tsv import VALUES, GoldLine, scan_gold
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.runs_tsv import Table, read_gold
from annotations.formats.sniffing import Format, check_text, format_of
from annotations.formats.text_results import TEXT_TASKS, results_of
from annotations.formats.trec import TREC_TASKS, read_qrels
from annotations.kinds import Finding, Kind
from evaluation.mentions.files import laid_on, read_gene_file
from evaluation.run_files import RunFile, check_identifiers, identified, parts_of, word_of

Scanned = tuple[list[GoldLine], list[FormatError]]


def scan_gold_file(content: bytes, kind: Kind, name: str, source: str) -> Scanned:
    """What could be read, and the faults of the rest; name is the task's, source the file's in the faults.

    ValueError for a kind without gold standard files.
    """
    stream = BytesIO(content)
    try:
        check_text(stream, source)
        form = format_of(stream)
        # Lines that have no other form are read as tab-separated values, so that their faults are told.
        if form not in {*TEXT_FORMATS, Format.BC2_XML, Format.TREC_QRELS}:
            return scan_gold(content, kind, source) if kind in VALUES else scan_pairs(stream, kind, name, source)
        return lines_of(RunFile(source, table_of(stream, form, word_of(kind, name), source), form, ""), kind)
    except RefusedFileError as error:
        return [], list(error.faults)


def scan_pairs(stream: BytesIO, kind: Kind, name: str, source: str) -> Scanned:
    if kind != Kind.PAIR:
        kinds = ", ".join([*VALUES, Kind.PAIR])
        raise ValueError(f"There is no gold standard file for the kind {kind}; kinds with one: {kinds}.")
    table = read_gold(stream, word_of(kind, name), source)
    return lines_of(RunFile(source, table, Format.TSV, ""), kind)


def scan_mentions(content: bytes, source: str, known: Mapping[str, int], texts: Mapping[int, str]) -> Scanned:
    """As scan_gold_file, of mentions of genes; known: {name: article}, texts: {article: its text}. Mentions of articles
    that are not known stand where the file has them."""
    try:
        own = read_gene_file(BytesIO(content), source, "gold")
    except RefusedFileError as error:
        return [], list(error.faults)
    strangers = (mention for mention in own.mentions if mention.document not in known)
    unknown = [
        GoldLine(own.line, own.document, Finding(Kind.MENTION, start=own.start, end=own.end)) for own in strangers
    ]
    try:
        laid = laid_on(own, known, texts).findings
    except RefusedFileError as error:
        return unknown, list(error.faults)
    return [*(GoldLine(mention.line, mention.document, found) for mention, found in laid.items()), *unknown], []


def table_of(stream: BytesIO, form: Format, task: str, source: str) -> Table:
    """RefusedFileError with all faults; R711 when the format has no results of this task."""
    if form == Format.BC2_XML and task in BC2_TASKS:
        return read_bc2_gold(stream, task, source)
    if form == Format.TREC_QRELS and task in TREC_TASKS:
        return read_qrels(stream, task, source)
    if form in TEXT_FORMATS and task in TEXT_TASKS and (task != "act" or TEXT_FORMATS[form].classes):
        return results_of(TEXT_FORMATS[form].read(stream, source), task).table
    said = f"the file is in the format {form}, which has no results of this task - write tab-separated values"
    raise RefusedFileError([FormatError(source, 0, 0, "R711", said)])


def lines_of(own: RunFile, kind: Kind) -> Scanned:
    """Each row as a line of a gold standard; R712 for identifiers that no database of the kind has."""
    faults = PlacedFaults(own.source)
    check_identifiers(own, kind, dict.fromkeys(own.articles, 0), faults)
    if faults:
        return [], list(faults.told())
    names = own.table.article.names
    rows = zip(own.table.article.codes.tolist(), findings_of(own.table, kind), strict=True)
    return [GoldLine(own.line(row), names[code], finding) for row, (code, finding) in enumerate(rows)], []


def findings_of(table: Table, kind: Kind) -> Sequence[Finding]:
    if table.item is None:
        return (
            [Finding(kind, relevant=bool(own)) for own in table.relevant.tolist()] if table.relevant is not None else []
        )
    named = [identified(kind, parts_of(item)) for item in table.item.names]
    found = [Finding(kind, database=own[0], identifier=own[1], partner=own[2]) for own in named]
    return [found[code] for code in table.item.codes.tolist()]
