"""Gene mentions of uploaded runs and gold standards: read in every format that gives places, and laid on the articles.

Files are read by the readers of `python -m evaluation` and by the same rules; what the articles ask for besides is R721
and R722. Places of GENE.eval do not count white space, those of annotated text do; here both become places in the
article's own text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import BinaryIO

from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.gene_eval import Place, Role, read_genes, texts
from annotations.formats.mentions import Mention
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.sniffing import Format, check_text, format_of
from annotations.formats.text_results import ALTERNATIVE_TYPES, GENE_TYPES, NO_GENE, mentions_of, places_of_genes
from annotations.formats.tsv_faults import quoted
from annotations.kinds import Finding, Kind
from evaluation.run_files import RunFile, check_for_phase

# The type of all mentions that are taken out of files.
GENE = "Gene"
# Even the gold standard of BioCreative II has a mention of another text than stands at its place; of so large a share
# of all they are no slips. As many are told.
FEW_ODD, MOST_ODD = 0.1, 100


@dataclass(frozen=True, slots=True)
class GeneMention:
    """A mention as its file has it: line from 1, 0 where that is not known; the end is exclusive; text may be empty."""

    line: int
    document: str
    start: int
    end: int
    text: str

    @property
    def column(self) -> int:
        """Where its place stands in the line, in either format of lines."""
        return len(self.document) + 2 if self.line else 0


@dataclass(frozen=True, slots=True)
class GeneFile:
    """A file that could be read. mentions, and alternatives, which annotated text may have of genes: each place of a
    document once; solid: places do not count white space."""

    file: RunFile
    mentions: Sequence[GeneMention]
    solid: bool
    alternatives: Sequence[GeneMention] = ()


@dataclass(frozen=True, slots=True)
class Laid:
    """What the mentions of a file say of the articles' texts; warnings: of those that have another text there."""

    findings: Mapping[GeneMention, Finding]
    warnings: Sequence[FormatError]


def read_gene_file(stream: BinaryIO, source: str, role: Role = "run") -> GeneFile:
    """The mentions of genes in a seekable stream; those of other types do not count.

    RefusedFileError with all faults (R601, R602, R604, R610 of a gold standard without any, R629, R651 to R695).
    """
    check_text(stream, source)
    form = format_of(stream)
    if form in TEXT_FORMATS:
        return annotated_text(stream, source, form, role)
    # Lines that have no other form are read as gene mentions, so that their faults are told.
    if form not in (Format.GENE_EVAL, Format.TSV):
        said = f"gene mentions are not given as {form} - write them as GENE.eval, PubTator, BioC or PubAnnotation"
        raise RefusedFileError([FormatError(source, 0, 0, "R695", said)])
    table = read_genes(stream, source, role)
    rows = enumerate(texts(stream), 1)
    found = (GeneMention(line, sentence, *place, text) for line, (sentence, place, text) in rows)
    note = "gene mentions as BioCreative II writes them; places do not count white space"
    return GeneFile(RunFile(source, table, Format.GENE_EVAL, note), once(found), solid=True)


def annotated_text(stream: BinaryIO, source: str, form: Format, role: Role) -> GeneFile:
    own = TEXT_FORMATS[form].read(stream, source)
    table = places_of_genes(own)
    if role == "gold" and not len(table):
        raise RefusedFileError([FormatError(source, 0, 0, "R610", NO_GENE)])
    note = f"{TEXT_FORMATS[form].name}; mentions of genes: {len(table):,} of {len(own.mentions):,}"
    genes, others = (once(map(gene_mention, mentions_of(own, types))) for types in (GENE_TYPES, ALTERNATIVE_TYPES))
    return GeneFile(RunFile(source, table, form, note), genes, solid=False, alternatives=others)


def gene_mention(own: Mention) -> GeneMention:
    return GeneMention(own.line, own.document, own.start, own.end, own.text)


def once(found: Iterable[GeneMention]) -> list[GeneMention]:
    """The first mention of each place."""
    places: dict[tuple[str, int, int], GeneMention] = {}
    for own in found:
        places.setdefault((own.document, own.start, own.end), own)
    return list(places.values())


def laid_on(own: GeneFile, known: Mapping[str, int], articles: Mapping[int, str]) -> Laid:
    """The mentions of known articles on the articles' texts. known: {name: article}; articles: {article: its text}.

    RefusedFileError with every mention beyond its text (R721), and, when so many have another text than stands at
    their place that places must be counted otherwise, with these (R722); few such are warned of.
    """
    solid = cache(lambda article: [at for at, sign in enumerate(articles[article]) if not sign.isspace()])
    beyond, odd = PlacedFaults(own.file.source), PlacedFaults(own.file.source, MOST_ODD)
    found: dict[GeneMention, Finding] = {}
    for mention in own.mentions:
        if mention.document in known:
            article = known[mention.document]
            text = articles[article]
            place = within(mention, len(text), solid(article) if own.solid else None)
            if place is None:
                beyond.add("R721", mention.line, mention.column, outside(mention))
                continue
            there = text[slice(*place)]
            found[mention] = Finding(Kind.MENTION, start=place.start, end=place.end, text=there, type=GENE)
            if not fits(mention.text, there):
                odd.add("R722", mention.line, mention.column, other_text(mention, there))
    wrong = odd.told() if odd.numbers["R722"] > FEW_ODD * len(found) else []
    if beyond or wrong:
        raise RefusedFileError([*beyond.told(), *wrong])
    return Laid(found, odd.told())


def within(own: GeneMention, length: int, solid: Sequence[int] | None) -> Place | None:
    """The place in the article's text of this length, None beyond it; solid: where its characters stand that are not
    white space, if the file counts these alone."""
    if own.end > (length if solid is None else len(solid)):
        return None
    return Place(own.start, own.end) if solid is None else Place(solid[own.start], solid[own.end - 1] + 1)


def fits(text: str, found: str) -> bool:
    """Whether a mention is what stands at its place: by its ends, as one of several parts has other words between."""
    words, there = text.split(), "".join(found.split())
    return not words or (there.startswith(words[0]) and there.endswith(words[-1]))


def outside(own: GeneMention) -> str:
    said = f"the mention {quoted(own.text)} of {quoted(own.document)} ends at {own.end}, beyond the article's text"
    return f"{said} - count in the text of the phase's file of articles"


def other_text(own: GeneMention, found: str) -> str:
    said = f"in {quoted(own.document)} the text at this place is {quoted(found)}, not {quoted(own.text)}"
    return f"{said} - count in the text of the phase's file of articles"


def read_mentions_for_phase(
    stream: BinaryIO, source: str, known: Mapping[str, int], articles: Mapping[int, str], most: int | None
) -> tuple[RunFile, dict[int, list[Finding]]]:
    """The run in a seekable stream, which fits the phase, and {article: the genes mentioned in it}.

    Articles of which it says nothing have an empty list; most: results of an article, None for any number.
    RefusedFileError with all faults, as read_gene_file, check_for_phase and laid_on.
    """
    own = read_gene_file(stream, source)
    check_for_phase(own.file, Kind.MENTION, known, most)
    laid = laid_on(own, known, articles)
    said: dict[int, list[Finding]] = {known[name]: [] for name in own.file.articles if name in known}
    for mention, finding in laid.findings.items():
        said[known[mention.document]].append(finding)
    table = replace(own.file.table, warnings=[*own.file.table.warnings, *laid.warnings])
    return replace(own.file, table=table), said
