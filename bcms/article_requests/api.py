"""REST: requests to annotate an article, which is fetched from PubMed if it is not on this site yet."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.models import ArticleRequest
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.articles.parsed_article import ArticleIds
from bcms.article_requests.annotation_start import start_rate_limited_annotation
from bcms.article_requests.request_queue import (
    BUSY_SECONDS,
    TooManyOpenRequestsError,
    VisitorLimitError,
    find_article_by_first_given_id,
    find_open_request,
    get_article_request,
    get_or_create_finished_request,
    open_rate_limited_article_request,
    parse_article_name_or_empty,
)
from bcms.lib.rest.limits import TooManyRequests
from bcms.lib.rest.request_serializers import RequestSerializer
from evaluation.visibility import list_visible_articles


class FetchingBusy(APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "busy"
    default_detail = f"Too many articles are being fetched. Try again in {BUSY_SECONDS // 60} minutes."


class WantedArticle(RequestSerializer[Any]):
    ident = serializers.CharField(max_length=250, help_text="PMID, PMCID or DOI")
    refetch = serializers.BooleanField(
        default=False, help_text="true: fetch an article that is already here again, with its full text for a PMCID"
    )


class RequestOfArticle(serializers.ModelSerializer[ArticleRequest]):
    article = serializers.SerializerMethodField(
        help_text="the fetched article: its PMID, or the opaque id of an article without one"
    )
    pmid = serializers.IntegerField(source="article.pmid", allow_null=True, read_only=True)
    done = serializers.SerializerMethodField(
        help_text="whether the request is finished; if not, ask again in a few seconds"
    )

    class Meta:
        model = ArticleRequest
        fields = ["id", "ident", "asked", "finished", "done", "article", "pmid", "problem"]
        extra_kwargs = {
            "problem": {"help_text": "why the article, or the full text that a PMCID asks for, could not be fetched"},
        }

    def get_article(self, article_request: ArticleRequest) -> str | None:
        return format_pmid_or_opaque(article_request.article) if article_request.article else None

    def get_done(self, article_request: ArticleRequest) -> bool:
        return article_request.finished is not None


class ArticleRequests(APIView):
    """Requests to fetch and annotate articles. No account is needed."""

    permission_classes = [permissions.AllowAny]

    @extend_schema(
        summary="Fetch and annotate an article",
        operation_id="article_requests_create",
        request=WantedArticle,
        responses={202: RequestOfArticle},
    )
    def post(self, request: Request) -> Response:
        """Have the article with this PMID, PMCID or DOI annotated by all accepted servers that have not annotated it
        yet, before other articles. An article that is not here is fetched from PubMed first; for one that is here, the
        request is done at once. A second request for the same article changes nothing. articles/ID/servers/ lists whose
        annotations are awaited."""
        sent = WantedArticle(data=request.data)
        sent.is_valid(raise_exception=True)
        name = parse_article_name_or_empty(sent.validated_data["ident"])
        if not name:
            raise ValidationError({"ident": "Enter a PMID, PMCID or DOI, such as 16054130, PMC3460867 or 10.1000/x."})
        refetch = sent.validated_data["refetch"]
        article = None if refetch else find_article_by_first_given_id(list_visible_articles(request.user), name)
        if article is None:
            article_request = find_open_request(name) or _open_limited_request(request, name)
        else:
            start_rate_limited_annotation(request._request, article, request.user)
            article_request = get_or_create_finished_request(name, article)
        return Response(RequestOfArticle(article_request).data, status=status.HTTP_202_ACCEPTED)


def _open_limited_request(request: Request, name: ArticleIds) -> ArticleRequest:
    """A new request; TooManyRequests or FetchingBusy if a limit is reached."""
    try:
        return open_rate_limited_article_request(request._request, name)
    except VisitorLimitError as error:
        raise TooManyRequests("Your IP address has requested too many articles.", error.seconds) from error
    except TooManyOpenRequestsError as error:
        raise FetchingBusy from error


class ArticleRequestDetail(APIView):
    """One request for an article."""

    @extend_schema(summary="Read an article request", operation_id="article_requests_read", responses=RequestOfArticle)
    def get(self, request: Request, pk: int) -> Response:
        """The state of a request. Requests are kept for one day after they finish."""
        return Response(RequestOfArticle(get_article_request(pk)).data)
