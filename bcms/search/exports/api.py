"""REST: articles with their public annotations as files, which are the same for every user."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.formats.exports import DOWNLOADS, EXPORTS, ExportFileFormat
from annotations.schema import Kind
from annotations.search.article_search import filter_articles
from bcms.article_annotations.api import KIND_PARAMETER, SERVER_PARAMETER
from bcms.lib.rest.limits import FileLimit, RequestLimit, claim_file_slot_while_streaming
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.query_parameters import read_choice_parameter, read_short_text_parameter
from bcms.search.api import FILTER_PARAMETERS, validate_search_form
from bcms.search.exports.croissant import CROISSANT_SLUG, build_croissant_response, describe_search_exports
from bcms.search.exports.download_responses import (
    build_export_download_gzipped_if_accepted,
    build_public_article_download_or_304,
)
from bcms.search.exports.exported_articles import (
    ExportFilter,
    iter_public_articles_for_export,
    iter_sorted_article_pks,
    list_public_articles,
)
from evaluation.visibility import ANONYMOUS_READER
from servers.review.reader_choice import UNREVIEWED_PARAMETER, includes_unreviewed_in_rest

BINARY_RESPONSE = {(200, "application/octet-stream"): OpenApiTypes.BINARY}
# Exports are always in the order of article ids.
EXPORT_FILTER_PARAMETERS = [parameter for parameter in FILTER_PARAMETERS if parameter.name != "sort"]


class ExportFormat(serializers.Serializer[Any]):
    """A file format: carries and lost list the fields that a reader of the file gets back, and those it does not."""

    slug = serializers.CharField(help_text="its name in URLs")
    name = serializers.CharField()
    media_type = serializers.CharField()
    carries = serializers.ListField(child=serializers.CharField(), source="carried")
    lost = serializers.ListField(child=serializers.CharField())
    loses = serializers.CharField(help_text="notes on the fields that are lost")
    left_out = serializers.CharField(
        source="left_out_slug",
        help_text="in place of slug: a TSV file of the annotations that it leaves out; empty if there is none",
    )


class ExportFormatList(APIView):
    """The export formats, with the fields that each keeps and loses."""

    authentication_classes = ()

    @extend_schema(summary="List export formats", responses=ExportFormat(many=True))
    def get(self, request: Request) -> Response:
        return Response(ExportFormat(EXPORTS.values(), many=True).data)


class ArticleExport(APIView):
    """One article with its public annotations, as a file."""

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation
    query_parameters = ("kind", "server", "unreviewed")

    @extend_schema(
        summary="Export an article",
        parameters=[KIND_PARAMETER, SERVER_PARAMETER, UNREVIEWED_PARAMETER],
        responses=BINARY_RESPONSE,
    )
    def get(self, request: Request, identifier: str, slug: str) -> HttpResponseBase:
        return build_public_article_download_or_304(
            request._request, identifier, get_export_format_or_404(slug), _read_export_filter(request)
        )


class SearchExport(APIView):
    """All articles that match the filters, with their public annotations, as one file.

    With `server`, only the articles that this server annotated, with its annotations only. The format `croissant` is a
    description of both Parquet files of the search in Croissant 1.0.
    """

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation
    throttle_classes = (RequestLimit, FileLimit)
    query_parameters = (*(parameter.name for parameter in EXPORT_FILTER_PARAMETERS), "kind", "unreviewed")

    @extend_schema(
        summary="Export a search",
        parameters=[*EXPORT_FILTER_PARAMETERS, KIND_PARAMETER, UNREVIEWED_PARAMETER],
        responses=BINARY_RESPONSE,
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        export = None if slug == CROISSANT_SLUG else get_export_format_or_404(slug)
        export_filter = _read_export_filter(request)
        form = validate_search_form(request.query_params, ANONYMOUS_READER)
        if export is None:
            return build_croissant_response(describe_search_exports(request.query_params))
        keys = iter_sorted_article_pks(filter_articles(list_public_articles(), form.build_search_criteria()))
        articles = iter_public_articles_for_export(keys, export_filter)
        return claim_file_slot_while_streaming(
            build_export_download_gzipped_if_accepted(request._request, export, articles, f"bcms.{export.suffix}")
        )


def get_export_format_or_404(slug: str) -> ExportFileFormat:
    if slug not in DOWNLOADS:
        raise NotFound(f"There is no format {slug}. The formats are {', '.join(DOWNLOADS)}.")
    return DOWNLOADS[slug]


def _read_export_filter(request: Request) -> ExportFilter:
    return ExportFilter(
        read_short_text_parameter(request, "server"),
        read_choice_parameter(request, "kind", Kind),
        includes_unreviewed_in_rest(request),
    )
