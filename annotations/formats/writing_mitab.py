"""PSI-MITAB 2.7: a line of 42 columns for each interaction pair that a producer reports; `-` is what is not known.

Confidence is the score `confidence`; rank, producer and the version of its system are comments of the interaction. What
a program found is told as predictive text mining (MI:0087); what people said carries no detection method.
Source: https://psicquic.github.io/MITAB27Format.html
"""

import re
from collections.abc import Iterable, Iterator

from annotations.formats.collected import AnnotatedArticle, NamedProducer, Renewed
from annotations.kinds import Finding, Kind

COLUMNS = (
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
NONE = "-"
# Databases by the names that the PSI-MI ontology gives them.
DATABASES = {"uniprot": "uniprotkb", "ncbigene": "entrez gene/locuslink"}
PROGRAMS = ("server", "run", "consensus")
TEXT_MINING = 'psi-mi:"MI:0087"(predictive text mining)'
PROTEIN, GENE = 'psi-mi:"MI:0326"(protein)', 'psi-mi:"MI:0250"(gene)'
RESERVED = re.compile(r'[|:()"\\-]|^$')
NOT_IN_A_FIELD = re.compile(r"[\t\r\n]")


def write_mitab(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then the pairs, article by article."""
    yield "#" + "\t".join(COLUMNS) + "\n"
    for article in articles:
        for producer, pair in article.of_kind(Kind.PAIR):
            known = fields_of(article, producer, pair)
            yield "\t".join(known.get(column, NONE) for column in COLUMNS) + "\n"


def fields_of(article: AnnotatedArticle, producer: NamedProducer, pair: Finding) -> dict[str, str]:
    """What is known of a pair, by column."""
    database = DATABASES.get(pair.database, pair.database)
    sort = PROTEIN if pair.database == "uniprot" else GENE if pair.database == "ncbigene" else NONE
    return {
        "ID(s) interactor A": f"{database}:{safe(pair.identifier)}",
        "ID(s) interactor B": f"{database}:{safe(pair.partner)}",
        "Interaction detection method(s)": TEXT_MINING if producer.sort in PROGRAMS else NONE,
        "Publication 1st author(s)": first_author(article),
        "Publication Identifier(s)": publication(article),
        "Confidence value(s)": NONE if pair.confidence is None else f"confidence:{pair.confidence!r}",
        "Type(s) interactor A": sort,
        "Type(s) interactor B": sort,
        "Interaction annotation(s)": "|".join(f"comment:{safe(said)}" for said in comments(producer, pair)),
        "Negative": "false",
    }


def first_author(article: AnnotatedArticle) -> str:
    """As PSI-MITAB writes it: `Doe J et al. (2026)`."""
    if not article.authors:
        return NONE
    more = " et al." if len(article.authors) > 1 else ""
    year = f" ({article.year})" if article.year else ""
    return NOT_IN_A_FIELD.sub(" ", article.authors[0].replace("|", " ")) + more + year


def publication(article: AnnotatedArticle) -> str:
    name = article.name
    given = {"pubmed": str(name.pmid or ""), "pmc": name.pmcid, "doi": name.doi}
    return "|".join(f"{database}:{safe(own)}" for database, own in given.items() if own) or f"bcms:{article.id}"


def comments(producer: NamedProducer, pair: Finding) -> Iterator[str]:
    yield f"producer {producer.name}"
    yield f"sort {producer.sort}"
    if producer.server:
        yield f"server {producer.server}"
    if producer.stated_version:
        yield f"stated_version {producer.stated_version}"
    if pair.rank is not None:
        yield f"rank {pair.rank}"
    if isinstance(pair, Renewed):
        yield f"reported {pair.reported}"


def safe(text: str) -> str:
    """Between quotes where it has characters that mean something in MITAB."""
    line = NOT_IN_A_FIELD.sub(" ", text)
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"' if RESERVED.search(line) else line
