"""REST: what curators decided about the annotations of a server, for its team."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import generics, permissions, serializers

from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.contents import Content, read_annotation_content
from annotations.curation.models import ITEM_KIND_CHOICES, DecidedItem
from annotations.curation.states import ItemKind
from annotations.formats.digital_abstracts.annotation_members import build_annotation_members
from bcms.digital_abstracts.serializers import RecordedInteraction
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.query_parameters import read_choice_parameter
from evaluation.curation.server_feedback import (
    CURATOR_VERDICT_CHOICES,
    CuratorVerdict,
    find_verdict,
    list_published_verdicts,
)
from servers.registry.lookup import get_server_user_may_run

KIND_PARAMETER = OpenApiParameter("kind", str, description="Only annotations of this kind.", enum=[*ItemKind])
# What the list does not show of an article.
LARGE_ARTICLE_FIELDS = [f"curation__article__{name}" for name in ("passages", "text", "metadata")]


class CuratedStatement(serializers.Serializer[Any]):
    annotation = serializers.DictField(allow_null=True, help_text="with the members of exports; null for interactions")
    interaction = RecordedInteraction(allow_null=True, help_text="null for other kinds")


class CuratedAnnotation(serializers.Serializer[DecidedItem]):
    """proposed: the annotation of the server, which others may have proposed, too. corrected: what became of it, null
    unless it was corrected.
    """

    article = serializers.SerializerMethodField(help_text="PMID or opaque id")
    kind = serializers.ChoiceField(ITEM_KIND_CHOICES)
    proposed = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    reason = serializers.SerializerMethodField(help_text="why it was rejected, or empty")
    corrected = serializers.SerializerMethodField()

    def get_article(self, item: DecidedItem) -> str:
        return format_pmid_or_opaque(item.curation.article)

    @extend_schema_field(CuratedStatement)
    def get_proposed(self, item: Any) -> Mapping[str, object]:
        return _build_statement(item.kind, item.content if item.proposed is None else item.proposed)

    @extend_schema_field(serializers.ChoiceField(CURATOR_VERDICT_CHOICES))
    def get_verdict(self, item: Any) -> str:
        return find_verdict(item, item.proposed)

    def get_reason(self, item: Any) -> str:
        is_rejected = find_verdict(item, item.proposed) is CuratorVerdict.REJECTED
        return item.decision.reason if is_rejected else ""

    @extend_schema_field(CuratedStatement(allow_null=True))
    def get_corrected(self, item: Any) -> Mapping[str, object] | None:
        is_corrected = find_verdict(item, item.proposed) is CuratorVerdict.CORRECTED
        return _build_statement(item.kind, item.content) if is_corrected else None


def _build_statement(kind: str, content: Content) -> Mapping[str, object]:
    if kind == ItemKind.INTERACTION:
        return {"annotation": None, "interaction": content["interaction"]}
    return {"annotation": build_annotation_members(read_annotation_content(content)), "interaction": None}


@extend_schema_view(get=extend_schema(summary="List what curators decided on a server", parameters=[KIND_PARAMETER]))
class ServerDecisions(generics.ListAPIView[DecidedItem]):
    """The live annotations of the server that curators accepted, corrected or rejected in published digital abstracts.

    Of a project, what agrees with its outcome, once everybody sees this as a digital abstract or a gold standard. Each
    annotation of an article once. Only of curators who agree to show their decisions to teams, and without their names.
    For members of its team.
    """

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = OffsetPages
    query_parameters = ("kind",)
    serializer_class = CuratedAnnotation
    queryset = DecidedItem.objects.none()

    def get_queryset(self) -> QuerySet[DecidedItem]:
        items = list_published_verdicts(get_server_user_may_run(self.request, self.kwargs["slug"]))
        kind = read_choice_parameter(self.request, "kind", ItemKind)
        items = items.filter(kind=kind) if kind else items
        # The order of articles and keys, so that it does not show which curator decided when.
        ordered = items.order_by("curation__article", "kind", "key", "pk")
        return ordered.select_related("decision", "curation__article").defer(*LARGE_ARTICLE_FIELDS)
