"""Articles with what everybody says of them, as files; whoever asks gets the same."""

from collections.abc import Iterable

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.finding import found
from annotations.formats.exports import EXPORTS, Export
from annotations.kinds import Kind
from bcms.api.articles import KIND, SERVER
from bcms.api.conventions import refusal_of, word_of, words_of
from bcms.api.finding import FILTERS, refuse_unknown_filters
from bcms.api.limits import FileLimit, RequestLimit, held
from bcms.downloads import article_file, file_of
from bcms.exporting import EVERYBODY, Narrowing, collected, keys_of, public_articles
from bcms.find_form import FindForm

FILE = {(200, "application/octet-stream"): OpenApiTypes.BINARY}
# An export is in no order of merit.
ASKED = [parameter for parameter in FILTERS if parameter.name != "sort"]


class FormatOfAddress(BaseContentNegotiation):
    """The address says what is sent, whatever the Accept header asks for; faults are told in JSON."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        return next(iter(parsers), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, first.media_type


class ExportFormat(serializers.Serializer):
    """A format; carries and lost say what comes back whole when the file is read, and what does not."""

    slug = serializers.CharField(help_text="its name in addresses")
    name = serializers.CharField()
    media_type = serializers.CharField()
    carries = serializers.ListField(child=serializers.CharField(), source="carried")
    lost = serializers.ListField(child=serializers.CharField())
    loses = serializers.CharField(help_text="what to know of the rest")


class Exports(APIView):
    """The formats of exports, with what each carries and what it loses."""

    authentication_classes = ()

    @extend_schema(summary="List the formats of exports", responses=ExportFormat(many=True))
    def get(self, request: Request) -> Response:
        return Response(ExportFormat(EXPORTS.values(), many=True).data)


class ArticleExport(APIView):
    """One article with what everybody may know of it, as a file."""

    authentication_classes = ()
    content_negotiation_class = FormatOfAddress

    @extend_schema(summary="Export an article", parameters=[KIND, SERVER], responses=FILE)
    def get(self, request: Request, identifier: str, slug: str) -> HttpResponseBase:
        return article_file(request._request, identifier, chosen(slug), narrowing_of(request))


class SearchExport(APIView):
    """All articles that a search finds, or all there are, with what everybody may know of them, as one file.

    With a server it has the articles that this one annotated, and of what is said of them only its own.
    """

    authentication_classes = ()
    content_negotiation_class = FormatOfAddress
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(summary="Export a search", parameters=[*ASKED, KIND], responses=FILE)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        refuse_unknown_filters(request, "kind")
        export, narrowing, form = chosen(slug), narrowing_of(request), FindForm(request.query_params, EVERYBODY)
        if not form.is_valid():
            raise refusal_of(form)
        keys = keys_of(found(public_articles(), form.wish()))
        return held(file_of(request._request, export, collected(keys, narrowing), f"bcms.{export.suffix}"))


def chosen(slug: str) -> Export:
    if slug not in EXPORTS:
        raise NotFound(f"There is no format {slug}; choose one of {', '.join(EXPORTS)}.")
    return EXPORTS[slug]


def narrowing_of(request: Request) -> Narrowing:
    return Narrowing(words_of(request, "server"), word_of(request, "kind", Kind))
