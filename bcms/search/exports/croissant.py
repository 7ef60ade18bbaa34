"""The Croissant description of the Parquet exports of a corpus, a search or a data set.

In URLs of searches and data sets it stands in the place of a format.
"""

from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.http import JsonResponse, QueryDict
from django.urls import reverse

from annotations.formats.exports import EXPORTS
from annotations.formats.parquet.croissant import DescribedDataSet, DescribedFile, JsonLd, describe_data_set
from annotations.formats.parquet.tables import ANNOTATION_TABLE, ARTICLE_TABLE

CROISSANT_SLUG = "croissant"
TABLES_BY_SLUG = {"parquet-articles": ARTICLE_TABLE, "parquet-annotations": ANNOTATION_TABLE}
CONTENT_NOTE = (
    "The articles {where} with what annotation servers and other producers annotated in them. The files are written "
    "anew for each download, from what is public at that time, so they have no fixed checksum. No licence is stated."
)


def describe_parquet_exports(
    name: str,
    description: str,
    page: str,
    build_file_path: Callable[[str], str],
    *,
    file_stem: str = "bcms",
    licence: str = "",
) -> JsonLd:
    """The description as JSON-LD. page: the path of a page about the data; build_file_path: from the slug of an export;
    licence: its URL, "" if none is stated."""
    files = [
        DescribedFile(table, f"{file_stem}.{EXPORTS[slug].suffix}", f"{settings.SITE_URL}{build_file_path(slug)}")
        for slug, table in TABLES_BY_SLUG.items()
    ]
    site = settings.SITE_URL
    return describe_data_set(DescribedDataSet(name, description, f"{site}{page}", site, files, licence))


def describe_search_exports(query: QueryDict) -> JsonLd:
    """The description of the exports of a search; query: its parameters."""
    parameters = f"?{query.urlencode()}" if query else ""
    return describe_parquet_exports(
        "Articles of a search",
        CONTENT_NOTE.format(where="that a search finds"),
        f"{reverse('search')}{parameters}",
        lambda slug: f"{reverse('api-search-export', args=[slug])}{parameters}",
    )


def describe_corpus_exports(slug: str, name: str, description: str) -> JsonLd:
    """The description of the exports of a corpus that everybody may see."""
    parameters = urlencode({"corpus": slug})
    return describe_parquet_exports(
        name,
        f"{description} {CONTENT_NOTE.format(where='of the corpus')}".strip(),
        f"{reverse('search')}?{parameters}",
        lambda export: f"{reverse('api-search-export', args=[export])}?{parameters}",
    )


def build_croissant_response(description: JsonLd) -> JsonResponse:
    return JsonResponse(description, content_type="application/ld+json")
