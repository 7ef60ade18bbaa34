"""REST: an article with its text, and the state of its servers."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque, format_pmid_or_opaque
from annotations.articles.text_versions import list_older_text_versions_newest_first
from annotations.articles.versions import annotate_version
from annotations.results.collation import GroupOrder
from annotations.results.models import ArticleSummary
from annotations.results.queries import list_current_results_on_current_text
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.text_versions import TEXT_PARAMETER, get_requested_text
from bcms.article_page.collated_article import list_annotating_producers, load_collated_article
from bcms.article_page.reader_choice import ReaderChoice
from bcms.article_page.server_status import (
    ServerLine,
    build_live_and_asked_server_lines,
    list_queues_with_last_calls,
)
from bcms.article_requests.annotation_start import start_rate_limited_annotation
from bcms.lib.rest.conditional import respond_unless_etag_matches
from evaluation.visibility import list_producers_in_rest, list_visible_articles
from servers.review.reader_choice import UNREVIEWED_PARAMETER


class ServerOfArticle(serializers.Serializer[Any]):
    server = serializers.CharField(source="source.slug", help_text="slug of the server")
    mode = serializers.CharField(source="source.mode", help_text="mode of its queue: live, training or test")
    awaited = serializers.BooleanField(source="source.awaited", help_text="whether its answer is still expected")
    words = serializers.CharField(source="status", help_text="the state of its call as text")
    age = serializers.FloatField(allow_null=True, help_text="seconds since it was asked or queued")
    due = serializers.DateTimeField(allow_null=True, help_text="time of the next try after a failed one")


class ArticleServers(APIView):
    """The state of every listed server's LIVE queue for one article, and of other queues that were asked."""

    permission_classes = [permissions.AllowAny]
    query_parameters = ("unreviewed",)

    @extend_schema(
        summary="List an article's servers",
        operation_id="articles_servers_list",
        parameters=[UNREVIEWED_PARAMETER],
        responses=ServerOfArticle(many=True),
    )
    def get(self, request: Request, identifier: str) -> Response:
        article = get_visible_article(request, identifier)
        return Response(ServerOfArticle(_build_server_lines(request, article), many=True).data)

    @extend_schema(
        summary="Call an article's servers",
        operation_id="articles_servers_call",
        parameters=[UNREVIEWED_PARAMETER],
        request=None,
        responses={202: ServerOfArticle(many=True)},
    )
    def post(self, request: Request, identifier: str) -> Response:
        """Have the article annotated by all accepted servers, and those of your teams, that have not annotated it yet,
        before other articles. No account is needed. A second request changes nothing; read the list again until no
        server is awaited. Blind articles are annotated in their phase only."""
        article = get_visible_article(request, identifier)
        start_rate_limited_annotation(request._request, article, request.user)
        lines = _build_server_lines(request, article)
        return Response(ServerOfArticle(lines, many=True).data, status=status.HTTP_202_ACCEPTED)


def _build_server_lines(request: Request, article: Article) -> list[ServerLine]:
    sources = list_queues_with_last_calls(article, list_producers_in_rest(request), request.user)
    results = list_current_results_on_current_text(article, [source.producer for source in sources])
    reading = load_collated_article(article, sources, results, ReaderChoice(None, GroupOrder.SERVERS, None), {})
    return build_live_and_asked_server_lines(sources, results, list_annotating_producers(reading), timezone.now())


class ArticleInList(serializers.ModelSerializer[Article]):
    id = serializers.SerializerMethodField(help_text="the PMID, or the opaque id of an article without one")
    title = serializers.CharField(read_only=True)

    class Meta:
        model = Article
        fields = ["id", "pmid", "doi", "pmcid", "title", "journal", "year"]

    def get_id(self, article: Article) -> str:
        return format_pmid_or_opaque(article)


class StandingOfArticle(serializers.ModelSerializer[ArticleSummary]):
    """Summary of the annotations by public servers, updated a few seconds after them."""

    class Meta:
        model = ArticleSummary
        fields = ["servers", "yes", "no", "balance", "disagreement"]
        extra_kwargs = {
            "servers": {"help_text": "number of servers that annotated it"},
            "yes": {"help_text": "servers that classify it as about protein interactions"},
            "no": {"help_text": "servers that classify it as not about protein interactions"},
            "balance": {"help_text": "from 0, a confident no by all servers, to 1, a confident yes; null: no answer"},
            "disagreement": {
                "help_text": "the share of the other servers that do not make an annotation, averaged over all "
                "different annotations; null if no two servers annotated the same kind"
            },
        }


class WithStanding(serializers.Serializer[Article]):
    standing = serializers.SerializerMethodField(help_text="null for a few seconds after the import of the article")

    @extend_schema_field(StandingOfArticle(allow_null=True))
    def get_standing(self, article: Article) -> dict[str, Any] | None:
        standing = getattr(article, "standing", None)
        return None if standing is None else StandingOfArticle(standing).data


class PassageInArticle(serializers.Serializer[dict[str, str]]):
    type = serializers.CharField(help_text="title, abstract or the name of a section")
    text = serializers.CharField()


class ArticleInFull(WithStanding, ArticleInList):
    authors = serializers.SerializerMethodField()
    passages = PassageInArticle(many=True, read_only=True)
    text = serializers.CharField(
        help_text="the canonical text: the passages joined by newlines; positions count its Unicode code points"
    )

    older_texts = serializers.SerializerMethodField(
        help_text="kept versions of the text that were annotated, the newest first; read one with ?text=VERSION"
    )

    class Meta(ArticleInList.Meta):
        fields = [*ArticleInList.Meta.fields, "authors", "standing", "text_version", "older_texts", "passages", "text"]

    def get_authors(self, article: Article) -> list[str]:
        return [str(name) for name in article.metadata.get("authors", ())]

    def get_older_texts(self, article: Article) -> list[int]:
        return list_older_text_versions_newest_first(article)


@extend_schema_view(get=extend_schema(summary="Read an article", parameters=[TEXT_PARAMETER]))
@method_decorator(gzip_page, name="dispatch")
class ArticleDetail(generics.RetrieveAPIView[Article]):
    """One article by its PMID or opaque id, with its current text or an older one."""

    query_parameters = ("text",)
    serializer_class = ArticleInFull
    queryset = Article.objects.none()

    def get_object(self) -> Article:
        articles = annotate_version(list_visible_articles(self.request.user)).select_related("standing")
        return get_object_or_404(filter_articles_by_pmid_or_opaque(articles, self.kwargs["identifier"]))

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        article = get_requested_text(request, self.get_object()).article
        standing = getattr(article, "standing", None)
        state = (article.version, standing and standing.version)
        return respond_unless_etag_matches(request, state, lambda: Response(self.get_serializer(article).data))
