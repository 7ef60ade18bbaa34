"""REST: one result of one producer on an article, with the rules that the answer broke and the URL of its reply."""

from dataclasses import dataclass

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.results.changed_texts.moving import list_not_movable_annotations
from annotations.results.models import RESULT_KIND_CHOICES
from bcms.article_annotations.api import FieldsOfAnnotation, drop_moving_unless_moved
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.current_annotations import ResolvedAnnotation
from bcms.article_page.results.result_details import (
    ResultDetails,
    find_result_reply,
    get_result_of_producers,
    list_broken_rules,
)
from bcms.server_page.calls.api import BrokenRuleOfAttempt
from evaluation.visibility import list_producers_in_rest
from servers.review.reader_choice import UNREVIEWED_PARAMETER, includes_unreviewed_in_rest


@dataclass(frozen=True, slots=True)
class ResultProvenance:
    shown: ResultDetails
    broken_rules: list[dict[str, str]]
    reply: str | None
    reply_bytes: int | None
    left_behind: list[ResolvedAnnotation]


class ResultOfArticle(serializers.Serializer[ResultProvenance]):
    id = serializers.IntegerField(source="shown.result.pk")
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES, source="shown.result.kind")
    producer = serializers.CharField(source="shown.producer", help_text="name of the producer")
    server = serializers.SerializerMethodField(help_text="slug of the server; empty for other producers")
    mode = serializers.CharField(source="shown.mode", help_text="mode of the server's queue; else the kind of producer")
    received = serializers.DateTimeField(source="shown.result.received")
    duration = serializers.FloatField(source="shown.result.duration", allow_null=True, help_text="seconds")
    text_version = serializers.IntegerField(
        source="shown.result.text_version", help_text="version of the annotated text"
    )
    standing = serializers.CharField(source="shown.currency", help_text="current, replaced, or on an older text")
    annotations = serializers.IntegerField(source="shown.number", help_text="number of annotations")
    empty_reason = serializers.CharField(source="shown.result.empty_reason", help_text="why there are no annotations")
    broken_rules = BrokenRuleOfAttempt(
        many=True, help_text="rules that parts of the answer broke and were rejected for"
    )
    moved_from = serializers.IntegerField(
        source="shown.result.moved_from",
        required=False,
        help_text="version of the text that was annotated, if the annotations were moved from it; 0 if they came "
        "with a slightly different text; otherwise missing",
    )
    left_behind = FieldsOfAnnotation(
        many=True,
        required=False,
        help_text="annotations that were not moved, as the text no longer has their words; missing if nothing was "
        "moved",
    )
    reply = serializers.CharField(allow_null=True, help_text="URL of the original reply; null if none was kept")
    reply_bytes = serializers.IntegerField(allow_null=True)

    def to_representation(self, instance: ResultProvenance) -> dict[str, object]:
        return drop_moving_unless_moved(super().to_representation(instance))

    def get_server(self, provenance: ResultProvenance) -> str:
        server = provenance.shown.server
        return server.slug if server else ""


class ArticleResult(APIView):
    """One result, current or replaced. Its number is the `id` of a result in the article's annotations."""

    query_parameters = ("unreviewed",)

    @extend_schema(
        summary="Read the provenance of annotations", parameters=[UNREVIEWED_PARAMETER], responses=ResultOfArticle
    )
    def get(self, request: Request, identifier: str, pk: int) -> Response:
        article = get_visible_article(request, identifier)
        try:
            shown = get_result_of_producers(article, pk, list_producers_in_rest(request))
        except Http404 as error:
            raise NotFound(str(error)) from error
        reply = find_result_reply(shown.result)
        choice = "?unreviewed=1" if includes_unreviewed_in_rest(request) else ""
        reply_path = reverse("article-reply", args=[identifier, pk]) + choice
        reply_url = request.build_absolute_uri(reply_path) if reply else None
        size = reply.size if reply else None
        left_behind = [ResolvedAnnotation(each) for each in list_not_movable_annotations(shown.result, article)]
        provenance = ResultProvenance(shown, list_broken_rules(shown.result), reply_url, size, left_behind)
        return Response(ResultOfArticle(provenance).data)
