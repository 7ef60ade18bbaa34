"""REST: the challenges that wait for a review, the evidence about one, and decisions."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.results.models import RESULT_KIND_CHOICES
from bcms.challenge_review.evidence import ChallengeEvidence, load_challenge_evidence
from bcms.challenge_review.forms import ChallengeReviewForm
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem, convert_form_errors
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.server_page.review.api import CanReviewServers
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.models import CHALLENGE_REVIEW_CHOICES, Challenge
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.review.decisions import apply_challenge_decision
from evaluation.challenges.review.queries import list_challenges_to_review
from servers.audit.models import AuditEvent
from servers.audit.trail import LONGEST_REASON
from servers.review.decisions import can_review_servers, check_may_review
from servers.review.states import ReviewState


class ChallengeToReview(serializers.ModelSerializer[Challenge]):
    runs = serializers.IntegerField(help_text="number of published runs")

    class Meta:
        model = Challenge
        fields = ["slug", "name", "state", "runs"]


@extend_schema_view(get=extend_schema(summary="List challenges to review"))
class ChallengesToReview(generics.ListAPIView[Challenge]):
    """The challenges that have published results and wait for a review, the oldest first. For reviewers."""

    permission_classes = [permissions.IsAuthenticated, CanReviewServers]
    serializer_class = ChallengeToReview
    pagination_class = OffsetPages
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        return list_challenges_to_review()


class ProducerInChallengeReview(serializers.Serializer[Any]):
    name = serializers.CharField()
    sort = serializers.CharField(help_text="server, run or gold")
    team = serializers.CharField(help_text="empty for baselines and gold standards")
    server = serializers.CharField(
        source="server.slug", default=None, allow_null=True, help_text="its slug; its own review decides, null: none"
    )
    server_review = serializers.CharField(source="server.review", default=None, allow_null=True)
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES, source="volume.kind")
    articles = serializers.IntegerField(
        source="volume.articles", help_text="number of its latest results that were counted"
    )
    per_article = serializers.FloatField(source="volume.per_article", help_text="mean number of annotations")
    usual = serializers.FloatField(
        source="volume.usual", allow_null=True, help_text="median of the accepted servers; null without any"
    )
    f1 = serializers.FloatField(
        allow_null=True, help_text="mean F1 with accepted servers on articles that both annotated; null without any"
    )
    compared = serializers.IntegerField(help_text="number of these servers")


class DecisionOfChallengeReview(serializers.ModelSerializer[AuditEvent]):
    before = serializers.CharField(source="before.review", help_text="review state before")
    after = serializers.CharField(source="after.review", help_text="review state from then on")
    note = serializers.CharField(source="reason")
    by = serializers.CharField(source="actor.username", default=None, allow_null=True)

    class Meta:
        model = AuditEvent
        fields = ["at", "before", "after", "note", "by"]


class ReviewOfChallenge(serializers.Serializer[ChallengeEvidence]):
    review = serializers.ChoiceField(choices=CHALLENGE_REVIEW_CHOICES, source="challenge.review")
    articles = serializers.IntegerField(help_text="number of articles with published annotations")
    public_articles = serializers.IntegerField(
        source="public", help_text="of these, those that are on the site apart from the challenge"
    )
    annotated_articles = serializers.IntegerField(
        source="annotated", help_text="of these, those that accepted servers annotated, too"
    )
    producers = ProducerInChallengeReview(many=True)
    decisions = DecisionOfChallengeReview(many=True, help_text="the latest first")


class NewChallengeDecision(RequestSerializer[Any]):
    decision = serializers.ChoiceField(choices=[ReviewState.ACCEPTED.value, ReviewState.DECLINED.value])
    note = serializers.CharField(
        max_length=LONGEST_REASON, default="", allow_blank=True, help_text="mailed to the organizers; needed to decline"
    )


CONFLICT = OpenApiResponse(description="the challenge's review state does not allow it")


class ChallengeReview(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read a challenge's review", responses=ReviewOfChallenge)
    def get(self, request: Request, slug: str) -> Response:
        """The review state of a challenge and what it has published. For its organizers and reviewers."""
        challenge = get_challenge_or_404(request.user, slug)
        if not can_review_servers(request.user) and not can_organize(request.user, challenge):
            raise PermissionDenied(f"Only reviewers and the organizers of {challenge} can read this.")
        return Response(ReviewOfChallenge(load_challenge_evidence(challenge)).data)

    @extend_schema(
        summary="Accept or decline a challenge",
        request=NewChallengeDecision,
        responses={200: ReviewOfChallenge, 409: CONFLICT},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Show what it has published of uploaded runs, baselines and gold standards with the articles by default, or
        no more. Its organizers get a mail. For reviewers."""
        check_may_review(request.user)
        challenge = get_challenge_or_404(request.user, slug)
        sent = NewChallengeDecision(data=request.data)
        sent.is_valid(raise_exception=True)
        form = ChallengeReviewForm(sent.validated_data)
        if not form.is_valid():
            raise convert_form_errors(form)
        data = form.cleaned_data
        if not apply_challenge_decision(challenge, ReviewState(data["decision"]), data["note"], request.user):
            current = Challenge.objects.values_list("review", flat=True).get(pk=challenge.pk)
            raise ConflictProblem(f"{challenge} is {current}, so nothing was changed.")
        return Response(ReviewOfChallenge(load_challenge_evidence(challenge)).data)
