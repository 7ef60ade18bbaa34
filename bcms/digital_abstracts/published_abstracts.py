"""The published digital abstracts of this site: of an article, of many, and the formats of their files."""

from collections.abc import Iterator, Mapping

from django.conf import settings
from django.db.models import QuerySet
from django.urls import reverse

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.abstract_files import AbstractFileFormat, build_abstract_formats
from annotations.curation.exported_records import build_exported_abstract
from annotations.curation.models import PublishedAbstract
from annotations.curation.published_records import build_published_record, iter_exported_abstracts
from annotations.data_sets.models import Licence
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from bcms.data_sets.queries import LICENCE_URLS


def get_licence() -> Licence:
    """The licence of published digital abstracts, for all of them (settings.CURATIONS_LICENCE)."""
    return Licence(settings.CURATIONS_LICENCE)


def get_licence_url() -> str:
    return LICENCE_URLS[get_licence()]


def list_abstract_formats(*, of_one_article: bool) -> Mapping[str, AbstractFileFormat]:
    """The formats that this site writes, by slug."""
    return build_abstract_formats(settings.NANOPUB_KEY, get_licence_url(), of_one_article=of_one_article)


def build_article_url(article: Article) -> str:
    """The full address of the page of an article, which identifies its record everywhere."""
    return f"{settings.SITE_URL}{reverse('article', args=[format_pmid_or_opaque(article)])}"


def export_published_abstract(published: PublishedAbstract, article: Article) -> ExportedAbstract:
    """The published record of the article with the names of everything in it: 3 queries."""
    return build_exported_abstract(article, build_published_record(published), build_article_url(article))


def iter_published_abstracts(articles: QuerySet[Article]) -> Iterator[ExportedAbstract]:
    """Those of the articles that have one, in the order of their ids, in little memory."""
    return iter_exported_abstracts(articles, build_article_url)
