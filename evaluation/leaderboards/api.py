"""Leaderboards, by REST: their rows, pairwise comparisons, scores, files and baselines."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.results.models import RESULT_KIND_CHOICES
from bcms.lib.rest.limits import FileLimit, RequestLimit
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.numbers import MAX_INT32
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.lookup import get_task_and_phase_or_404
from evaluation.challenges.models import CountedRuns
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.leaderboards.board import (
    Board,
    BoardSelection,
    add_curves_of_chosen_or_best,
    build_board_visible_to_user,
)
from evaluation.leaderboards.exports import find_board_publication_time
from evaluation.leaderboards.pairwise import find_holm_matrix_of_competing_runs
from evaluation.leaderboards.reproduction.score_files import DERIVED_GOLD_FILES, find_scores_and_files_of_run
from evaluation.leaderboards.rows import LeaderboardRow
from evaluation.leaderboards.views import (
    AVERAGES,
    build_gold_file_response_or_404,
    build_run_file_response_or_404,
    list_source_runs_of_baseline,
)
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.runs.descriptions.api import DescriptionOfRun
from evaluation.runs.models import Run


class BaselineAsked(RequestSerializer[Any]):
    proteins = serializers.IntegerField(
        min_value=1,
        max_value=MAX_INT32,
        required=False,
        help_text="for interaction pairs: id of the run whose proteins are paired; for evidence passages: id of "
        "the run with the pairs; for relations: id of the run with the entities, or with identifiers of mentions",
    )


class BaselineMade(serializers.ModelSerializer[Run]):
    class Meta:
        model = Run
        fields = ["id", "name", "sort"]


class MakeBaselines(OrganizerAPIView):
    @extend_schema(
        summary="Make the baselines of a task",
        operation_id="challenges_phases_baselines",
        request=BaselineAsked,
        responses={200: BaselineMade(many=True), **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Baselines are runs without a rank. They replace earlier ones, and their scores follow within seconds."""
        of_phase = self.get_phase()
        of_task = get_object_or_404(of_phase.challenge.tasks, name=task)
        run_id = validate_request_data(BaselineAsked, request).get("proteins")
        runs = list_source_runs_of_baseline(of_task, of_phase)
        source = None if run_id is None else runs.filter(pk=run_id).first()
        if run_id is not None and source is None:
            raise ValidationError({"proteins": "The phase has no such run for this baseline. Choose another one."})
        return Response(BaselineMade(store_baseline_runs_replacing_earlier(of_task, of_phase, source), many=True).data)


MAX_BOARD_CURVES = 100


class MeasureOfBoard(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    title = serializers.CharField()
    higher_is_better = serializers.BooleanField()


class RunOnBoard(serializers.Serializer[Any]):
    """One run. first_rank is 1 plus the number of runs that are significantly better; last_rank is the lowest rank that
    the run may have. Both are null for baselines and imported runs, for runs without a score, and until the tests are
    made."""

    run = serializers.IntegerField()
    name = serializers.CharField()
    team = serializers.CharField(
        help_text="empty for baselines that the site made; of an imported run, that in its archive with “(imported)”"
    )
    server = serializers.CharField(source="server_slug", help_text="slug, empty unless a server made the run")
    sort = serializers.CharField(help_text="online, upload, baseline or imported")
    description = DescriptionOfRun(help_text="of the team; empty as long as the team is anonymous")
    first_rank = serializers.IntegerField(source="first", allow_null=True)
    last_rank = serializers.IntegerField(source="last", allow_null=True)
    figures = serializers.SerializerMethodField(help_text="value by the name of the measure; null if undefined")
    intervals = serializers.SerializerMethodField(help_text="95 % interval [low, high] by the name of the measure")
    confidence = serializers.FloatField(allow_null=True, help_text="mean confidence of its annotations")
    gain = serializers.FloatField(allow_null=True, help_text="of the ensemble: its figure minus that of the best run")
    gain_p = serializers.FloatField(
        allow_null=True, help_text="p of a paired test of the ensemble against the best run"
    )
    curve = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), help_text="[recall, precision] after each rank"
    )
    answered = serializers.IntegerField(help_text="articles of the gold standard that the run answered")
    articles = serializers.IntegerField(help_text="articles of the gold standard")
    seconds = serializers.FloatField(allow_null=True, help_text="median time per article")
    signature = serializers.CharField(help_text="the data, settings and software that the figures were computed from")
    computed = serializers.DateTimeField(allow_null=True)

    def get_figures(self, row: LeaderboardRow) -> dict[str, float | None]:
        return {cell.measure.name: cell.value for cell in row.cells}

    def get_intervals(self, row: LeaderboardRow) -> dict[str, list[float]]:
        return {
            cell.measure.name: [cell.low, cell.high]
            for cell in row.cells
            if cell.low is not None and cell.high is not None
        }


class ScenarioOfBoard(serializers.Serializer[Any]):
    name = serializers.CharField(source="scenario.name")
    title = serializers.CharField(source="scenario.title")
    absent = serializers.CharField(help_text="why nothing is scored in it; empty if something is")


class TestsOfBoard(serializers.Serializer[Any]):
    samples = serializers.IntegerField(help_text="samples of the paired randomization tests; 0: no tests")
    seed = serializers.IntegerField()
    untested = serializers.CharField(help_text="why there are no tests")
    done = serializers.IntegerField(
        help_text="progress of the next tests, in samples of `total`; both 0: no tests are running"
    )
    total = serializers.IntegerField()
    computed = serializers.DateTimeField(allow_null=True)


class LeaderboardOfTask(serializers.Serializer[Any]):
    challenge = serializers.CharField(source="task.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    task = serializers.CharField(source="task.name")
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES, source="task.kind")
    note = serializers.CharField(source="task.note", help_text="description of the gold standard")
    published = serializers.SerializerMethodField(help_text="when the task or its phase was published")
    primary = serializers.CharField(source="task.primary", help_text="measure that orders the leaderboard")
    scenario = serializers.CharField(source="chosen.scenario")
    counted_runs = serializers.ChoiceField(
        choices=CountedRuns.choices, source="phase.counted_runs", help_text="which runs of each team count"
    )
    scenarios = ScenarioOfBoard(many=True, source="choices")
    tests = TestsOfBoard(source="ranking", allow_null=True)
    measures = MeasureOfBoard(many=True, source="columns")
    rows = RunOnBoard(many=True)
    ensemble = RunOnBoard(allow_null=True)

    def get_published(self, board: Board) -> datetime | None:
        return find_board_publication_time(board)


class PairOfRuns(serializers.Serializer[Any]):
    """Two runs, `a` above `b` on the leaderboard."""

    a = serializers.IntegerField()
    b = serializers.IntegerField()
    difference = serializers.FloatField(help_text="figure of a minus figure of b")
    p = serializers.FloatField()
    corrected = serializers.FloatField(help_text="p corrected for the number of pairs by Holm's method")


class PairsOfBoard(serializers.Serializer[Any]):
    measure = serializers.CharField()
    tests = TestsOfBoard(allow_null=True)
    pairs = PairOfRuns(many=True)


BOARD_PARAMETERS = [
    OpenApiParameter("scenario", str, description="one of `scenarios`; the official one is `all`"),
    OpenApiParameter(
        "average", str, enum=["macro", "micro"], description="average of the measure that orders the leaderboard"
    ),
]


def _get_requested_board(request: Request, slug: str, phase: str, task: str) -> Board:
    """The leaderboard at an address as the user may see it; ValidationError for an unknown average or scenario."""
    of_task, of_phase = get_task_and_phase_or_404(request.user, slug, phase, task)
    chosen = BoardSelection(
        request.query_params.get("scenario", OFFICIAL_SCENARIO), request.query_params.get("average", "")
    )
    if request.query_params.get("average") == "" or chosen.average not in AVERAGES:
        raise ValidationError({"average": "Choose macro or micro, or omit it for the official average."})
    try:
        return build_board_visible_to_user(of_task, of_phase, request.user, chosen)
    except KeyError:
        raise ValidationError({"scenario": "There is no such scenario. Choose one of `scenarios`."}) from None


class LeaderboardDetail(APIView):
    """The runs of a task in a phase, best first, with every figure, its interval and its signature, and the curves of
    the first 100.

    Before publication, organizers see all runs; teams see their own, but not in a test.
    """

    query_parameters = ("average", "scenario")

    @extend_schema(
        summary="Read a leaderboard",
        operation_id="leaderboard_retrieve",
        parameters=BOARD_PARAMETERS,
        responses=LeaderboardOfTask,
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        return Response(
            LeaderboardOfTask(
                add_curves_of_chosen_or_best(_get_requested_board(request, slug, phase, task), MAX_BOARD_CURVES)
            ).data
        )


class LeaderboardPairs(APIView):
    """The paired tests between all pairs of runs of a leaderboard, of the runs that you may see."""

    query_parameters = ("average", "scenario")

    @extend_schema(
        summary="Compare runs pairwise",
        operation_id="leaderboard_pairs",
        parameters=BOARD_PARAMETERS,
        responses=PairsOfBoard,
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        board = _get_requested_board(request, slug, phase, task)
        matrix = find_holm_matrix_of_competing_runs(board)
        pairs = [
            {"a": line.row.run, "b": other.row.run, **asdict(pair)}
            for index, line in enumerate(matrix.rows if matrix else ())
            for other, pair in zip(matrix.rows[index + 1 :] if matrix else (), line.pairs[index + 1 :], strict=True)
            if pair is not None
        ]
        body = {"measure": board.columns[0].name, "tests": board.ranking, "pairs": pairs}
        return Response(PairsOfBoard(body).data)


GOLD_TSV_RESPONSE = {(200, "text/tab-separated-values"): OpenApiTypes.STR}
GOLD_FILE_PARAMETER = OpenApiParameter("file", str, OpenApiParameter.PATH, enum=list(DERIVED_GOLD_FILES))


class FileOfScores(serializers.Serializer[Any]):
    file = serializers.CharField(help_text="its name in URLs: files/FILE/ of the leaderboard")
    name = serializers.CharField(help_text="its name in commands")
    words = serializers.CharField(help_text="what is in it")


class ScoreBefore(serializers.Serializer[Any]):
    signature = serializers.CharField(source="score.signature")
    computed = serializers.DateTimeField(source="score.computed")
    superseded = serializers.DateTimeField(source="score.superseded")


class ScoreInScenario(serializers.Serializer[Any]):
    scenario = serializers.CharField(source="scenario.name")
    absent = serializers.CharField(
        source="score.absent", help_text="why nothing is scored in it; empty if something is"
    )
    figures = serializers.DictField(child=serializers.FloatField(allow_null=True), source="score.figures")
    intervals = serializers.DictField(source="score.intervals", help_text="95 % interval [low, high]")
    articles = serializers.IntegerField(source="score.articles")
    answered = serializers.IntegerField(source="score.answered")
    signature = serializers.CharField(source="score.signature")
    gold = serializers.CharField(source="score.checksum", help_text="SHA-256 of the gold standard")
    version = serializers.CharField(source="score.version", help_text="version of the software")
    computed = serializers.DateTimeField(source="score.computed")
    command = serializers.CharField(help_text="command that prints the figures and intervals")


class ScoresOfRun(serializers.Serializer[Any]):
    """files: those that you may read; current: scores by scenario, the official one first; before: earlier scores."""

    run = serializers.IntegerField(source="row.run")
    name = serializers.CharField(source="row.name")
    files = FileOfScores(many=True)
    current = ScoreInScenario(many=True, source="history.current")
    before = ScoreBefore(many=True, source="history.before")


class BoardRunScores(APIView):
    @extend_schema(
        summary="Read how the scores of a run are computed", operation_id="leaderboard_scores", responses=ScoresOfRun
    )
    def get(self, request: Request, slug: str, phase: str, task: str, run: int) -> Response:
        """The scores of a run that you see on the leaderboard, the commands that compute them, and the files that these
        need."""
        scores = find_scores_and_files_of_run(request.user, _get_requested_board(request, slug, phase, task), run)
        if scores is None:
            raise Http404
        return Response(ScoresOfRun(scores).data)


class BoardFileAPIView(APIView):
    """A file, limited in number for each user."""

    throttle_classes = (RequestLimit, FileLimit)
    content_negotiation_class = UrlFormatNegotiation


class BoardGoldFile(BoardFileAPIView):
    @extend_schema(
        summary="Download a file of a gold standard", parameters=[GOLD_FILE_PARAMETER], responses=GOLD_TSV_RESPONSE
    )
    def get(self, request: Request, slug: str, phase: str, task: str, file: str) -> HttpResponse:
        """The gold standard, the organisms of its accessions, or the accessions in Swiss-Prot. Everybody may read it
        once it is published; before, organizers may unless it is sealed and, except in a test, teams with runs in
        the task."""
        return build_gold_file_response_or_404(
            request.user, *get_task_and_phase_or_404(request.user, slug, phase, task), file
        )


class BoardRunFile(BoardFileAPIView):
    @extend_schema(summary="Download the annotations of a run", responses=GOLD_TSV_RESPONSE)
    def get(self, request: Request, slug: str, phase: str, task: str, run: int) -> HttpResponse:
        """For the scored articles, in the form that is scored, also for a run of a server. Its team and the organizers
        may always read it, everybody once it is published with the names of teams."""
        return build_run_file_response_or_404(
            request.user, *get_task_and_phase_or_404(request.user, slug, phase, task), run
        )
