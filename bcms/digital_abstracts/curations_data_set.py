"""The published curations as a data set: its size, and its files in every export format."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Func, IntegerField, Max, QuerySet, Sum
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce
from django.http import HttpRequest, StreamingHttpResponse
from django.urls import reverse

from annotations.articles.models import Article
from annotations.curation.models import PublishedAbstract
from annotations.curation.publishing import PUBLISHED_PRODUCER_NAME, find_published_producer
from annotations.formats.articles.annotated_article import ExportedProducer
from annotations.formats.exports import ExportFileFormat
from annotations.formats.parquet.croissant import JsonLd
from annotations.results.models import Annotation, Producer
from annotations.schema import KIND_LABELS, Kind
from bcms.digital_abstracts.published_abstracts import get_licence_url
from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.search.exports.croissant import describe_parquet_exports
from bcms.search.exports.download_responses import build_export_download_gzipped_if_accepted
from bcms.search.exports.exported_articles import (
    iter_public_articles_with_producers,
    iter_sorted_article_pks,
    list_public_articles,
)

FILE_STEM = "bcms-curations"
DESCRIPTION = (
    "Structured digital abstracts of articles: interactions with their participants, types, methods and evidence, and "
    "other annotations. Curators decided on what annotation servers propose and added what was missing; reviewers "
    "published the records. The files are written anew for each download, so they have no fixed checksum."
)


@dataclass(frozen=True, slots=True)
class CurationsSize:
    """How much is published. last: when the last record was published, None for none; kinds: (label, annotations)."""

    articles: int
    interactions: int
    last: datetime | None
    kinds: Sequence[tuple[str, int]]


def load_curations_size() -> CurationsSize:
    """2 queries, and 1 to find the producer."""
    length = Func(KeyTransform("interactions", "record"), function="jsonb_array_length", output_field=IntegerField())
    published = PublishedAbstract.objects.filter(withdrawn__isnull=True, article__in=list_public_articles())
    sums = published.aggregate(articles=Count("pk"), interactions=Coalesce(Sum(length), 0), last=Max("published"))
    return CurationsSize(sums["articles"], sums["interactions"], sums["last"], _count_annotations_by_kind())


def _count_annotations_by_kind() -> Sequence[tuple[str, int]]:
    producer = find_published_producer()
    if producer is None:
        return ()
    current = Annotation.objects.filter(
        result__producer=producer, result__superseded__isnull=True, result__article__in=list_public_articles()
    )
    numbers = dict(current.values_list("result__kind").annotate(number=Count("pk")))
    return [(KIND_LABELS[kind], numbers[kind.value]) for kind in Kind if kind.value in numbers]


def list_curated_articles() -> QuerySet[Article]:
    """The public articles with a published digital abstract."""
    curated = PublishedAbstract.objects.filter(withdrawn__isnull=True)
    return list_public_articles().filter(pk__in=curated.values("article"))


def build_curations_download(request: HttpRequest, export_format: ExportFileFormat) -> StreamingHttpResponse:
    """The curated articles with the annotations of their published records."""
    producer = find_published_producer()
    named = ExportedProducer(PUBLISHED_PRODUCER_NAME, Producer.Type.CURATOR.value, "")
    producers = {producer.pk: named} if producer else {}
    articles = iter_public_articles_with_producers(iter_sorted_article_pks(list_curated_articles()), producers)
    file_name = f"{FILE_STEM}.{export_format.suffix}"
    return claim_file_slot_while_streaming(
        build_export_download_gzipped_if_accepted(request, export_format, articles, file_name)
    )


def describe_curations_files() -> JsonLd:
    """The Croissant description of the Parquet files."""
    return describe_parquet_exports(
        PUBLISHED_PRODUCER_NAME,
        DESCRIPTION,
        reverse("curations-data"),
        lambda slug: reverse("api-curations-data-file", args=[slug]),
        file_stem=FILE_STEM,
        licence=get_licence_url(),
    )
