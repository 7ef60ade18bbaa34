"""What a file of annotated text says of an article, as findings of the kinds that servers are asked for."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from annotations.databases import DATABASES
from annotations.formats.identifiers import identifiers_of
from annotations.formats.read_article import ReadArticle
from annotations.formats.text_results import GENE_TYPES, SPECIES_TYPES, counts_as
from annotations.kinds import Finding, Kind

PROTEIN_DATABASES = ("ncbigene", "uniprot")
LONGEST_TYPE = 100


def findings_of(article: ReadArticle) -> dict[Kind, list[Finding]]:
    """Mentions, and the genes, organisms, interaction pairs and the class that the file gives; each once and in its
    order. An identifier that none of the known databases can have is no finding, its mention is one."""
    found = {kind: list(dict.fromkeys(read(article))) for kind, read in READERS.items()}
    return {kind: findings for kind, findings in found.items() if findings or kind is Kind.MENTION}


def with_all(found: Sequence[Mapping[Kind, Sequence[Finding]]]) -> list[dict[Kind, Sequence[Finding]]]:
    """The same with an empty list for each kind that other articles of the file have: nothing was said there."""
    kinds = [kind for kind in Kind if any(kind in own for own in found)]
    return [{kind: own.get(kind, ()) for kind in kinds} for own in found]


def _mentions(article: ReadArticle) -> Iterator[Finding]:
    for own in article.mentions:
        yield Finding(Kind.MENTION, start=own.start, end=own.end, text=own.text, type=own.type[:LONGEST_TYPE])


def _genes(article: ReadArticle) -> Iterator[Finding]:
    for mention in article.mentions:
        if counts_as(mention.type, GENE_TYPES):
            for database, identifier in _known(mention.identifiers):
                yield Finding(Kind.NORMALIZATION, database=database, identifier=identifier)


def _known(identifiers: Iterable[str]) -> Iterator[tuple[str, str]]:
    for identifier in identifiers:
        for database in PROTEIN_DATABASES:
            if DATABASES[database].pattern.fullmatch(identifier):
                yield database, identifier


def _organisms(article: ReadArticle) -> Iterator[Finding]:
    for mention in article.mentions:
        if counts_as(mention.type, SPECIES_TYPES):
            for identifier in filter(DATABASES["ncbitaxon"].pattern.fullmatch, mention.identifiers):
                yield Finding(Kind.TAXON, database="ncbitaxon", identifier=identifier)


def _pairs(article: ReadArticle) -> Iterator[Finding]:
    for pair in article.pairs:
        if pair.interacts:
            for a, b in product(_known(identifiers_of(pair.a)), _known(identifiers_of(pair.b))):
                if a[0] == b[0]:
                    first, second = sorted((a[1], b[1]))
                    yield Finding(Kind.PAIR, database=a[0], identifier=first, partner=second)


def _class(article: ReadArticle) -> Iterator[Finding]:
    if article.relevant is not None:
        yield Finding(Kind.CLASSIFICATION, relevant=article.relevant)


READERS: Mapping[Kind, Callable[[ReadArticle], Iterator[Finding]]] = {
    Kind.MENTION: _mentions,
    Kind.NORMALIZATION: _genes,
    Kind.TAXON: _organisms,
    Kind.CLASSIFICATION: _class,
    Kind.PAIR: _pairs,
}
