"""Files of a data set: its articles with its annotations, in every export format, and their Croissant description."""

from django.http import HttpRequest, StreamingHttpResponse
from django.urls import reverse

from annotations.data_sets.models import DataSet, DataSetArticle, Licence
from annotations.formats.articles.annotated_article import ExportedProducer
from annotations.formats.exports import ExportFileFormat
from annotations.formats.parquet.croissant import JsonLd
from annotations.results.models import Producer
from bcms.data_sets.queries import LICENCE_URLS
from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.search.exports.croissant import describe_parquet_exports
from bcms.search.exports.download_responses import build_export_download_gzipped_if_accepted
from bcms.search.exports.exported_articles import ARTICLES_PER_BATCH, iter_public_articles_with_producers

CONTENT_NOTE = (
    "A consensus of several producers. The files are written anew for each download, so they have no fixed checksum."
)


def build_data_set_download(
    request: HttpRequest, data_set: DataSet, export_format: ExportFileFormat
) -> StreamingHttpResponse:
    """A stream of the articles, in the order of their ids, which keeps one of the slots for large files."""
    members = DataSetArticle.objects.filter(data_set=data_set).order_by("article")
    keys = members.values_list("article_id", flat=True).iterator(chunk_size=ARTICLES_PER_BATCH)
    producer = ExportedProducer(data_set.producer.name, Producer.Type.CONSENSUS.value, "")
    articles = iter_public_articles_with_producers(keys, {data_set.producer_id: producer})
    file_name = f"{_build_file_stem(data_set)}.{export_format.suffix}"
    return claim_file_slot_while_streaming(
        build_export_download_gzipped_if_accepted(request, export_format, articles, file_name)
    )


def describe_data_set_files(data_set: DataSet) -> JsonLd:
    """The Croissant description of the Parquet files of a data set."""
    return describe_parquet_exports(
        data_set.name,
        f"{data_set.description} {CONTENT_NOTE}".strip(),
        reverse("data-set", args=[data_set.pk]),
        lambda slug: reverse("api-data-set-file", args=[data_set.pk, slug]),
        file_stem=_build_file_stem(data_set),
        licence=LICENCE_URLS[Licence(data_set.licence)],
    )


def _build_file_stem(data_set: DataSet) -> str:
    return f"bcms-data-{data_set.pk}"
