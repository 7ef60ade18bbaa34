"""What the scores of a run are made from, and the commands and the files that make them again."""

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.api.challenges import board_of
from bcms.api.exports import FormatOfAddress
from bcms.api.limits import FileLimit, RequestLimit
from evaluation.board_files import file_of_gold, file_of_run
from evaluation.board_pages import task_and_phase
from evaluation.score_files import GOLD_FILES, scores_of

TABLE = {(200, "text/tab-separated-values"): OpenApiTypes.STR}
FILE = OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(GOLD_FILES))


class FileOfScores(serializers.Serializer):
    file = serializers.CharField(help_text="what it is called in addresses, files/FILE/ of the board")
    name = serializers.CharField(help_text="what it is called in the commands")
    words = serializers.CharField(help_text="what is in it")


class ScoreBefore(serializers.Serializer):
    signature = serializers.CharField(source="score.signature")
    computed = serializers.DateTimeField(source="score.computed")
    superseded = serializers.DateTimeField(source="score.superseded")


class ScoreInScenario(serializers.Serializer):
    scenario = serializers.CharField(source="scenario.name")
    absent = serializers.CharField(source="score.absent", help_text="why nothing is scored in it, else empty")
    figures = serializers.DictField(child=serializers.FloatField(allow_null=True), source="score.figures")
    intervals = serializers.DictField(source="score.intervals", help_text="[low, high] of 95 % of all samples")
    articles = serializers.IntegerField(source="score.articles")
    answered = serializers.IntegerField(source="score.answered")
    signature = serializers.CharField(source="score.signature")
    gold = serializers.CharField(source="score.checksum", help_text="SHA-256 of the gold standard")
    version = serializers.CharField(source="score.version", help_text="of the software")
    computed = serializers.DateTimeField(source="score.computed")
    command = serializers.CharField(help_text="what prints the figures and intervals again")


class ScoresOfRun(serializers.Serializer):
    """files: those that you may have; current: by scenario, the official one first; before: what they replaced."""

    run = serializers.IntegerField(source="row.run")
    name = serializers.CharField(source="row.name")
    files = FileOfScores(many=True)
    current = ScoreInScenario(many=True, source="history.current")
    before = ScoreBefore(many=True, source="history.before")


class ScoresMade(APIView):
    @extend_schema(
        summary="Read what the scores of a run are made from", operation_id="leaderboard_scores", responses=ScoresOfRun
    )
    def get(self, request: Request, slug: str, phase: str, task: str, run: int) -> Response:
        """Its score in every scenario, the command that makes it again, and the files that this takes; of every run
        that you see on the leaderboard."""
        found = scores_of(request.user, board_of(request, slug, phase, task), run)
        if found is None:
            raise Http404
        return Response(ScoresOfRun(found).data)


class BoardFile(APIView):
    throttle_classes = (RequestLimit, FileLimit)
    content_negotiation_class = FormatOfAddress


class FileOfGold(BoardFile):
    @extend_schema(summary="Download a file of a gold standard", parameters=[FILE], responses=TABLE)
    def get(self, request: Request, slug: str, phase: str, task: str, file: str) -> HttpResponse:
        """What is right, or the organisms of accessions, or those in Swiss-Prot. Everybody may have them once the gold
        standard is published, before the test a team with runs in the task, and organizers as long as it is not
        sealed."""
        return file_of_gold(request.user, *task_and_phase(slug, phase, task), file)


class FileOfRun(BoardFile):
    @extend_schema(summary="Download what a run says", responses=TABLE)
    def get(self, request: Request, slug: str, phase: str, task: str, run: int) -> HttpResponse:
        """Of the articles that count, as it is scored, of a server's run, too. Everybody may have it once it is
        published by name, its team and the organizers at any time."""
        return file_of_run(request.user, *task_and_phase(slug, phase, task), run)
