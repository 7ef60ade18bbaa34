"""Gene mentions by the names of HGNC, normalized to NCBI Gene and UniProt, with the organism in mind (GM, GN)."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from annotations.kinds import Finding, Kind
from bcms.lib.text import DASHES
from servers.kit.articles import KitArticle
from servers.reference.abbreviations import explained
from servers.reference.mentions import means_gene
from servers.reference.species import HUMAN, SpeciesDictionary
from servers.reference.spelling import Piece, joined, name_key, pieces, shortened
from servers.reference.stopwords import NO_GENE_NAMES, NO_PROTEINS, NO_SYMBOLS, PLAIN_WORDS

MOUSE, RAT = 10090, 10116
PARTED = re.compile(r", |[|;]")
DASH_OR_SPACE = re.compile(rf"[\s{re.escape(DASHES)}]")
NO_NAMES = NO_GENE_NAMES | NO_SYMBOLS
# Keys that are plain words: "protein S" must not be found in "proteins".
NO_KEYS = PLAIN_WORDS | NO_PROTEINS
# A key that goes on as no name does can still be one with its Greek letter made Latin, which is so much shorter.
MOST_GREEK = 6
BEGINNING = 5
SHORTEST_NAME = 3
SHORTEST_WITH_SPACE = 8
# Kinds of loci whose names texts do not use for genes.
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


class Source(IntEnum):
    """Where a name comes from, the most telling first."""

    SYMBOL = 0
    NAME = 1
    PREVIOUS = 2
    ALIAS = 3
    ORTHOLOG = 4


# How often a mention found by a name of each source was one, and how often the gene it leads to was the right one,
# measured on abstracts with expert labels.
BY_SOURCE = {Source.SYMBOL: 0.9, Source.NAME: 0.8, Source.PREVIOUS: 0.8, Source.ALIAS: 0.7, Source.ORTHOLOG: 0.6}
GENE_BY_SOURCE = {Source.SYMBOL: 0.8, Source.NAME: 0.7, Source.PREVIOUS: 0.6, Source.ALIAS: 0.55, Source.ORTHOLOG: 0.3}
# An article of mouse or rat that names no people means another gene than the human one whose identifiers we have.
OF_ANOTHER_ORGANISM = 0.25


@dataclass(frozen=True, slots=True)
class Gene:
    """One human gene and the identifiers it has elsewhere; entrez and uniprot are empty where HGNC gives none."""

    symbol: str
    entrez: str
    uniprot: str


@dataclass(frozen=True, slots=True)
class Name:
    """A name as its table spells it, and whose it is."""

    spelling: str
    gene: Gene
    source: Source


@dataclass(slots=True)
class GeneNames:
    """All names by name_key; orthologs (MGI:97490, RGD:2004) lead to the human gene they belong to.

    reach is the length of the longest key with each beginning, so that a search knows when to stop.
    """

    by_key: dict[str, list[Name]] = field(default_factory=dict)
    reach: dict[str, int] = field(default_factory=dict)
    orthologs: dict[str, Gene] = field(default_factory=dict)

    def add(self, spelling: str, gene: Gene, source: Source) -> None:
        key = name_key(spelling)
        if len(key) >= SHORTEST_NAME and not key.isdecimal() and key not in NO_KEYS:
            self.by_key.setdefault(key, []).append(Name(spelling, gene, source))
            beginning = key[:BEGINNING]
            self.reach[beginning] = max(self.reach.get(beginning, 0), len(key))

    def read_human(self, lines: Iterable[str]) -> None:
        """Add HGNC's table of genes, tab-separated. Raises ValueError when it lacks a column."""
        for status, locus, *cells in table(lines, ("Status", "Locus type", *HGNC_COLUMNS)):
            if status == "Approved" and locus not in NO_GENES:
                self.add_human(*cells)

    def add_human(
        self, symbol: str, name: str, previous: str, aliases: str, entrez: str, uniprot: str, mgi: str, rgd: str
    ) -> None:
        gene = Gene(symbol, entrez, uniprot.split(", ")[0])
        self.add(symbol, gene, Source.SYMBOL)
        self.add(name, gene, Source.NAME)
        for spelling in several(previous):
            self.add(spelling, gene, Source.PREVIOUS)
        for spelling in several(aliases):
            self.add(spelling, gene, Source.ALIAS)
        self.orthologs.update(dict.fromkeys([*several(mgi), *several(rgd)], gene))

    def read_orthologs(self, lines: Iterable[str], prefix: str) -> None:
        """Add MGI's or RGD's table (prefix "MGI:" or "RGD:"): names of the genes that HGNC pairs with human ones.

        Raises ValueError when the table lacks a column.
        """
        for identifier, symbol, synonyms in table(lines, ("ID", "symbol", "synonyms")):
            gene = self.orthologs.get(prefix + identifier)
            if gene:
                for spelling in (symbol, *several(synonyms)):
                    self.add(spelling, gene, Source.ORTHOLOG)


def table(lines: Iterable[str], columns: Sequence[str]) -> Iterator[list[str]]:
    """The cells of the named columns, row by row (a csv.DictReader would take half of the time we have to start)."""
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    heads = next(rows, [])
    missing = [column for column in columns if column not in heads]
    if missing:
        raise ValueError(f"The table of genes has no column {missing[0]!r}.")
    places = [heads.index(column) for column in columns]
    return ([row[place] for place in places] for row in rows)


def several(cell: str) -> list[str]:
    """The values of one cell: HGNC separates them by a comma and a space, MGI by "|", RGD by ";"."""
    return [value for value in PARTED.split(cell) if value]


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text and the names that it may be."""

    start: int
    end: int
    text: str
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """What else the article says: abbreviations explained, whether it is about rodents, whether about people."""

    meanings: Mapping[str, str]
    rodents: bool
    foreign: bool


class GeneDictionary:
    """The longest names first, whole words only; see resolve() for names that several genes share."""

    def __init__(self, names: GeneNames, species: SpeciesDictionary) -> None:
        self.by_key = names.by_key
        self.reach = names.reach
        self.species = species

    def annotate(self, article: KitArticle) -> list[Finding]:
        """Mentions in order of appearance, then for each gene its NCBI Gene id and its UniProt accession.

        The identifiers are those of the human gene, and taxon says so. In an article that names organisms, but no
        people, their confidence is cut to OF_ANOTHER_ORGANISM: the human ortholog is then most often not what is meant.
        """
        context = self.context(article)
        mentions = list(self.mentions(article.text, context))
        certain = {gene.symbol for mention in mentions if len(genes := genes_of(mention.names)) == 1 for gene in genes}
        resolved = [(mention, resolve(mention.names, certain)) for mention in mentions]
        return [*map(mention_finding, mentions), *normalizations(resolved, context.foreign)]

    def context(self, article: KitArticle) -> Context:
        taxa = set(self.species.taxa_in(article.text))
        return Context(explained(article.text), bool(taxa & {MOUSE, RAT}), bool(taxa) and HUMAN not in taxa)

    def mentions(self, text: str, context: Context) -> Iterator[Mention]:
        run = pieces(text)
        position = 0
        while position < len(run):
            mention = self.longest_at(text, run, position, context) if run[position].begins_word else None
            if mention:
                yield mention
            while mention and position + 1 < len(run) and run[position + 1].start < mention.end:
                position += 1
            position += 1

    def longest_at(self, text: str, run: Sequence[Piece], first: int, context: Context) -> Mention | None:
        """The longest name that begins with the piece at `first`, or None."""
        found, key = None, ""
        for number in range(first, len(run)):
            if number > first and not joined(text, run[number - 1], run[number]):
                break
            key += run[number].key
            if len(key) > MOST_GREEK + self.reach.get(key[:BEGINNING], BEGINNING):
                break
            if run[number].ends_word:
                written = text[run[first].start : run[number].end]
                names = self.names(key, written, context)
                found = Mention(run[first].start, run[number].end, written, names) if names else found
        return found

    def names(self, key: str, written: str, context: Context) -> tuple[Name, ...]:
        """The names with this key, or with its Greek letter made Latin, that may be spelled as it is written."""
        if key in PLAIN_WORDS or written in NO_NAMES or written.upper() in NO_NAMES:
            return ()
        for form in (key, *shortened(key)):
            known = self.by_key.get(form, ())
            names = tuple(name for name in known if fits(name, written, context) and agrees(written, context))
            if names:
                return names
        return ()


def fits(name: Name, written: str, context: Context) -> bool:
    """Whether spaces and capitals allow a text's form to be this name: "is a" is not ISA, "was" not WAS, Il6 is IL6."""
    if name.source is Source.NAME:
        return True
    if name.source is Source.ORTHOLOG and not context.rodents:
        return False
    if " " in written and " " not in name.spelling and len(written) < SHORTEST_WITH_SPACE:
        return False
    capitals = sum(letter.isupper() for letter in written)
    numbered = any(letter.isdigit() for letter in written)
    if capitals == 0:
        return numbered and same_letters(written, name.spelling)
    return capitals > 1 or numbered or name.source is Source.SYMBOL or same_letters(written, name.spelling)


def same_letters(written: str, spelling: str) -> bool:
    """Whether two forms differ in dashes and spaces only."""
    return DASH_OR_SPACE.sub("", written) == DASH_OR_SPACE.sub("", spelling)


def agrees(written: str, context: Context) -> bool:
    """Whether an abbreviation that the article explains may stand for a gene; with a number in it, it always may."""
    meaning = context.meanings.get(written)
    return meaning is None or means_gene(meaning) or any(letter.isdigit() for letter in written)


def genes_of(names: Iterable[Name]) -> set[Gene]:
    return {name.gene for name in names}


def resolve(names: Sequence[Name], certain: set[str]) -> Name | None:
    """The one gene meant by a name that several share: the one whose official symbol it is, else whose official name,
    else former symbol, else alias; among equals one that the article names otherwise too; else none."""
    best = min(name.source for name in names)
    equals = [name for name in names if name.source is best]
    if len(genes_of(equals)) > 1:
        equals = [name for name in equals if name.gene.symbol in certain]
    return equals[0] if len(genes_of(equals)) == 1 else None


def mention_finding(mention: Mention) -> Finding:
    sureness = BY_SOURCE[min(name.source for name in mention.names)]
    return Finding(
        Kind.MENTION, start=mention.start, end=mention.end, text=mention.text, type="gene", confidence=sureness
    )


def normalizations(resolved: Iterable[tuple[Mention, Name | None]], foreign: bool) -> Iterator[Finding]:
    """One finding for each identifier, in order of appearance, with the confidence of the gene's most telling name.

    Genes may share one UniProt accession: it is given once.
    """
    best: dict[tuple[str, str], float] = {}
    for _, name in resolved:
        if name:
            for key in (("ncbigene", name.gene.entrez), ("uniprot", name.gene.uniprot)):
                best[key] = max(best.get(key, 0.0), GENE_BY_SOURCE[name.source])
    for (database, identifier), sureness in best.items():
        if identifier:
            confidence = round(sureness * (OF_ANOTHER_ORGANISM if foreign else 1.0), 4)
            yield Finding(
                Kind.NORMALIZATION, database=database, identifier=identifier, taxon=HUMAN, confidence=confidence
            )
