"""REST: the published digital abstract of an article, those of a search as files, and all of them as a data set."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.http.response import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.curation.abstract_files import build_article_record_json
from annotations.curation.errors import CurationError
from annotations.curation.models import PublishedAbstract
from annotations.curation.publishing import LONGEST_REASON
from annotations.search.article_search import filter_articles
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.digital_abstracts.curations_data_set import (
    DESCRIPTION,
    build_curations_download,
    describe_curations_files,
    load_curations_size,
)
from bcms.digital_abstracts.downloads import (
    build_abstracts_download,
    build_article_abstract_download,
    get_abstract_format_or_404,
    get_published_abstract_or_404,
)
from bcms.digital_abstracts.published_abstracts import (
    export_published_abstract,
    get_licence,
    get_licence_url,
    list_abstract_formats,
)
from bcms.digital_abstracts.serializers import PublishedRecord
from bcms.digital_abstracts.withdrawal import check_may_withdraw, withdraw_abstract_for_reason
from bcms.lib.rest.limits import FileLimit, RequestLimit
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from bcms.search.api import validate_search_form
from bcms.search.exports.api import BINARY_RESPONSE, EXPORT_FILTER_PARAMETERS, get_export_format_or_404
from bcms.search.exports.croissant import CROISSANT_SLUG, build_croissant_response
from bcms.search.exports.exported_articles import list_public_articles
from evaluation.visibility import ANONYMOUS_READER


class ArticleDigitalAbstract(APIView):
    """The record that curators made of the article and reviewers published, with a sentence for each interaction.

    404 if none is published.
    """

    permission_classes = [permissions.AllowAny]

    @extend_schema(summary="Get an article's digital abstract", responses=PublishedRecord)
    def get(self, request: Request, identifier: str) -> Response:
        article = get_visible_article(request, identifier)
        published = get_published_abstract_or_404(article)
        record = build_article_record_json(export_published_abstract(published, article))
        return Response({**record, "text_version": published.curation.text_version, "licence": get_licence_url()})


class WithdrawalReason(RequestSerializer[Any]):
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="everybody reads it in place of the record")


class WithdrawnDigitalAbstract(serializers.ModelSerializer[PublishedAbstract]):
    """reason: as everybody reads it."""

    reason = serializers.CharField(source="withdrawal_reason")

    class Meta:
        model = PublishedAbstract
        fields = ["published", "withdrawn", "reason"]


class ArticleDigitalAbstractWithdrawal(APIView):
    """For its curator, reviewers, and in a project its owner and the organizers of its challenge."""

    permission_classes = [permissions.IsAuthenticated]
    conflict_description = "somebody else has withdrawn it"

    @extend_schema(
        summary="Withdraw an article's digital abstract", request=WithdrawalReason, responses=WithdrawnDigitalAbstract
    )
    def post(self, request: Request, identifier: str) -> Response:
        """It is shown no longer, and the page of the article says why. 404 if none is published."""
        article = get_visible_article(request, identifier)
        published = get_published_abstract_or_404(article)
        check_may_withdraw(request.user, published)
        reason = validate_request_data(WithdrawalReason, request)["reason"]
        try:
            user = cast(AbstractBaseUser, request.user)
            withdraw_abstract_for_reason(article, published, reason, user, timezone.now())
        except CurationError as error:
            if error.field:
                raise ValidationError({error.field: str(error)}) from None
            raise ConflictProblem(str(error)) from None
        published.refresh_from_db()
        return Response(WithdrawnDigitalAbstract(published).data)


class ArticleDigitalAbstractFile(APIView):
    """The published digital abstract of an article as a file."""

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation

    @extend_schema(
        summary="Export an article's digital abstract",
        operation_id="articles_digital_abstract_export",
        responses=BINARY_RESPONSE,
    )
    def get(self, request: Request, identifier: str, slug: str) -> HttpResponseBase:
        return build_article_abstract_download(request._request, identifier, slug)


class DigitalAbstractFormat(serializers.Serializer[Any]):
    slug = serializers.CharField(help_text="its name in URLs")
    name = serializers.CharField()
    media_type = serializers.CharField()
    note = serializers.CharField(help_text="what the files have and have not")


class DigitalAbstractFormatList(APIView):
    """The formats of files with digital abstracts; nanopublications only if this site has a key to sign them."""

    authentication_classes = ()

    @extend_schema(summary="List formats of digital abstracts", responses=DigitalAbstractFormat(many=True))
    def get(self, request: Request) -> Response:
        formats = list_abstract_formats(of_one_article=False)
        return Response(DigitalAbstractFormat(formats.values(), many=True).data)


class SearchDigitalAbstractsFile(APIView):
    """The published digital abstracts of all articles that match the filters, as one file."""

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation
    throttle_classes = (RequestLimit, FileLimit)
    query_parameters = tuple(parameter.name for parameter in EXPORT_FILTER_PARAMETERS)

    @extend_schema(
        summary="Export the digital abstracts of a search",
        parameters=EXPORT_FILTER_PARAMETERS,
        responses=BINARY_RESPONSE,
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        get_abstract_format_or_404(slug, of_one_article=False)
        form = validate_search_form(request.query_params, ANONYMOUS_READER)
        articles = filter_articles(list_public_articles(), form.build_search_criteria())
        return build_abstracts_download(request._request, articles, slug)


class PublishedCurations(serializers.Serializer[Any]):
    description = serializers.CharField()
    licence = serializers.CharField(help_text="SPDX identifier")
    articles = serializers.IntegerField(help_text="with a published digital abstract")
    interactions = serializers.IntegerField()
    last = serializers.DateTimeField(allow_null=True, help_text="when the last record was published")


class CurationsDataSet(APIView):
    """The size and licence of all published digital abstracts, which are a data set."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(summary="Get the data set of published curations", responses=PublishedCurations)
    def get(self, request: Request) -> Response:
        size = load_curations_size()
        values = {"description": DESCRIPTION, "licence": get_licence().value, "articles": size.articles}
        values |= {"interactions": size.interactions, "last": size.last}
        return Response(PublishedCurations(values).data)


class CurationsDataSetFile(APIView):
    """The curated articles with the annotations of their published records, as one file.

    The format `croissant` is a description of both Parquet files in Croissant 1.0.
    """

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(summary="Export the published curations", responses=BINARY_RESPONSE)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        if slug == CROISSANT_SLUG:
            return build_croissant_response(describe_curations_files())
        return build_curations_download(request._request, get_export_format_or_404(slug))
