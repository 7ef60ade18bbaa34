"""Files of a data set: its articles with its annotations, in every export format."""

from django.http import HttpRequest, StreamingHttpResponse

from annotations.data_sets.models import DataSet, DataSetArticle
from annotations.formats.articles.annotated_article import ExportedProducer
from annotations.formats.exports import ExportFileFormat
from annotations.results.models import Producer
from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.search.exports.download_responses import build_export_download_gzipped_if_accepted
from bcms.search.exports.exported_articles import ARTICLES_PER_BATCH, iter_public_articles_with_producers


def build_data_set_download(
    request: HttpRequest, data_set: DataSet, export_format: ExportFileFormat
) -> StreamingHttpResponse:
    """A stream of the articles, in the order of their ids, which keeps one of the slots for large files."""
    members = DataSetArticle.objects.filter(data_set=data_set).order_by("article")
    keys = members.values_list("article_id", flat=True).iterator(chunk_size=ARTICLES_PER_BATCH)
    producer = ExportedProducer(data_set.producer.name, Producer.Type.CONSENSUS.value, "")
    articles = iter_public_articles_with_producers(keys, {data_set.producer_id: producer})
    file_name = f"bcms-data-{data_set.pk}.{export_format.suffix}"
    return claim_file_slot_while_streaming(
        build_export_download_gzipped_if_accepted(request, export_format, articles, file_name)
    )
