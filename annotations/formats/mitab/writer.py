"""Writes PSI-MITAB 2.7: a line of 42 columns for each interaction pair of a producer; `-` stands for missing values.

Confidence is the score `confidence`; rank, producer and the version of its system are comments of the interaction. The
detection method of pairs from programs is predictive text mining (MI:0087); pairs from people have none. Aliases and
taxa are those of the interactors' entries.
Source: https://psicquic.github.io/MITAB27Format.html
"""

import re
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    Interactor,
    UpdatedAnnotation,
)
from annotations.schema import AnnotationData, Kind

MITAB_COLUMNS = (
    *("ID(s) interactor A", "ID(s) interactor B", "Alt. ID(s) interactor A", "Alt. ID(s) interactor B"),
    *("Alias(es) interactor A", "Alias(es) interactor B", "Interaction detection method(s)"),
    *("Publication 1st author(s)", "Publication Identifier(s)", "Taxid interactor A", "Taxid interactor B"),
    *("Interaction type(s)", "Source database(s)", "Interaction identifier(s)", "Confidence value(s)"),
    *("Expansion method(s)", "Biological role(s) interactor A", "Biological role(s) interactor B"),
    *("Experimental role(s) interactor A", "Experimental role(s) interactor B", "Type(s) interactor A"),
    *("Type(s) interactor B", "Xref(s) interactor A", "Xref(s) interactor B", "Interaction Xref(s)"),
    *("Annotation(s) interactor A", "Annotation(s) interactor B", "Interaction annotation(s)", "Host organism(s)"),
    *("Interaction parameter(s)", "Creation date", "Update date", "Checksum(s) interactor A"),
    *("Checksum(s) interactor B", "Interaction Checksum(s)", "Negative", "Feature(s) interactor A"),
    *("Feature(s) interactor B", "Stoichiometry(s) interactor A", "Stoichiometry(s) interactor B"),
    *("Identification method participant A", "Identification method participant B"),
)
MITAB_EMPTY = "-"
# Names of databases in the PSI-MI ontology.
PSI_MI_DATABASE_NAMES = {"uniprot": "uniprotkb", "ncbigene": "entrez gene/locuslink"}
MITAB_PROGRAM_KINDS = ("server", "run", "consensus")
TEXT_MINING = 'psi-mi:"MI:0087"(predictive text mining)'
PROTEIN_TERM, GENE_TERM = 'psi-mi:"MI:0326"(protein)', 'psi-mi:"MI:0250"(gene)'
MITAB_RESERVED = re.compile(r'[|:()"\\-]|^$')
MITAB_FIELD_BREAK = re.compile(r"[\t\r\n]")


def write_pairs_as_mitab(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then the pairs, article by article."""
    yield "#" + "\t".join(MITAB_COLUMNS) + "\n"
    for article in articles:
        for producer, pair in article.iter_annotations(Kind.PAIR):
            fields = _build_mitab_fields(article, producer, pair)
            yield "\t".join(fields.get(column, MITAB_EMPTY) for column in MITAB_COLUMNS) + "\n"


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
        "Publication 1st author(s)": _format_first_author(article),
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


def _format_first_author(article: AnnotatedArticle) -> str:
    """The first author in the form of PSI-MITAB: `Doe J et al. (2026)`."""
    if not article.authors:
        return MITAB_EMPTY
    suffix = " et al." if len(article.authors) > 1 else ""
    year = f" ({article.year})" if article.year else ""
    return MITAB_FIELD_BREAK.sub(" ", article.authors[0].replace("|", " ")) + suffix + year


def _format_publication_ids(article: AnnotatedArticle) -> str:
    ids = article.ids
    ids_by_database = {"pubmed": str(ids.pmid or ""), "pmc": ids.pmcid, "doi": ids.doi}
    return (
        "|".join(
            f"{database}:{_quote_mitab_value(identifier)}"
            for database, identifier in ids_by_database.items()
            if identifier
        )
        or f"bcms:{article.id}"
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
    """The text on one line, in quotation marks if it contains characters that are reserved in MITAB."""
    line = MITAB_FIELD_BREAK.sub(" ", text)
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"' if MITAB_RESERVED.search(line) else line
