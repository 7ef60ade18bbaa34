"""Articles that are not here yet, asked for by a program: as by the page, a worker fetches them from PubMed."""

from allauth.core import ratelimit
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.formats.read_article import Name
from annotations.models import ArticleRequest
from bcms.api.articles import identifier_of
from bcms.api.limits import TooMany
from bcms.pages.requesting import LATER, LIMITS, with_article
from bcms.requesting import TooManyOpenError, name_in, open_request, request_article


class Busy(APIException):
    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_code = "busy"
    default_detail = f"Very many articles are being fetched already: ask again in {LATER // 60} minutes."


class WantedArticle(serializers.Serializer):
    ident = serializers.CharField(max_length=250, help_text="PMID, PMCID or DOI")


class RequestOfArticle(serializers.ModelSerializer):
    article = serializers.SerializerMethodField(
        help_text="under which it is here now: its PMID, or the opaque id of an article without one"
    )
    pmid = serializers.IntegerField(source="article.pmid", allow_null=True, read_only=True)
    done = serializers.SerializerMethodField(help_text="whether it is answered; ask again in a few seconds until then")

    class Meta:
        model = ArticleRequest
        fields = ["id", "ident", "asked", "finished", "done", "article", "pmid", "problem"]
        extra_kwargs = {
            "problem": {"help_text": "why it did not come, or came without the full text that a PMCID asks for"},
        }

    def get_article(self, wanted: ArticleRequest) -> str | None:
        return identifier_of(wanted.article) if wanted.article else None

    def get_done(self, wanted: ArticleRequest) -> bool:
        return wanted.finished is not None


class ArticleRequests(APIView):
    """Articles that are to be fetched from PubMed."""

    @extend_schema(
        summary="Have an article fetched",
        operation_id="article_requests_create",
        request=WantedArticle,
        responses={202: RequestOfArticle},
    )
    def post(self, request: Request) -> Response:
        """Fetch the article of a PMID, PMCID or DOI from PubMed, also when it is here, to bring it up to date; every
        annotation server is then asked for it first."""
        sent = WantedArticle(data=request.data)
        sent.is_valid(raise_exception=True)
        name = name_in(sent.validated_data["ident"])
        if not name:
            raise ValidationError({"ident": "Give a PMID, PMCID or DOI, such as 16054130, PMC3460867 or 10.1000/x."})
        wanted = open_request(name) or made(request, name)
        return Response(RequestOfArticle(wanted).data, status=status.HTTP_202_ACCEPTED)


def made(request: Request, name: Name) -> ArticleRequest:
    """A new request, as often as one may make them."""
    for action, seconds in LIMITS:
        if not ratelimit.consume(request._request, action=action):
            raise TooMany("Your address asked for too many articles that are not here.", seconds)
    try:
        return request_article(name)
    except TooManyOpenError as error:
        raise Busy from error


class ArticleRequestDetail(APIView):
    """One request for an article."""

    @extend_schema(summary="See whether it came", operation_id="article_requests_read", responses=RequestOfArticle)
    def get(self, request: Request, pk: int) -> Response:
        """A request for an article, kept for a day after it was answered."""
        return Response(RequestOfArticle(with_article(pk)).data)
