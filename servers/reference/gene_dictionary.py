"""Gene mentions by a dictionary of HGNC names, normalized to NCBI Gene and UniProt (GM, GN)."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from annotations.schema import AnnotationData, Kind
from bcms.lib.text import DASHES
from servers.kit.articles import KitArticle
from servers.reference.abbreviations import extract_long_form_by_abbreviation
from servers.reference.gene_spelling import (
    NamePiece,
    is_gap_at_most_one_separator,
    iter_keys_abbreviating_one_inner_greek_name,
    regularize_name_and_spell_greek,
    split_letter_digit_and_greek_character_pieces,
)
from servers.reference.species_dictionary import HUMAN, SpeciesDictionary
from servers.reference.stopwords import NO_GENE_NAMES, NO_PROTEINS, NO_SYMBOLS, PLAIN_WORDS
from servers.reference.word_shapes import has_gene_name_ending

MOUSE, RAT = 10090, 10116
CELL_SEPARATOR = re.compile(r", |[|;]")
DASH_OR_SPACE = re.compile(rf"[\s{re.escape(DASHES)}]")
NO_NAMES = NO_GENE_NAMES | NO_SYMBOLS
# Keys that are ordinary words: "protein S" must not match "proteins".
NO_KEYS = PLAIN_WORDS | NO_PROTEINS
# How many letters replacing a Greek letter's name by one Latin letter can save, so a key may exceed its reach by these.
MOST_GREEK = 6
BEGINNING = 5
SHORTEST_NAME = 3
SHORTEST_WITH_SPACE = 8
# Locus types whose names do not stand for genes in texts.
NO_GENES = frozenset(
    (
        "pseudogene",
        "unknown",
        "phenotype only",
        "RNA, transfer",
        "immunoglobulin pseudogene",
        "T cell receptor pseudogene",
        "fragile site",
        "endogenous retrovirus",
        "region",
        "virus integration site",
        "transposable element",
    )
)


HGNC_COLUMNS = (
    "Approved symbol",
    "Approved name",
    "Previous symbols",
    "Alias symbols",
    "NCBI Gene ID(supplied by NCBI)",
    "UniProt ID(supplied by UniProt)",
    "Mouse genome database ID(supplied by MGI)",
    "Rat genome database ID(supplied by RGD)",
)


class GeneNameSource(IntEnum):
    """Where a name comes from, the most reliable first."""

    SYMBOL = 0
    NAME = 1
    PREVIOUS = 2
    ALIAS = 3
    ORTHOLOG = 4


# By source of the name: how often a match was a gene mention, and how often its gene was correct, measured on abstracts
# with expert labels.
MENTION_CONFIDENCE_BY_SOURCE = {
    GeneNameSource.SYMBOL: 0.9,
    GeneNameSource.NAME: 0.8,
    GeneNameSource.PREVIOUS: 0.8,
    GeneNameSource.ALIAS: 0.7,
    GeneNameSource.ORTHOLOG: 0.6,
}
GENE_CONFIDENCE_BY_SOURCE = {
    GeneNameSource.SYMBOL: 0.8,
    GeneNameSource.NAME: 0.7,
    GeneNameSource.PREVIOUS: 0.6,
    GeneNameSource.ALIAS: 0.55,
    GeneNameSource.ORTHOLOG: 0.3,
}
# An article about other organisms usually means their genes, not the human ones whose identifiers the table has.
OTHER_ORGANISM_FACTOR = 0.25


@dataclass(frozen=True, slots=True)
class HumanGene:
    """One human gene with its NCBI Gene id (entrez) and UniProt accession, both empty if HGNC has none."""

    symbol: str
    entrez: str
    uniprot: str


@dataclass(frozen=True, slots=True)
class GeneName:
    """One name of a gene, as spelled in its table."""

    spelling: str
    gene: HumanGene
    source: GeneNameSource


@dataclass(slots=True)
class GeneNameTable:
    """All names by their key (regularize_name_and_spell_greek), and the human genes by the ids of their orthologs
    (MGI:97490, RGD:2004).

    reach is the length of the longest key with each beginning, so that a search knows when to stop.
    """

    by_key: dict[str, list[GeneName]] = field(default_factory=dict)
    reach: dict[str, int] = field(default_factory=dict)
    orthologs: dict[str, HumanGene] = field(default_factory=dict)

    def add(self, spelling: str, gene: HumanGene, source: GeneNameSource) -> None:
        key = regularize_name_and_spell_greek(spelling)
        if len(key) >= SHORTEST_NAME and not key.isdecimal() and key not in NO_KEYS:
            self.by_key.setdefault(key, []).append(GeneName(spelling, gene, source))
            beginning = key[:BEGINNING]
            self.reach[beginning] = max(self.reach.get(beginning, 0), len(key))

    def read_human(self, lines: Iterable[str]) -> None:
        """Add the tab-separated HGNC table of genes. Raises ValueError when a column is missing."""
        for status, locus, *cells in _iter_gene_table_rows(lines, ("Status", "Locus type", *HGNC_COLUMNS)):
            if status == "Approved" and locus not in NO_GENES:
                self.add_human(*cells)

    def add_human(
        self, symbol: str, name: str, previous: str, aliases: str, entrez: str, uniprot: str, mgi: str, rgd: str
    ) -> None:
        gene = HumanGene(symbol, entrez, uniprot.split(", ")[0])
        self.add(symbol, gene, GeneNameSource.SYMBOL)
        self.add(name, gene, GeneNameSource.NAME)
        for spelling in _split_table_cell(previous):
            self.add(spelling, gene, GeneNameSource.PREVIOUS)
        for spelling in _split_table_cell(aliases):
            self.add(spelling, gene, GeneNameSource.ALIAS)
        self.orthologs.update(dict.fromkeys([*_split_table_cell(mgi), *_split_table_cell(rgd)], gene))

    def read_orthologs(self, lines: Iterable[str], prefix: str) -> None:
        """Add the names of the MGI or RGD table (prefix "MGI:" or "RGD:") for orthologs of human genes.

        Raises ValueError when a column is missing.
        """
        for identifier, symbol, synonyms in _iter_gene_table_rows(lines, ("ID", "symbol", "synonyms")):
            gene = self.orthologs.get(prefix + identifier)
            if gene:
                for spelling in (symbol, *_split_table_cell(synonyms)):
                    self.add(spelling, gene, GeneNameSource.ORTHOLOG)


def _iter_gene_table_rows(lines: Iterable[str], columns: Sequence[str]) -> Iterator[list[str]]:
    """The cells of the given columns, row by row. Much faster than csv.DictReader, which would slow the start down."""
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(rows, [])
    missing = [column for column in columns if column not in header]
    if missing:
        raise ValueError(f"The table of genes has no column {missing[0]!r}.")
    indexes = [header.index(column) for column in columns]
    return ([row[index] for index in indexes] for row in rows)


def _split_table_cell(cell: str) -> list[str]:
    """The values of a cell, which HGNC separates by comma and space, MGI by "|" and RGD by ";"."""
    return [value for value in CELL_SEPARATOR.split(cell) if value]


@dataclass(frozen=True, slots=True)
class DictionaryMention:
    """A span of a text, and the names that it matches."""

    start: int
    end: int
    text: str
    names: tuple[GeneName, ...]


@dataclass(frozen=True, slots=True)
class GeneContext:
    """What the rest of the article tells about a mention.

    long_forms are those of explained abbreviations; is_non_human means that it names organisms, but not humans.
    """

    long_forms: Mapping[str, str]
    is_about_rodents: bool
    is_non_human: bool


class GeneDictionary:
    """Finds the longest names, as whole words; see _find_unambiguous_name for names that several genes share."""

    def __init__(self, names: GeneNameTable, species: SpeciesDictionary) -> None:
        self.by_key = names.by_key
        self.reach = names.reach
        self.species = species

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """Mentions in order of appearance, then for each gene its NCBI Gene id and its UniProt accession.

        The identifiers are those of the human gene, with the human taxon. In an article that names organisms, but not
        humans, their confidence is multiplied by OTHER_ORGANISM_FACTOR, as it usually means the genes of the others.
        """
        context = self.build_context(article)
        mentions = list(self.iter_mentions(article.text, context))
        unambiguous = {
            gene.symbol for mention in mentions if len(genes := _collect_genes(mention.names)) == 1 for gene in genes
        }
        resolved = [(mention, _find_unambiguous_name(mention.names, unambiguous)) for mention in mentions]
        return [*map(_make_mention_annotation, mentions), *_iter_normalizations(resolved, context.is_non_human)]

    def build_context(self, article: KitArticle) -> GeneContext:
        taxa = set(self.species.iter_taxa(article.text))
        return GeneContext(
            extract_long_form_by_abbreviation(article.text), bool(taxa & {MOUSE, RAT}), bool(taxa) and HUMAN not in taxa
        )

    def iter_mentions(self, text: str, context: GeneContext) -> Iterator[DictionaryMention]:
        pieces = split_letter_digit_and_greek_character_pieces(text)
        position = 0
        while position < len(pieces):
            begins_word = pieces[position].begins_word
            mention = self.find_longest_mention(text, pieces, position, context) if begins_word else None
            if mention:
                yield mention
            while mention and position + 1 < len(pieces) and pieces[position + 1].start < mention.end:
                position += 1
            position += 1

    def find_longest_mention(
        self, text: str, pieces: Sequence[NamePiece], first: int, context: GeneContext
    ) -> DictionaryMention | None:
        """The longest name that begins with the piece at index `first`, or None."""
        longest, key = None, ""
        for index in range(first, len(pieces)):
            piece = pieces[index]
            if index > first and not is_gap_at_most_one_separator(text, pieces[index - 1], piece):
                break
            key += piece.key
            if len(key) > MOST_GREEK + self.reach.get(key[:BEGINNING], BEGINNING):
                break
            if piece.ends_word:
                start, end = pieces[first].start, piece.end
                if names := self.list_matching_names(key, text[start:end], context):
                    longest = DictionaryMention(start, end, text[start:end], names)
        return longest

    def list_matching_names(self, key: str, written: str, context: GeneContext) -> tuple[GeneName, ...]:
        """The names with this key, or with it in Latin letters, that are compatible with the written form."""
        if key in PLAIN_WORDS or written in NO_NAMES or written.upper() in NO_NAMES:
            return ()
        for form in (key, *iter_keys_abbreviating_one_inner_greek_name(key)):
            names = tuple(
                name
                for name in self.by_key.get(form, ())
                if _is_spelling_compatible(name, written, context) and _can_abbreviate_gene(written, context)
            )
            if names:
                return names
        return ()


def _is_spelling_compatible(name: GeneName, written: str, context: GeneContext) -> bool:
    """Whether spaces and capitals of the written form fit the name: "is a" is not ISA, "was" is not WAS, Il6 is IL6."""
    if name.source is GeneNameSource.NAME:
        return True
    if name.source is GeneNameSource.ORTHOLOG and not context.is_about_rodents:
        return False
    if " " in written and " " not in name.spelling and len(written) < SHORTEST_WITH_SPACE:
        return False
    capitals = sum(letter.isupper() for letter in written)
    has_digit = any(letter.isdigit() for letter in written)
    if capitals == 0:
        return has_digit and _has_same_letters(written, name.spelling)
    return (
        capitals > 1 or has_digit or name.source is GeneNameSource.SYMBOL or _has_same_letters(written, name.spelling)
    )


def _has_same_letters(written: str, spelling: str) -> bool:
    """Whether two forms differ only in dashes and spaces."""
    return DASH_OR_SPACE.sub("", written) == DASH_OR_SPACE.sub("", spelling)


def _can_abbreviate_gene(written: str, context: GeneContext) -> bool:
    """Whether the long form of an abbreviation may be a gene; true without a long form, and with a digit."""
    long_form = context.long_forms.get(written)
    return long_form is None or has_gene_name_ending(long_form) or any(letter.isdigit() for letter in written)


def _collect_genes(names: Iterable[GeneName]) -> set[HumanGene]:
    return {name.gene for name in names}


def _find_unambiguous_name(names: Sequence[GeneName], unambiguous: set[str]) -> GeneName | None:
    """The name of the gene that is meant when several genes share a name, None when this remains open.

    Symbols come before names, former symbols and aliases. Among equals the gene counts whose symbol is in unambiguous,
    because the article mentions it by an unambiguous name.
    """
    best = min(name.source for name in names)
    equals = [name for name in names if name.source is best]
    if len(_collect_genes(equals)) > 1:
        equals = [name for name in equals if name.gene.symbol in unambiguous]
    return equals[0] if len(_collect_genes(equals)) == 1 else None


def _make_mention_annotation(mention: DictionaryMention) -> AnnotationData:
    confidence = MENTION_CONFIDENCE_BY_SOURCE[min(name.source for name in mention.names)]
    return AnnotationData(
        Kind.MENTION, start=mention.start, end=mention.end, text=mention.text, type="gene", confidence=confidence
    )


def _iter_normalizations(
    resolved: Iterable[tuple[DictionaryMention, GeneName | None]], is_non_human: bool
) -> Iterator[AnnotationData]:
    """One annotation for each identifier, in order of appearance, with the confidence of the gene's most reliable name.

    A UniProt accession that several genes share appears once.
    """
    best: dict[tuple[str, str], float] = {}
    for _, name in resolved:
        if name:
            for key in (("ncbigene", name.gene.entrez), ("uniprot", name.gene.uniprot)):
                best[key] = max(best.get(key, 0.0), GENE_CONFIDENCE_BY_SOURCE[name.source])
    for (database, identifier), confidence in best.items():
        if identifier:
            factor = OTHER_ORGANISM_FACTOR if is_non_human else 1.0
            yield AnnotationData(
                Kind.NORMALIZATION,
                database=database,
                identifier=identifier,
                taxon=HUMAN,
                confidence=round(confidence * factor, 4),
            )
