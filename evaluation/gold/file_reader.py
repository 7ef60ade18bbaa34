"""Read the file of a gold standard in any of its formats, with the readers of `python -m evaluation`."""

from collections.abc import Mapping, Sequence
from io import BytesIO

from annotations.formats.annotated_text.document_results import TEXT_TASKS, collect_document_results
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.bc2_xml.reader import read_bc2_gold_refusing_iss
from annotations.formats.bc2_xml.result_tasks import BC2_TASKS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import (
    ResultFormat,
    check_result_file_is_text_or_archive,
    sniff_result_format_else_tsv,
)
from annotations.formats.trec.reader import TREC_TASKS, read_relevant_trec_qrels
from annotations.formats.tsv.gold_reader import GOLD_VALUE_FORMATS, GoldLine, scan_gold_tsv
from annotations.formats.tsv.result_reader import read_tsv_gold
from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import AnnotationData, Kind
from evaluation.runs.files.identifier_forms import ensure_item_is_tuple
from evaluation.runs.files.mention_reader import locate_mentions_or_refuse_file, read_gene_mention_file
from evaluation.runs.files.phase_checks import check_identifier_forms_noting_faults
from evaluation.runs.files.result_rows import build_database_identifier_and_partner
from evaluation.runs.files.run_reader import RunFile, get_file_reader_task_name

ScannedGold = tuple[list[GoldLine], list[FormatError]]


def read_gold_file_noting_faults(content: bytes, kind: Kind, task_name: str, file_name: str) -> ScannedGold:
    """The lines of a gold standard that could be read, and the faults of the others.

    task_name: name of the task; file_name: name of the file for the faults. ValueError for a kind without gold standard
    files.
    """
    stream = BytesIO(content)
    try:
        check_result_file_is_text_or_archive(stream, file_name)
        file_format = sniff_result_format_else_tsv(stream)
        # A file in no known format is read as tab-separated values, so that its faults are listed.
        if file_format not in {*ANNOTATED_TEXT_FORMATS, ResultFormat.BC2_XML, ResultFormat.TREC_QRELS}:
            return (
                scan_gold_tsv(content, kind, file_name)
                if kind in GOLD_VALUE_FORMATS
                else _scan_pair_gold(stream, kind, task_name, file_name)
            )
        return _build_gold_lines(
            RunFile(
                file_name,
                _read_gold_table(stream, file_format, get_file_reader_task_name(kind, task_name), file_name),
                file_format,
                "",
            ),
            kind,
        )
    except RefusedFileError as error:
        return [], list(error.faults)


def _scan_pair_gold(stream: BytesIO, kind: Kind, name: str, source: str) -> ScannedGold:
    """Tab-separated interaction pairs. ValueError for another kind."""
    if kind != Kind.PAIR:
        kinds = ", ".join([*GOLD_VALUE_FORMATS, Kind.PAIR])
        raise ValueError(f"There are no gold standard files for the kind {kind}. Kinds with files: {kinds}.")
    table = read_tsv_gold(stream, get_file_reader_task_name(kind, name), source)
    return _build_gold_lines(RunFile(source, table, ResultFormat.TSV, ""), kind)


def read_gene_mention_gold_keeping_unknown_articles(
    content: bytes, file_name: str, article_id_by_name: Mapping[str, int], text_by_article_id: Mapping[int, str]
) -> ScannedGold:
    """The lines of a gold standard of gene mentions that could be read, and the faults of the others.

    article_id_by_name: {article name: article id}; text_by_article_id: {article id: text}. Mentions in unknown articles
    keep the positions of the file. file_name: name of the file for the faults.
    """
    try:
        file = read_gene_mention_file(BytesIO(content), file_name, "gold")
    except RefusedFileError as error:
        return [], list(error.faults)
    unknown = [
        GoldLine(mention.line, mention.document, AnnotationData(Kind.MENTION, start=mention.start, end=mention.end))
        for mention in file.mentions
        if mention.document not in article_id_by_name
    ]
    try:
        located = locate_mentions_or_refuse_file(file, article_id_by_name, text_by_article_id)
    except RefusedFileError as error:
        return unknown, list(error.faults)
    lines = (
        GoldLine(mention.line, mention.document, annotation, article_id_by_name[mention.document] in located.moved)
        for mention, annotation in located.annotations.items()
    )
    return [*lines, *unknown], list(located.not_movable)


def _read_gold_table(stream: BytesIO, file_format: ResultFormat, task: str, source: str) -> ResultTable:
    """Read a file in a known format. RefusedFileError with all faults, R711 if the format cannot hold the task."""
    if file_format == ResultFormat.BC2_XML and task in BC2_TASKS:
        return read_bc2_gold_refusing_iss(stream, task, source)
    if file_format == ResultFormat.TREC_QRELS and task in TREC_TASKS:
        return read_relevant_trec_qrels(stream, task, source)
    if (
        file_format in ANNOTATED_TEXT_FORMATS
        and task in TEXT_TASKS
        and (task != "act" or ANNOTATED_TEXT_FORMATS[file_format].has_classes)
    ):
        return collect_document_results(ANNOTATED_TEXT_FORMATS[file_format].read(stream, source), task).table
    message = f"the file is in the format {file_format}, which has no results of this task - write tab-separated values"
    raise RefusedFileError([FormatError(source, 0, 0, "R711", message)])


def _build_gold_lines(file: RunFile, kind: Kind) -> ScannedGold:
    """The rows of a file as lines of a gold standard, or the faults of its identifiers (R712)."""
    faults = PositionedFaults(file.source)
    check_identifier_forms_noting_faults(file, kind, dict.fromkeys(file.articles, 0), faults)
    if faults:
        return [], list(faults.list_faults())
    names = file.table.article.names
    rows = zip(file.table.article.codes.tolist(), _list_row_annotations(file.table, kind), strict=True)
    return [GoldLine(file.line(row), names[code], annotation) for row, (code, annotation) in enumerate(rows)], []


def _list_row_annotations(table: ResultTable, kind: Kind) -> Sequence[AnnotationData]:
    """One annotation for each row of a table; none for a table without items and without classes."""
    if table.item is None:
        return (
            [AnnotationData(kind, relevant=bool(relevant)) for relevant in table.relevant.tolist()]
            if table.relevant is not None
            else []
        )
    values = [build_database_identifier_and_partner(kind, ensure_item_is_tuple(item)) for item in table.item.names]
    annotations = [AnnotationData(kind, database=value[0], identifier=value[1], partner=value[2]) for value in values]
    return [annotations[code] for code in table.item.codes.tolist()]
