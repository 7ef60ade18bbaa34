"""Writes PSI-MITAB 2.7: a line of 42 columns for each interaction pair of a producer; `-` stands for missing values.

Confidence is the score `confidence`; rank, producer and the version of its system are comments of the interaction. The
detection method of pairs from programs is predictive text mining (MI:0087); pairs from people have none. Aliases and
taxa are those of the interactors' entries.
Source: https://psicquic.github.io/MITAB27Format.html
"""

import re
from collections.abc import Callable, Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    Interactor,
    UpdatedAnnotation,
)
from annotations.formats.mitab.article_fields import SITE, format_first_author, list_publication_values
from annotations.formats.mitab.columns import (
    MITAB_EMPTY,
    PSI_MI_DATABASE_NAMES,
    format_header_line,
    format_row_line,
)
from annotations.formats.mitab.fields import quote_mitab_value
from annotations.schema import AnnotationData, Kind

MITAB_PROGRAM_KINDS = ("server", "run", "consensus")
TEXT_MINING = 'psi-mi:"MI:0087"(predictive text mining)'
PROTEIN_TERM, GENE_TERM = 'psi-mi:"MI:0326"(protein)', 'psi-mi:"MI:0250"(gene)'
# Dashes, too, although readers need these only for a field that is a dash.
RESERVED_IN_PAIRS = re.compile(r'[|:()"\\-]|^$')


def write_pairs_as_mitab(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then the pairs, article by article."""
    yield format_header_line()
    for article in articles:
        for producer, pair in article.iter_annotations(Kind.PAIR):
            yield format_row_line(_build_mitab_fields(article, producer, pair))


def find_left_out_of_pairs(_: AnnotatedArticle) -> Callable[[AnnotationData], bool]:
    """Whether MITAB of pairs leaves an annotation of an article out: all but pairs."""
    return lambda annotation: annotation.kind is not Kind.PAIR


def _build_mitab_fields(article: AnnotatedArticle, producer: ExportedProducer, pair: AnnotationData) -> dict[str, str]:
    """{column: value} for the columns of a pair that have a value."""
    database = PSI_MI_DATABASE_NAMES.get(pair.database, pair.database)
    interactor_type = (
        PROTEIN_TERM if pair.database == "uniprot" else GENE_TERM if pair.database == "ncbigene" else MITAB_EMPTY
    )
    interactor_a, interactor_b = (
        article.interactors.get((pair.database, identifier), Interactor())
        for identifier in (pair.identifier, pair.partner)
    )
    return {
        "ID(s) interactor A": f"{database}:{_quote_mitab_value(pair.identifier)}",
        "ID(s) interactor B": f"{database}:{_quote_mitab_value(pair.partner)}",
        "Alias(es) interactor A": _format_aliases(database, interactor_a),
        "Alias(es) interactor B": _format_aliases(database, interactor_b),
        "Taxid interactor A": _format_taxon(interactor_a),
        "Taxid interactor B": _format_taxon(interactor_b),
        "Interaction detection method(s)": TEXT_MINING
        if producer.producer_kind in MITAB_PROGRAM_KINDS
        else MITAB_EMPTY,
        "Publication 1st author(s)": format_first_author(article),
        "Publication Identifier(s)": _format_publication_ids(article),
        "Confidence value(s)": MITAB_EMPTY if pair.confidence is None else f"confidence:{pair.confidence!r}",
        "Type(s) interactor A": interactor_type,
        "Type(s) interactor B": interactor_type,
        "Interaction annotation(s)": "|".join(
            f"comment:{_quote_mitab_value(comment)}" for comment in _iter_mitab_comments(producer, pair)
        ),
        "Negative": "false",
    }


def _format_aliases(database: str, interactor: Interactor) -> str:
    """The symbol and the preferred name, as PSI-MITAB types aliases."""
    aliases = []
    if interactor.symbol:
        symbol = _quote_mitab_value(interactor.symbol)
        aliases += [f"psi-mi:{symbol}(display_short)", f"{database}:{symbol}(gene name)"]
    if interactor.name:
        aliases.append(f"psi-mi:{_quote_mitab_value(interactor.name)}(display_long)")
    return "|".join(aliases) or MITAB_EMPTY


def _format_taxon(interactor: Interactor) -> str:
    return MITAB_EMPTY if interactor.taxon is None else f"taxid:{interactor.taxon}"


def _format_publication_ids(article: AnnotatedArticle) -> str:
    """The public identifiers of the article; its ID on the site has no reserved characters."""
    values = list_publication_values(article)
    return "|".join(
        f"{value.database}:{value.identifier if value.database == SITE else _quote_mitab_value(value.identifier)}"
        for value in values
    )


def _iter_mitab_comments(producer: ExportedProducer, pair: AnnotationData) -> Iterator[str]:
    yield f"producer {producer.name}"
    yield f"sort {producer.producer_kind}"
    if producer.server:
        yield f"server {producer.server}"
    if producer.stated_version:
        yield f"stated_version {producer.stated_version}"
    if pair.rank is not None:
        yield f"rank {pair.rank}"
    if isinstance(pair, UpdatedAnnotation):
        yield f"reported {pair.reported}"


def _quote_mitab_value(text: str) -> str:
    return quote_mitab_value(text, RESERVED_IN_PAIRS)
