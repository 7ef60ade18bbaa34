"""Where an annotation comes from: one answer of one producer, with the rules that it broke and the reply as it came."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import KIND_CHOICES
from bcms.api.articles import article_seen
from bcms.api.calls import BrokenRuleOfAttempt
from bcms.pages.results import ShownResult, broken_rules, one_of, reply_of


@dataclass(frozen=True, slots=True)
class Provenance:
    shown: ShownResult
    broken_rules: list[dict[str, str]]
    reply: str | None
    reply_bytes: int | None


class ResultOfArticle(serializers.Serializer):
    id = serializers.IntegerField(source="shown.result.pk")
    kind = serializers.ChoiceField(choices=KIND_CHOICES, source="shown.result.kind")
    producer = serializers.CharField(source="shown.producer", help_text="its name")
    server = serializers.SerializerMethodField(help_text="slug of the server that said it, empty for other producers")
    mode = serializers.CharField(source="shown.mode", help_text="of the server's queue; of others what they are")
    received = serializers.DateTimeField(source="shown.result.received")
    duration = serializers.FloatField(source="shown.result.duration", allow_null=True, help_text="seconds")
    text_version = serializers.IntegerField(source="shown.result.text_version", help_text="what it was made on")
    standing = serializers.CharField(source="shown.standing", help_text="current, replaced, or on an older text")
    annotations = serializers.IntegerField(source="shown.number", help_text="how many")
    empty_reason = serializers.CharField(source="shown.result.empty_reason", help_text="why it is empty, if it is")
    broken_rules = BrokenRuleOfAttempt(many=True, help_text="of the answer; what broke them was not taken")
    reply = serializers.CharField(allow_null=True, help_text="address of the reply as it came; null: none was kept")
    reply_bytes = serializers.IntegerField(allow_null=True)

    def get_server(self, provenance: Provenance) -> str:
        server = provenance.shown.server
        return server.slug if server else ""


class ArticleResult(APIView):
    """One answer, also one that was replaced since; `id` of each result among an article's annotations names it."""

    @extend_schema(summary="Read where annotations come from", responses=ResultOfArticle)
    def get(self, request: Request, identifier: str, pk: int) -> Response:
        article = article_seen(request, identifier)
        try:
            shown = one_of(request._request, article, pk)
        except Http404 as error:
            raise NotFound(str(error)) from error
        reply = reply_of(shown.result)
        address = request.build_absolute_uri(reverse("article-reply", args=[identifier, pk])) if reply else None
        size: Any = reply.size if reply else None
        return Response(ResultOfArticle(Provenance(shown, broken_rules(shown.result), address, size)).data)
