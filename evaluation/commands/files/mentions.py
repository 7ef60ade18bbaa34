"""Runs and gold standards of gene mentions: files of annotated text, or gene mentions as BioCreative II writes them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gene_eval import Role, read_genes, texts
from annotations.formats.mentions import Mentions
from annotations.formats.runs_tsv import Table
from annotations.formats.sniffing import Format, format_of
from annotations.formats.text_results import ALTERNATIVE_TYPES, NO_GENE, mentions_of, places_of_genes
from annotations.formats.tsv_columns import Named
from evaluation.commands.errors import UsageError
from evaluation.commands.files.inputs import Inputs, opened
from evaluation.measures.spans import Span


@dataclass(frozen=True, slots=True)
class MentionFile:
    """A file that was read. solid: places do not count white space, and only sentences with a mention are named;
    alternatives: what a gold standard accepts in place of genes, None where it says nothing of them."""

    path: str
    table: Table
    solid: bool
    alternatives: Mapping[str, Collection[Span]] | None = None


@dataclass(frozen=True, slots=True)
class MentionFiles:
    """Runs and gold standard that count places alike; those that are refused are absent."""

    runs: Sequence[MentionFile]
    gold: MentionFile | None

    @property
    def solid(self) -> bool:
        return any(own.solid and len(own.table) for own in (*self.runs, *([self.gold] if self.gold else [])))


def read_mention_files(runs: Sequence[str], gold: str | None, alternatives: str | None, inputs: Inputs) -> MentionFiles:
    """Runs and gold standard; what is wrong with them is gathered in inputs.

    alternatives: the file of what is accepted in place of genes, which is not read here.
    UsageError when files that count places differently are mixed. Items are Spans.
    """
    files = [own for path in runs if (own := read_mentions(path, "run", inputs)) is not None]
    right = read_mentions(gold, "gold", inputs) if gold else None
    check_places([*files, *([right] if right else [])], alternatives)
    return MentionFiles(files, right)


def read_mentions(path: str, role: Role, inputs: Inputs) -> MentionFile | None:
    """The gene mentions of one file, None when it is refused."""
    with opened(path) as stream:
        form = format_of(stream)
    text = TEXT_FORMATS.get(form)
    if text is None and form not in (Format.GENE_EVAL, Format.TSV):
        said = f"gene mentions are not given as {form} - write them as GENE.eval, PubTator, BioC or PubAnnotation"
        inputs.faults.append(FormatError(path, 0, 0, "R695", said))
        return None
    alternatives: dict[str, set[Span]] = {}
    if text is None:
        table = inputs.read(path, lambda stream, source: with_spans(read_genes(stream, source, role)))
    else:
        own = inputs.read(path, text.read)
        table = inputs.read(path, lambda stream, source: gene_table(own, source, role)) if own else None
        alternatives = spans_of(own, ALTERNATIVE_TYPES) if own and role == "gold" else {}
    if table is None:
        return None
    if text is not None:
        more = f", of alternatives: {sum(map(len, alternatives.values())):,}" if alternatives else ""
        inputs.notes.append(f"{path}: {text.name}; mentions of genes: {len(table):,}{more}")
    inputs.warn(path, table.warnings)
    return MentionFile(path, table, solid=text is None, alternatives=alternatives or None)


def check_places(files: Sequence[MentionFile], alternatives: str | None) -> None:
    solid = [own.path for own in files if own.solid and len(own.table)]
    other = [own.path for own in files if not own.solid]
    if alternatives:
        with opened(alternatives) as stream:
            (other if format_of(stream) in TEXT_FORMATS else solid).append(alternatives)
    if solid and other:
        raise UsageError(
            f"{solid[0]} counts places without white space and {other[0]} with it; give all files in the same format."
        )


def spans_of(own: Mentions, types: frozenset[str]) -> dict[str, set[Span]]:
    """{document: places} of the mentions of these types."""
    found: dict[str, set[Span]] = {}
    for mention in mentions_of(own, types):
        found.setdefault(mention.document, set()).add(Span(mention.start, mention.end))
    return found


def gene_table(own: Mentions, source: str, role: Role) -> Table:
    """The distinct places of genes; documents without one are there, too. RefusedFileError for gold without any."""
    table = places_of_genes(own)
    if role == "gold" and not len(table):
        raise RefusedFileError([FormatError(source, 0, 0, "R610", NO_GENE)])
    return with_spans(table)


def with_spans(table: Table) -> Table:
    """The table with Spans for items."""
    if table.item is None:
        raise ValueError("A table of mentions has a place for each; read it with read_genes.")
    spans = Named([Span(*place) for place in table.item.names], table.item.codes)
    return Table(table.article, spans, warnings=table.warnings)


def mention_texts(path: str) -> dict[tuple[str, Span], str]:
    """{document and place: the text there} of a file that has been read without a fault."""
    with opened(path) as stream:
        text = TEXT_FORMATS.get(format_of(stream))
        if text is None:
            return {(sentence, Span(*place)): text for sentence, place, text in texts(stream)}
        return {(own.document, Span(own.start, own.end)): own.text for own in text.read(stream, path).mentions}


def with_documents(gold: Table, runs: Sequence[Table]) -> Table:
    """The gold standard with the documents of the runs, too: a sentence that it does not name has no gene."""
    names = list(dict.fromkeys([*gold.article.names, *(name for run in runs for name in run.article.names)]))
    return Table(Named(names, gold.article.codes), gold.item)
