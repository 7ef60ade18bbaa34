"""Challenges with their tasks and phases, and leaderboards as evaluation/leaderboard.py lets a user see them."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import KIND_CHOICES
from bcms.api.conventions import Pages
from bcms.api.organized import RulesOfPhase, UploadCaps
from evaluation.board_rows import Row
from evaluation.exports import published_at
from evaluation.leaderboard import Board, Chosen, board, with_curves
from evaluation.measures.board_scenarios import OFFICIAL
from evaluation.models import Challenge, Phase, Task
from evaluation.pairs import matrix_of

MOST_CURVES = 100


class TaskOfChallenge(serializers.ModelSerializer):
    class Meta:
        model = Task
        fields = ["name", "title", "note", "kind", "primary", "further"]


class PhaseOfChallenge(serializers.ModelSerializer):
    corpus = serializers.CharField(source="corpus.slug")
    upload_caps = UploadCaps(help_text="by kind, of an article in an uploaded run; without one: no cap")

    class Meta:
        model = Phase
        fields = ["sort", "corpus", "closes", "published", "frozen", *RulesOfPhase.Meta.fields]


class ChallengeWithParts(serializers.ModelSerializer):
    tasks = TaskOfChallenge(many=True)
    phases = PhaseOfChallenge(many=True)

    class Meta:
        model = Challenge
        fields = ["slug", "name", "description", "entrance", "approve_teams", "file_rules", "terms", "tasks", "phases"]


class MeasureOfBoard(serializers.Serializer):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    higher_is_better = serializers.BooleanField()


class RunOnBoard(serializers.Serializer):
    """One run. first_rank is 1 and the number of runs that are significantly better, first_rank to last_rank the ranks
    that it may have; null for baselines, for runs without a score, and while the tests are made."""

    run = serializers.IntegerField()
    name = serializers.CharField()
    team = serializers.CharField(help_text="empty for baselines")
    server = serializers.CharField(source="server_slug", help_text="slug, empty unless a server made the run")
    sort = serializers.CharField(help_text="online, upload or baseline")
    first_rank = serializers.IntegerField(source="first", allow_null=True)
    last_rank = serializers.IntegerField(source="last", allow_null=True)
    figures = serializers.SerializerMethodField(help_text="figure by the name of the measure; null when undefined")
    intervals = serializers.SerializerMethodField(help_text="[low, high] of 95 % by the name of the measure")
    confidence = serializers.FloatField(allow_null=True, help_text="mean of what it reports")
    gain = serializers.FloatField(allow_null=True, help_text="of the ensemble: its figure less that of the best run")
    gain_p = serializers.FloatField(allow_null=True, help_text="of a paired test of the ensemble and the best run")
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

    def get_intervals(self, row: Row) -> dict[str, list[float]]:
        return {
            cell.measure.name: [cell.low, cell.high]
            for cell in row.cells
            if cell.low is not None and cell.high is not None
        }


class ScenarioOfBoard(serializers.Serializer):
    name = serializers.CharField(source="scenario.name")
    title = serializers.CharField(source="scenario.title")
    absent = serializers.CharField(help_text="why nothing is scored in it, else empty")


class TestsOfBoard(serializers.Serializer):
    samples = serializers.IntegerField(help_text="of the paired randomization tests; 0: there are none")
    seed = serializers.IntegerField()
    untested = serializers.CharField(help_text="why there are none")
    done = serializers.IntegerField(help_text="samples of the next tests that are made, of `total`; both 0: none are")
    total = serializers.IntegerField()
    computed = serializers.DateTimeField(allow_null=True)


class LeaderboardOfTask(serializers.Serializer):
    challenge = serializers.CharField(source="task.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    task = serializers.CharField(source="task.name")
    kind = serializers.ChoiceField(choices=KIND_CHOICES, source="task.kind")
    note = serializers.CharField(source="task.note", help_text="what the gold standard is")
    published = serializers.SerializerMethodField(help_text="when everybody came to see it: with its phase, or alone")
    primary = serializers.CharField(source="task.primary", help_text="the measure that orders the board")
    scenario = serializers.CharField(source="chosen.scenario")
    scenarios = ScenarioOfBoard(many=True, source="choices")
    tests = TestsOfBoard(source="ranking", allow_null=True)
    measures = MeasureOfBoard(many=True, source="columns")
    rows = RunOnBoard(many=True)
    ensemble = RunOnBoard(allow_null=True)

    def get_published(self, shown: Board) -> datetime | None:
        return published_at(shown)


class PairOfRuns(serializers.Serializer):
    """Two runs, `a` above `b` on the board."""

    a = serializers.IntegerField()
    b = serializers.IntegerField()
    difference = serializers.FloatField(help_text="of the figure of a less that of b")
    p = serializers.FloatField()
    corrected = serializers.FloatField(help_text="p corrected for the number of pairs after Holm")


class PairsOfBoard(serializers.Serializer):
    measure = serializers.CharField()
    tests = TestsOfBoard(allow_null=True)
    pairs = PairOfRuns(many=True)


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


def with_parts(challenge: Challenge) -> dict[str, Any]:
    """What is told of one that was just changed."""
    return dict(ChallengeWithParts(challenges().get(pk=challenge.pk)).data)


CHOICES = [
    OpenApiParameter("scenario", str, description="one of `scenarios`; the official one is `all`"),
    OpenApiParameter("average", str, enum=["macro", "micro"], description="of the measure that orders the board"),
]


def board_of(request: Request, slug: str, phase: str, task: str) -> Board:
    """The board at an address as the user may see it; 404 when there is none, 400 for a choice that it has not."""
    phases = Phase.objects.select_related("challenge")
    in_phase = get_object_or_404(phases, challenge__slug=slug, sort=phase)
    tasks = Task.objects.select_related("challenge")
    of_task = get_object_or_404(tasks, challenge__slug=slug, name=task)
    chosen = Chosen(request.query_params.get("scenario", OFFICIAL), request.query_params.get("average", ""))
    if chosen.average not in ("", "macro", "micro"):
        raise serializers.ValidationError({"average": "It is macro or micro; leave it out for the official one."})
    try:
        return board(of_task, in_phase, request.user, chosen)
    except KeyError:
        raise serializers.ValidationError({"scenario": "There is no such scenario; take one of `scenarios`."}) from None


class Leaderboard(APIView):
    """The runs of a task in a phase, best first, with every figure, its interval and its signature; the curves of the
    first 100.

    Before it is published organizers see all runs, and before the test a team sees its own.
    """

    @extend_schema(
        summary="Read a leaderboard",
        operation_id="leaderboard_retrieve",
        parameters=CHOICES,
        responses=LeaderboardOfTask,
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        return Response(LeaderboardOfTask(with_curves(board_of(request, slug, phase, task), MOST_CURVES)).data)


class LeaderboardPairs(APIView):
    """The paired tests between every two runs of a leaderboard, as its reader may see them."""

    @extend_schema(
        summary="Compare every two runs", operation_id="leaderboard_pairs", parameters=CHOICES, responses=PairsOfBoard
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        shown = board_of(request, slug, phase, task)
        matrix = matrix_of(shown)
        pairs = [
            {"a": line.row.run, "b": other.row.run, **asdict(pair)}
            for place, line in enumerate(matrix.rows if matrix else ())
            for other, pair in zip(matrix.rows[place + 1 :] if matrix else (), line.pairs[place + 1 :], strict=True)
            if pair is not None
        ]
        body = {"measure": shown.columns[0].name, "tests": shown.ranking, "pairs": pairs}
        return Response(PairsOfBoard(body).data)
