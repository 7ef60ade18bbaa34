"""The mean ranks of a phase, by REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.challenges.lookup import get_phase_or_404
from evaluation.leaderboards.mean_ranks.board import build_mean_rank_board_visible_to_user


class RankInTask(serializers.Serializer[Any]):
    """The best run of a team that counts. run and figure are null, and name is empty, if it has none in the task."""

    task = serializers.CharField(source="task.name")
    run = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    figure = serializers.FloatField(source="cell.value", allow_null=True)
    rank = serializers.FloatField(help_text="from 1; of equal figures the mean of their ranks")


class MeanRankOfTeam(serializers.Serializer[Any]):
    place = serializers.IntegerField(help_text="by the mean rank; teams with equal means share it")
    team = serializers.CharField()
    mean_rank = serializers.FloatField(source="mean")
    ranks = RankInTask(many=True)


class MeasureOfTask(serializers.Serializer[Any]):
    task = serializers.CharField(source="name")
    primary = serializers.CharField(help_text="the measure that ranks the runs")


class MeanRanksOfPhase(serializers.Serializer[Any]):
    """tasks: those that the organizers chose, which may be none; rows: the teams, best first."""

    challenge = serializers.CharField(source="phase.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    visible = serializers.BooleanField(help_text="false: the ranks are not published yet, so rows is empty")
    tasks = MeasureOfTask(many=True)
    rows = MeanRankOfTeam(many=True)


class PhaseMeanRanks(APIView):
    @extend_schema(summary="Read mean ranks over tasks", operation_id="phases_mean_ranks", responses=MeanRanksOfPhase)
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """The ranks of the teams' best counted runs, averaged over the tasks that the organizers chose. A team without
        a run in a task has the rank after the last there. Until publication, only organizers see them."""
        board = build_mean_rank_board_visible_to_user(get_phase_or_404(request.user, slug, phase), request.user)
        return Response(MeanRanksOfPhase(board).data)
