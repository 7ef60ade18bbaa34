"""How to cite an article, and its annotations as a reader sees them on a day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.conf import settings
from django.urls import reverse

from annotations.articles.models import Article
from bcms.article_page.page import ArticlePage
from bcms.lib.version import VERSION
from bcms.lib.writing.citation_formats import (
    CitedReference,
    format_reference_as_bibtex,
    format_reference_as_ris,
    format_reference_as_text,
)

SITE_NAME = f"BioCreative Meta-Server {VERSION}"


@dataclass(frozen=True, slots=True)
class FormattedCitation:
    """A reference in three forms; label says what is cited."""

    label: str
    text: str
    bibtex: str
    ris: str


@dataclass(frozen=True, slots=True)
class PageCitations:
    """url: of the page with the reader's choice; seen: the day; sources: the servers whose annotations it shows."""

    citations: Sequence[FormattedCitation]
    url: str
    seen: date
    sources: Sequence[str]


def build_page_citations(page: ArticlePage, seen: date) -> PageCitations | None:
    """None for blind articles, whose names nobody may know."""
    if page.article.blind:
        return None
    query = page.build_query(open="")
    url = f"{settings.SITE_URL.rstrip('/')}{reverse('article', args=[page.ident])}{query}"
    slugs = page.reading.slugs
    shown = (each.source for each in page.reading.source_results if not slugs or each.source.slug in slugs)
    sources = sorted({source.label for source in shown})
    references = {
        "The article": _build_article_reference(page.article),
        "These annotations": CitedReference(
            key=f"bcms{page.ident}",
            title=f"Annotations of {page.article}: {page.article.title}",
            authors=sources,
            year=seen.year,
            url=url,
            publisher=SITE_NAME,
            accessed=seen,
        ),
    }
    return PageCitations([_format_citation(label, each) for label, each in references.items()], url, seen, sources)


def _build_article_reference(article: Article) -> CitedReference:
    metadata = article.metadata
    volume, issue, pages = (str(metadata.get(name) or "") for name in ("volume", "issue", "pages"))
    return CitedReference(
        key=f"pmid{article.pmid}" if article.pmid else f"article{article.opaque}",
        title=article.title,
        authors=[str(name) for name in metadata.get("authors", ())],
        journal=article.journal,
        year=article.year,
        volume=volume,
        issue=issue,
        pages=pages,
        doi=article.doi,
        pmid=article.pmid,
    )


def _format_citation(label: str, reference: CitedReference) -> FormattedCitation:
    return FormattedCitation(
        label,
        format_reference_as_text(reference),
        format_reference_as_bibtex(reference),
        format_reference_as_ris(reference),
    )
