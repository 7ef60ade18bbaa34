"""The fields of PSI-MITAB about the article."""

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.mitab.columns import MITAB_EMPTY
from annotations.formats.mitab.fields import MITAB_FIELD_BREAK, MitabValue, format_mitab_values

# What identifiers of the site itself begin with.
SITE = "bcms"


def format_first_author(article: AnnotatedArticle) -> str:
    """The first author in the form of PSI-MITAB: `Doe J et al. (2026)`."""
    if not article.authors:
        return MITAB_EMPTY
    suffix = " et al." if len(article.authors) > 1 else ""
    year = f" ({article.year})" if article.year else ""
    return MITAB_FIELD_BREAK.sub(" ", article.authors[0].replace("|", " ")) + suffix + year


def list_publication_values(article: AnnotatedArticle) -> list[MitabValue]:
    """The public identifiers of an article; without any, its ID on the site."""
    ids = article.ids
    given = (("pubmed", str(ids.pmid or "")), ("pmc", ids.pmcid), ("doi", ids.doi))
    values = [MitabValue(database, identifier) for database, identifier in given if identifier]
    return values or [MitabValue(SITE, article.id)]


def format_publication_ids(article: AnnotatedArticle) -> str:
    """The field of the article's identifiers."""
    return format_mitab_values(list_publication_values(article))
