"""The Croissant description of a corpus: the Parquet exports of its articles and of their public annotations."""

from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse

from annotations.articles.models import Corpus
from annotations.formats.exports import EXPORTS
from annotations.formats.parquet.croissant import DescribedDataSet, DescribedFile, JsonLd, describe_data_set
from annotations.formats.parquet.tables import ANNOTATION_TABLE, ARTICLE_TABLE

TABLES_BY_SLUG = {"parquet-articles": ARTICLE_TABLE, "parquet-annotations": ANNOTATION_TABLE}
CONTENT_NOTE = (
    "The articles of the corpus with what annotation servers and other producers annotated in them. The files are "
    "written anew for each download, from what is public at that time, so they have no fixed checksum. No licence is "
    "stated."
)


def describe_corpus(corpus: Corpus) -> JsonLd:
    """The description of a corpus that everybody may see, as JSON-LD."""
    return describe_data_set(
        DescribedDataSet(
            corpus.name,
            f"{corpus.description} {CONTENT_NOTE}".strip(),
            f"{settings.SITE_URL}{reverse('search')}?{urlencode({'corpus': corpus.slug})}",
            settings.SITE_URL,
            [
                DescribedFile(table, f"bcms.{EXPORTS[slug].suffix}", _build_export_url(slug, corpus))
                for slug, table in TABLES_BY_SLUG.items()
            ],
        )
    )


def _build_export_url(slug: str, corpus: Corpus) -> str:
    path = reverse("api-search-export", args=[slug])
    return f"{settings.SITE_URL}{path}?{urlencode({'corpus': corpus.slug})}"
