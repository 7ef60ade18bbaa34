"""REST: the servers that wait for a review, the evidence about one, decisions, and the team's choice."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.results.models import RESULT_KIND_CHOICES
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem, convert_form_errors
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.server_page.review.evidence import ReviewEvidence, load_review_evidence
from bcms.server_page.review.forms import ReviewForm
from evaluation.agreement.api import IntervalsField
from servers.registry.lookup import get_server_for_manager, get_server_or_404
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision, apply_team_choice, can_review_servers
from servers.review.models import LONGEST_NOTE, ReviewDecision
from servers.review.states import REVIEW_CHOICES, ReviewState
from servers.review.visible_servers import list_servers_to_review
from servers.teams.permissions import User, get_team_rights


class CanReviewServers(permissions.BasePermission):
    """Staff, and accounts with the permission to review servers."""

    message = "Only administrators and accounts that may review servers can do this."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return can_review_servers(request.user)


class ServerToReview(serializers.ModelSerializer[Server]):
    team = serializers.CharField(source="team.slug")

    class Meta:
        model = Server
        fields = ["slug", "name", "team", "kinds", "created"]


@extend_schema_view(get=extend_schema(summary="List servers to review"))
class ServersToReview(generics.ListAPIView[Server]):
    """The servers that wait for a review, the oldest first. For reviewers."""

    permission_classes = [permissions.IsAuthenticated, CanReviewServers]
    serializer_class = ServerToReview
    pagination_class = OffsetPages
    queryset = Server.objects.none()

    def get_queryset(self) -> QuerySet[Server]:
        return list_servers_to_review()


class DecisionOfReview(serializers.ModelSerializer[ReviewDecision]):
    by = serializers.CharField(
        source="by.username", default=None, allow_null=True, help_text="null: a change of a setting led to it"
    )

    before = serializers.CharField(help_text="review state before")
    after = serializers.CharField(help_text="review state from then on")

    class Meta:
        model = ReviewDecision
        fields = ["at", "before", "after", "note", "by"]


class BrokenRuleInReview(serializers.Serializer[Any]):
    code = serializers.CharField()
    times = serializers.IntegerField()
    message = serializers.CharField(help_text="of the latest example")


class VolumeOfKind(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES)
    articles = serializers.IntegerField(help_text="number of its latest results that were counted")
    per_article = serializers.FloatField(help_text="mean number of annotations")
    usual = serializers.FloatField(allow_null=True, help_text="median of the accepted servers; null without any")


class AgreementInReview(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES)
    server = serializers.CharField(source="slug", help_text="slug of an accepted server")
    articles = serializers.IntegerField(help_text="articles that both annotated, among its latest")
    joint = serializers.FloatField(
        source="agreement.joint", allow_null=True, help_text="joint probability of agreement"
    )
    f1 = serializers.FloatField(source="agreement.f1", allow_null=True)
    intervals = IntervalsField("joint, f1")


class ReviewOfServer(serializers.Serializer[ReviewEvidence]):
    review = serializers.ChoiceField(choices=REVIEW_CHOICES, source="server.review")
    failure_rate = serializers.FloatField(allow_null=True, help_text="share of the ended calls of the LIVE queue")
    broken_rules = BrokenRuleInReview(many=True, source="broken")
    volumes = VolumeOfKind(many=True)
    agreements = AgreementInReview(many=True)
    decisions = DecisionOfReview(many=True, help_text="the latest first")


class NewReviewDecision(RequestSerializer[Any]):
    decision = serializers.ChoiceField(choices=[ReviewState.ACCEPTED.value, ReviewState.DECLINED.value])
    note = serializers.CharField(
        max_length=LONGEST_NOTE, default="", allow_blank=True, help_text="sent to the team; needed to decline"
    )


class NewVisibility(RequestSerializer[Any]):
    review = serializers.ChoiceField(
        choices=[ReviewState.PRIVATE.value, ReviewState.UNREVIEWED.value],
        help_text="private: never shown to others; unreviewed: wait for a review",
    )


CONFLICT = OpenApiResponse(description="the server's review state does not allow it")


class ServerReview(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read a server's review", responses=ReviewOfServer)
    def get(self, request: Request, slug: str) -> Response:
        """The review state of a server and what is known about it. For its team and reviewers."""
        return Response(ReviewOfServer(load_review_evidence(_get_server_of_reader(slug, request.user))).data)

    @extend_schema(
        summary="Accept or decline a server", request=NewReviewDecision, responses={200: ReviewOfServer, 409: CONFLICT}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Accept or decline a server; its team is notified. For reviewers."""
        if not can_review_servers(request.user):
            raise PermissionDenied(CanReviewServers.message)
        server = get_object_or_404(Server, slug=slug)
        sent = NewReviewDecision(data=request.data)
        sent.is_valid(raise_exception=True)
        form = ReviewForm(sent.validated_data)
        if not form.is_valid():
            raise convert_form_errors(form)
        data = form.cleaned_data
        if not apply_review_decision(server, ReviewState(data["decision"]), data["note"], request.user):
            raise _make_conflict(server)
        return Response(ReviewOfServer(load_review_evidence(server)).data)


def _get_server_of_reader(slug: str, user: User) -> Server:
    """The server; PermissionDenied unless the user is a reviewer or on its team."""
    if can_review_servers(user):
        return get_object_or_404(Server.objects.select_related("team"), slug=slug)
    server = get_server_or_404(slug, user)
    if not get_team_rights(user, server.team).run:
        raise PermissionDenied(f"Only reviewers and members of {server.team} can read this.")
    return server


def _make_conflict(server: Server) -> ConflictProblem:
    current = Server.objects.values_list("review", flat=True).get(pk=server.pk)
    return ConflictProblem(f"{server} is {current}, so nothing was changed.")


class ServerVisibility(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Keep a server private or ask for a review",
        request=NewVisibility,
        responses={200: ReviewOfServer, 409: CONFLICT},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Hide a server from everybody but its team, or let it wait for a review again. For managers of its team."""
        server = get_server_for_manager(request, slug)
        sent = NewVisibility(data=request.data)
        sent.is_valid(raise_exception=True)
        if not apply_team_choice(server, ReviewState(sent.validated_data["review"]), request.user):
            raise _make_conflict(server)
        return Response(ReviewOfServer(load_review_evidence(server)).data)
