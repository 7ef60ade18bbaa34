"""How it stands with the servers of an article: who answered, and who is awaited since when."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.collation import Order
from annotations.querysets import current_results
from bcms.api.articles import article_seen
from bcms.pages.article import read
from bcms.pages.awaited import server_lines, sources_of
from bcms.pages.reading import Choice
from bcms.visibility import producers_seen_by


class ServerOfArticle(serializers.Serializer):
    server = serializers.CharField(source="source.slug", help_text="its slug")
    mode = serializers.CharField(source="source.mode", help_text="of its queue: live, training or test")
    awaited = serializers.BooleanField(source="source.awaited", help_text="whether its answer is still to come")
    words = serializers.CharField(help_text="how it stands with it")
    age = serializers.FloatField(allow_null=True, help_text="seconds since it was asked, or began to wait")
    due = serializers.DateTimeField(allow_null=True, help_text="when a call that failed is tried again")


class ArticleServers(APIView):
    """The servers that answered of one article or are to, in their LIVE queues and in others that were asked."""

    @extend_schema(
        summary="Read who is awaited", operation_id="articles_servers_list", responses=ServerOfArticle(many=True)
    )
    def get(self, request: Request, identifier: str) -> Response:
        article = article_seen(request, identifier)
        sources = sources_of(article, producers_seen_by(request.user))
        results = current_results(article, [source.producer for source in sources])
        reading = read(article, sources, results, Choice(None, Order.SERVERS, None), {})
        found = {word.source.producer for word in reading.spoken if word.findings}
        return Response(ServerOfArticle(server_lines(sources, results, found, timezone.now()), many=True).data)
