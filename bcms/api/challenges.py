"""Challenges with their tasks and phases, and leaderboards as evaluation/leaderboard.py lets a user see them."""

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import KIND_CHOICES
from bcms.api.conventions import Pages
from evaluation.leaderboard import Row, board
from evaluation.models import Challenge, Phase, Task


class TaskOfChallenge(serializers.ModelSerializer):
    class Meta:
        model = Task
        fields = ["name", "title", "note", "kind", "primary"]


class PhaseOfChallenge(serializers.ModelSerializer):
    corpus = serializers.CharField(source="corpus.slug")

    class Meta:
        model = Phase
        fields = ["sort", "corpus", "opens", "closes", "published"]


class ChallengeWithParts(serializers.ModelSerializer):
    tasks = TaskOfChallenge(many=True)
    phases = PhaseOfChallenge(many=True)

    class Meta:
        model = Challenge
        fields = ["slug", "name", "description", "tasks", "phases"]


class MeasureOfBoard(serializers.Serializer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    higher_is_better = serializers.BooleanField()


class RunOnBoard(serializers.Serializer):
    """One run. first_rank and last_rank are the ranks it shares; null for baselines and for runs without a score."""

    run = serializers.IntegerField()
    name = serializers.CharField()
    team = serializers.CharField(help_text="empty for baselines")
    server = serializers.CharField(source="server_slug", help_text="slug, empty unless a server made the run")
    sort = serializers.CharField(help_text="online, upload or baseline")
    first_rank = serializers.IntegerField(source="first", allow_null=True)
    last_rank = serializers.IntegerField(source="last", allow_null=True)
    figures = serializers.SerializerMethodField(help_text="figure by the name of the measure; null when undefined")
    curve = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="[recall, precision] after each rank"
    )
    answered = serializers.IntegerField(help_text="articles of the gold standard that it has a result of")
    articles = serializers.IntegerField(help_text="articles of the gold standard")
    seconds = serializers.FloatField(allow_null=True, help_text="median time per article")
    signature = serializers.CharField(help_text="what the figures were computed from, and by what")
    computed = serializers.DateTimeField(allow_null=True)

    def get_figures(self, row: Row) -> dict[str, float | None]:
        return {cell.measure.name: cell.value for cell in row.cells}


class LeaderboardOfTask(serializers.Serializer):
    challenge = serializers.CharField(source="task.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    task = serializers.CharField(source="task.name")
    kind = serializers.ChoiceField(choices=KIND_CHOICES, source="task.kind")
    note = serializers.CharField(source="task.note", help_text="what the gold standard is")
    published = serializers.DateTimeField(source="phase.published", allow_null=True)
    primary = serializers.CharField(source="task.primary", help_text="the measure that orders the board")
    measures = MeasureOfBoard(many=True, source="columns")
    rows = RunOnBoard(many=True)


@extend_schema_view(get=extend_schema(summary="List challenges"))
class ChallengeList(generics.ListAPIView):
    """All challenges with their tasks and phases, the newest first."""

    serializer_class = ChallengeWithParts
    pagination_class = Pages
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        return challenges().order_by("-pk")


@extend_schema_view(get=extend_schema(summary="Read a challenge"))
class ChallengeDetail(generics.RetrieveAPIView):
    """One challenge with its tasks and phases."""

    serializer_class = ChallengeWithParts
    lookup_field = "slug"
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        return challenges()


def challenges() -> QuerySet[Challenge]:
    tasks = Task.objects.order_by("pk")
    phases = Phase.objects.select_related("corpus").order_by("pk")
    return Challenge.objects.prefetch_related(Prefetch("tasks", tasks), Prefetch("phases", phases))


class Leaderboard(APIView):
    """The runs of a task in a phase, best first, with every figure and its signature.

    Before the phase is published organizers see all runs, and in training a team sees its own.
    """

    @extend_schema(summary="Read a leaderboard", operation_id="leaderboard_retrieve", responses=LeaderboardOfTask)
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        phases = Phase.objects.select_related("challenge")
        in_phase = get_object_or_404(phases, challenge__slug=slug, sort=phase)
        tasks = Task.objects.select_related("challenge")
        of_task = get_object_or_404(tasks, challenge__slug=slug, name=task)
        return Response(LeaderboardOfTask(board(of_task, in_phase, request.user)).data)
