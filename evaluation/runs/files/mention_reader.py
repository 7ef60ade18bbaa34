"""Read gene mentions of uploaded runs and gold standards in every format that has offsets, and locate them in articles.

The readers of `python -m evaluation` read the files and check their rules. R721 and R722 are checked here, against the
texts of the articles. Offsets of GENE.eval do not count white space, offsets of annotated text do: both are converted
to offsets in the article's text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import BinaryIO

from annotations.entity_types import GENE_TYPES
from annotations.formats.annotated_text.document_results import (
    ALTERNATIVE_TYPES,
    NO_GENE_MENTION,
    build_distinct_gene_span_table,
    iter_mentions_with_types,
)
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.annotated_text.mentions import TextMention
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.gene_eval.reader import (
    GeneFileRole,
    MentionSpan,
    iter_mentions_of_valid_gene_file,
    read_distinct_gene_mentions,
)
from annotations.formats.result_sniffing import (
    ResultFormat,
    check_result_file_is_text_or_archive,
    sniff_result_format_else_tsv,
)
from annotations.schema import AnnotationData, Kind
from evaluation.runs.files.carried_texts import CarriedTexts
from evaluation.runs.files.phase_checks import (
    check_run_articles_identifiers_and_caps,
    number_articles_if_any_is_accepted,
)
from evaluation.runs.files.run_reader import RunFile

# The type that all stored mentions have.
GENE_MENTION_TYPE = "Gene"
# Even the gold standard of BioCreative II has a mention whose text differs from the text at its offsets. If a larger
# share of the mentions differs, the offsets were counted in another text and the file is refused.
MAX_MISMATCH_SHARE = 0.1
MAX_REPORTED_MISMATCHES = 100
FIX_OFFSETS = "count in the text that the phase's article file has"


@dataclass(frozen=True, slots=True)
class GeneMention:
    """A mention as given in its file. line is from 1, 0 if unknown; end is exclusive; text may be empty."""

    line: int
    document: str
    start: int
    end: int
    text: str

    @property
    def column(self) -> int:
        """The column of its offsets in the line, the same in both line formats; 0 if the line is unknown."""
        return len(self.document) + 2 if self.line else 0


@dataclass(frozen=True, slots=True)
class GeneMentionFile:
    """A file that was read. mentions: those of genes; alternatives: accepted instead of genes, in annotated text only.

    Both have each span of a document once. ignores_white_space: their offsets do not count white space. texts: {name of
    a document: its text in the file}, for documents that have one.
    """

    file: RunFile
    mentions: Sequence[GeneMention]
    ignores_white_space: bool
    alternatives: Sequence[GeneMention] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LocatedMentions:
    """Mentions as annotations of the articles; warnings: the mentions whose text differs from the article's.

    moved: {key of the article: number of mentions that could not be moved}, for articles with a slightly different text
    in the file; not_movable: these mentions (R726).
    """

    annotations: Mapping[GeneMention, AnnotationData]
    warnings: Sequence[FormatError]
    moved: Mapping[int, int] = field(default_factory=dict)
    not_movable: Sequence[FormatError] = ()


def read_gene_mention_file(stream: BinaryIO, source: str, role: GeneFileRole = "run") -> GeneMentionFile:
    """Read the mentions of genes from a seekable stream; mentions of other types are ignored.

    Raises RefusedFileError with all faults: R601, R602, R604, R610 for a gold standard without mentions, R629,
    R651 to R695.
    """
    check_result_file_is_text_or_archive(stream, source)
    file_format = sniff_result_format_else_tsv(stream)
    if file_format in ANNOTATED_TEXT_FORMATS:
        return _read_annotated_gene_file(stream, source, file_format, role)
    # Lines in no known format are read as gene mentions, so that their faults are reported.
    if file_format not in (ResultFormat.GENE_EVAL, ResultFormat.TSV):
        message = f"the format {file_format} cannot hold gene mentions - use GENE.eval, PubTator, BioC or PubAnnotation"
        raise RefusedFileError([FormatError(source, 0, 0, "R695", message)])
    table = read_distinct_gene_mentions(stream, source, role)
    rows = enumerate(iter_mentions_of_valid_gene_file(stream), 1)
    mentions = (GeneMention(line, sentence, *span, text) for line, (sentence, span, text) in rows)
    note = "gene mentions as in BioCreative II; offsets do not count white space"
    return GeneMentionFile(
        RunFile(source, table, ResultFormat.GENE_EVAL, note),
        _drop_repeated_mentions(mentions),
        ignores_white_space=True,
    )


def _read_annotated_gene_file(
    stream: BinaryIO, source: str, file_format: ResultFormat, role: GeneFileRole
) -> GeneMentionFile:
    annotated_text = ANNOTATED_TEXT_FORMATS[file_format].read(stream, source, keeps_texts=True)
    table = build_distinct_gene_span_table(annotated_text)
    if role == "gold" and not len(table):
        raise RefusedFileError([FormatError(source, 0, 0, "R610", NO_GENE_MENTION)])
    note = (
        f"{ANNOTATED_TEXT_FORMATS[file_format].name}; gene mentions: {len(table):,} of {len(annotated_text.mentions):,}"
    )
    genes, others = (
        _drop_repeated_mentions(map(_convert_gene_mention, iter_mentions_with_types(annotated_text, types)))
        for types in (GENE_TYPES, ALTERNATIVE_TYPES)
    )
    return GeneMentionFile(
        RunFile(source, table, file_format, note), genes, False, alternatives=others, texts=annotated_text.texts
    )


def _convert_gene_mention(mention: TextMention) -> GeneMention:
    return GeneMention(mention.line, mention.document, mention.start, mention.end, mention.text)


def _drop_repeated_mentions(mentions: Iterable[GeneMention]) -> list[GeneMention]:
    """The first mention of each span of a document."""
    first_by_span: dict[tuple[str, int, int], GeneMention] = {}
    for mention in mentions:
        first_by_span.setdefault((mention.document, mention.start, mention.end), mention)
    return list(first_by_span.values())


def locate_mentions_or_refuse_file(
    mention_file: GeneMentionFile, article_by_name: Mapping[str, int], text_by_article: Mapping[int, str]
) -> LocatedMentions:
    """Locate mentions in the texts of their articles; mentions of other articles are dropped.

    article_by_name: {name in the file: key of the article}; text_by_article: {key of the article: its text}. Raises
    RefusedFileError with every mention that ends beyond its text (R721), and with every mention that has another text
    than its article at that span (R722) if their share is larger than MAX_MISMATCH_SHARE; otherwise these are warnings.
    Mentions in a text that differs slightly are checked in that text, and moved. Of mentions of a document that are
    then at the same span, the first is kept, as of those that the file itself has at one span.
    """
    carried = CarriedTexts(mention_file.file.source, mention_file.texts, text_by_article)
    get_solid_positions = cache(
        lambda article: [
            position for position, character in enumerate(text_by_article[article]) if not character.isspace()
        ]
    )
    outside, mismatches = (
        PositionedFaults(mention_file.file.source),
        PositionedFaults(mention_file.file.source, MAX_REPORTED_MISMATCHES),
    )
    annotations: dict[GeneMention, AnnotationData] = {}
    spans: set[tuple[str, object]] = set()
    number_in_text = 0
    for mention in mention_file.mentions:
        if mention.document in article_by_name:
            article = article_by_name[mention.document]
            written = AnnotationData(Kind.MENTION, start=mention.start, end=mention.end, text=mention.text)
            text = carried.get_annotated_text(written, mention.document, article)
            span = _find_article_span(
                mention, len(text), get_solid_positions(article) if mention_file.ignores_white_space else None
            )
            if span is None:
                outside.add("R721", mention.line, mention.column, _format_outside_text_fault(mention))
                continue
            text_at_span = text[slice(*span)]
            number_in_text += 1
            if not is_text_at_span(mention.text, text_at_span):
                mismatches.add("R722", mention.line, mention.column, _format_text_mismatch_fault(mention, text_at_span))
            annotation = AnnotationData(
                Kind.MENTION, start=span.start, end=span.end, text=text_at_span, type=GENE_MENTION_TYPE
            )
            place = (mention.line, mention.column)
            moved = carried.move_annotation(annotation, mention.document, article, place)
            if moved is not None and (mention.document, moved.key) not in spans:
                spans.add((mention.document, moved.key))
                annotations[mention] = moved
    mismatch_faults = (
        mismatches.list_faults() if mismatches.counts["R722"] > MAX_MISMATCH_SHARE * number_in_text else []
    )
    if outside or mismatch_faults:
        raise RefusedFileError([*outside.list_faults(), *mismatch_faults])
    return LocatedMentions(annotations, mismatches.list_faults(), carried.moved, carried.not_movable.list_faults())


def _find_article_span(mention: GeneMention, length: int, solid_positions: Sequence[int] | None) -> MentionSpan | None:
    """Return the span in an article's text of this length, None if the mention ends beyond it.

    solid_positions: the positions of all characters that are not white space, if the file counts only these.
    """
    if mention.end > (length if solid_positions is None else len(solid_positions)):
        return None
    return (
        MentionSpan(mention.start, mention.end)
        if solid_positions is None
        else MentionSpan(solid_positions[mention.start], solid_positions[mention.end - 1] + 1)
    )


def is_text_at_span(mention: str, text_at_span: str) -> bool:
    """Whether a mention is the text at its span: its first and last word count, as a mention may skip words."""
    words, squeezed = mention.split(), "".join(text_at_span.split())
    return not words or (squeezed.startswith(words[0]) and squeezed.endswith(words[-1]))


def _format_outside_text_fault(mention: GeneMention) -> str:
    name, text = quote_file_text(mention.document), quote_file_text(mention.text)
    message = f"the mention {text} of {name} ends at {mention.end}, beyond the end of the article's text"
    return f"{message} - {FIX_OFFSETS}"


def _format_text_mismatch_fault(mention: GeneMention, text_at_span: str) -> str:
    name, text = quote_file_text(mention.document), quote_file_text(mention.text)
    return f"in {name} the text at these offsets is {quote_file_text(text_at_span)}, not {text} - {FIX_OFFSETS}"


def read_and_locate_run_mentions(
    stream: BinaryIO,
    source: str,
    article_by_name_or_any: Mapping[str, int] | None,
    text_by_article: Mapping[int, str] | None,
    allowed_results_per_article: int | None,
) -> tuple[RunFile, dict[int, list[AnnotationData]], Mapping[int, int]]:
    """Read a run of gene mentions from a seekable stream.

    Returns the file, {key of the article: its mentions} and LocatedMentions.moved. Articles that the file names without
    a mention have an empty list. article_by_name_or_any: None if any name is accepted; text_by_article: None if the
    texts are not known, so that mentions are not located; allowed_results_per_article: the most an article may have,
    None for no limit. Raises RefusedFileError with all faults of read_gene_mention_file,
    check_run_articles_identifiers_and_caps or locate_mentions_or_refuse_file.
    """
    mention_file = read_gene_mention_file(stream, source)
    check_run_articles_identifiers_and_caps(
        mention_file.file, Kind.MENTION, article_by_name_or_any, allowed_results_per_article
    )
    article_by_name = number_articles_if_any_is_accepted(mention_file.file, article_by_name_or_any)
    located = (
        LocatedMentions({}, [])
        if text_by_article is None
        else locate_mentions_or_refuse_file(mention_file, article_by_name, text_by_article)
    )
    annotations: dict[int, list[AnnotationData]] = {
        article_by_name[name]: [] for name in mention_file.file.articles if name in article_by_name
    }
    for mention, annotation in located.annotations.items():
        annotations[article_by_name[mention.document]].append(annotation)
    warnings = [*mention_file.file.table.warnings, *located.warnings, *located.not_movable]
    table = replace(mention_file.file.table, warnings=warnings)
    return replace(mention_file.file, table=table), annotations, located.moved
