"""Runs and gold standards of gene mentions: annotated text, or the format of BioCreative II (GENE.eval)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.annotated_text.document_results import (
    ALTERNATIVE_TYPES,
    NO_GENE_MENTION,
    build_distinct_gene_span_table,
    iter_mentions_with_types,
)
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gene_eval.reader import (
    GeneFileRole,
    iter_mentions_of_valid_gene_file,
    read_distinct_gene_mentions,
)
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import Span
from evaluation.commands.errors import UsageError
from evaluation.commands.files.gold_texts import (
    GoldTexts,
    MovedRun,
    build_gold_texts_of_genes,
    move_gene_mentions,
)
from evaluation.commands.files.inputs import InputFiles, open_regular_input_file


@dataclass(frozen=True, slots=True)
class MentionFile:
    """A valid file of mentions.

    ignores_white_space: offsets do not count white space, and the file names only sentences with a mention;
    alternatives: {document: spans that a gold standard accepts instead of genes}, None if it has none; texts: those of
    a gold standard.
    """

    path: str
    table: ResultTable
    ignores_white_space: bool
    alternatives: Mapping[str, Collection[Span]] | None = None
    texts: GoldTexts | None = None


@dataclass(frozen=True, slots=True)
class MentionFiles:
    """Runs and gold standard that count offsets in the same way; invalid files are absent."""

    runs: Sequence[MentionFile]
    gold: MentionFile | None

    @property
    def ignores_white_space(self) -> bool:
        return any(
            file.ignores_white_space and len(file.table) for file in (*self.runs, *([self.gold] if self.gold else []))
        )


def read_mention_files_noting_faults(
    run_paths: Sequence[str], gold_path: str | None, alternatives_path_for_offset_check: str | None, inputs: InputFiles
) -> MentionFiles:
    """Read runs and gold standard; their errors are collected in inputs. Items are Spans.

    alternatives_path_for_offset_check: the file of accepted alternatives, which is not read here, only compared with
    the others. UsageError when files count offsets in different ways.
    """
    # The errors and notes of runs go before those of the gold standard, to whose texts the runs are moved.
    gold_inputs = InputFiles(every_warning=inputs.every_warning)
    gold_file = _read_mention_file(gold_path, "gold", gold_inputs) if gold_path else None
    texts = gold_file.texts if gold_file else None
    files = [file for path in run_paths if (file := _read_mention_file(path, "run", inputs, texts)) is not None]
    inputs.faults += gold_inputs.faults
    inputs.notes += gold_inputs.notes
    _check_same_offset_counting([*files, *([gold_file] if gold_file else [])], alternatives_path_for_offset_check)
    return MentionFiles(files, gold_file)


def _read_mention_file(
    path: str, role: GeneFileRole, inputs: InputFiles, gold_texts: GoldTexts | None = None
) -> MentionFile | None:
    """The gene mentions of one file, moved to the texts of a gold standard; None when it is invalid."""
    with open_regular_input_file(path) as stream:
        result_format = sniff_result_format_else_tsv(stream)
    text_format = ANNOTATED_TEXT_FORMATS.get(result_format)
    if text_format is None and result_format not in (ResultFormat.GENE_EVAL, ResultFormat.TSV):
        message = f"gene mentions cannot be read from {result_format} - use GENE.eval, PubTator, BioC or PubAnnotation"
        inputs.refuse_text(path, "R695", message)
        return None
    alternatives: dict[str, set[Span]] = {}
    texts, moving = None, MovedRun(())
    if text_format is None:
        table = inputs.read_input(
            path, lambda stream, source: _convert_items_to_spans(read_distinct_gene_mentions(stream, source, role))
        )
    else:
        keeps_texts = role == "gold" or gold_texts is not None
        annotated = inputs.read_input(
            path, lambda stream, source: text_format.read(stream, source, keeps_texts=keeps_texts)
        )
        if annotated and gold_texts:
            annotated, moving = move_gene_mentions(annotated, path, gold_texts)
            inputs.notes += moving.notes
        table = (
            inputs.read_input(path, lambda stream, source: _build_gene_table(annotated, source, role))
            if annotated
            else None
        )
        if annotated and role == "gold":
            alternatives = group_spans_by_document(annotated, ALTERNATIVE_TYPES)
            texts = build_gold_texts_of_genes(annotated)
    if table is None:
        return None
    if text_format is not None:
        alternatives_note = f", of alternatives: {sum(map(len, alternatives.values())):,}" if alternatives else ""
        inputs.notes.append(f"{path}: {text_format.name}; mentions of genes: {len(table):,}{alternatives_note}")
    inputs.add_warnings(path, [*table.warnings, *moving.warnings])
    return MentionFile(path, table, text_format is None, alternatives or None, texts)


def _check_same_offset_counting(files: Sequence[MentionFile], alternatives: str | None) -> None:
    without_white_space = [file.path for file in files if file.ignores_white_space and len(file.table)]
    with_white_space = [file.path for file in files if not file.ignores_white_space]
    if alternatives:
        with open_regular_input_file(alternatives) as stream:
            (
                with_white_space
                if sniff_result_format_else_tsv(stream) in ANNOTATED_TEXT_FORMATS
                else without_white_space
            ).append(alternatives)
    if without_white_space and with_white_space:
        raise UsageError(
            f"{without_white_space[0]} counts offsets without white space and {with_white_space[0]} with it; "
            "give all files in the same format."
        )


def group_spans_by_document(annotated: AnnotatedTextFile, mention_types: frozenset[str]) -> dict[str, set[Span]]:
    """{document: spans} of the mentions of these types."""
    spans: dict[str, set[Span]] = {}
    for mention in iter_mentions_with_types(annotated, mention_types):
        spans.setdefault(mention.document, set()).add(Span(mention.start, mention.end))
    return spans


def _build_gene_table(annotated: AnnotatedTextFile, source: str, role: GeneFileRole) -> ResultTable:
    """The distinct spans of genes, with documents that have none. RefusedFileError for gold without genes."""
    table = build_distinct_gene_span_table(annotated)
    if role == "gold" and not len(table):
        raise RefusedFileError([FormatError(source, 0, 0, "R610", NO_GENE_MENTION)])
    return _convert_items_to_spans(table)


def _convert_items_to_spans(table: ResultTable) -> ResultTable:
    """The table with Spans as items. ValueError for a table without items."""
    if table.item is None:
        raise ValueError("The table has no spans; read mentions with read_distinct_gene_mentions.")
    spans = NameColumn([Span(*offsets) for offsets in table.item.names], table.item.codes)
    return ResultTable(table.article, spans, warnings=table.warnings)


def read_mention_texts(path: str) -> dict[tuple[str, Span], str]:
    """{(document, span): text of the mention} of a valid file."""
    with open_regular_input_file(path) as stream:
        text_format = ANNOTATED_TEXT_FORMATS.get(sniff_result_format_else_tsv(stream))
        if text_format is None:
            return {
                (sentence, Span(*offsets)): text for sentence, offsets, text in iter_mentions_of_valid_gene_file(stream)
            }
        return {
            (mention.document, Span(mention.start, mention.end)): mention.text
            for mention in text_format.read(stream, path).mentions
        }


def build_gold_with_run_documents(gold: ResultTable, runs: Sequence[ResultTable]) -> ResultTable:
    """The gold standard with the documents of the runs added: sentences that it does not name have no gene."""
    names = list(dict.fromkeys([*gold.article.names, *(name for run in runs for name in run.article.names)]))
    return ResultTable(NameColumn(names, gold.article.codes), gold.item)
