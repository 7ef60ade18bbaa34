"""Uploaded runs: try one, look what became of it, read its figures, tag and withdraw it; for the team it belongs to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.formats.errors import RefusedFileError
from bcms.api.limits import FileLimit, RequestLimit, SentFileLimit
from bcms.problems import Conflict, RefusedFile
from evaluation import own_runs, runs
from evaluation.article_pages import article_file
from evaluation.errors import ChallengeError
from evaluation.models import Phase, Run, Task, Upload
from evaluation.phase_articles import FILES, refuse_articles
from evaluation.runs import MEBIBYTE, MOST_BYTES, MOST_CHECKED, Allowance, Sent
from servers.models import Team

# What stands around a file in the body of a request.
AROUND = 1 << 16
TEAM = OpenApiParameter("team", str, description="slug of one of your teams; needed only by who is on several")


class TooLargeRun(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "too-large"
    default_detail = (
        f"The file is larger than {MOST_BYTES // MEBIBYTE} MiB; leave out what is no result, or write tab-separated "
        "values."
    )


class SentRun(serializers.Serializer):
    file = serializers.FileField(
        help_text=f"any format of `python -m evaluation`, at most {MOST_BYTES // MEBIBYTE} MiB"
    )
    name = serializers.CharField(default="", allow_blank=True, max_length=200, help_text="empty: that of the file")
    message = serializers.CharField(default="", allow_blank=True, max_length=2000)
    team = serializers.CharField(
        default="", allow_blank=True, help_text="slug of one of your teams; needed only by who is on several"
    )
    check = serializers.BooleanField(
        default=False,
        help_text=f"check the file only (at most {MOST_CHECKED // MEBIBYTE} MiB): no try, and nothing is stored",
    )


class FaultOfFile(serializers.Serializer):
    line = serializers.IntegerField(help_text="from 1; 0 for the file as a whole")
    column = serializers.IntegerField()
    rule = serializers.CharField()
    message = serializers.CharField(help_text="what is wrong and, after a dash, how to mend it")


class CheckedRun(serializers.Serializer):
    """A file without a fault."""

    results = serializers.IntegerField()
    articles = serializers.IntegerField()
    format = serializers.CharField()
    note = serializers.CharField(help_text="how the file was taken")
    warnings = FaultOfFile(many=True)
    unknown = serializers.IntegerField(help_text="articles that the phase does not have; they do not count")
    unknown_names = serializers.ListField(child=serializers.CharField(), help_text="the first of them")


class UploadOfTeam(serializers.ModelSerializer):
    """A file that a team tried. state: waiting, checking, storing, taken, refused or failed; run: what it became."""

    team = serializers.CharField(source="team.slug")
    state = serializers.CharField()
    run = serializers.IntegerField(source="run_id", allow_null=True)
    final = serializers.BooleanField(source="run.final", default=False, help_text="whether its run is tagged as final")
    withdrawn = serializers.DateTimeField(source="run.withdrawn", default=None, help_text="when its run was withdrawn")
    faults = FaultOfFile(many=True, source="told_faults")
    warnings = FaultOfFile(many=True, source="told_warnings")

    class Meta:
        model = Upload
        fields = [
            *("id", "team", "name", "message", "source", "size", "sha256", "format", "note", "state"),
            *("received", "finished", "run", "final", "withdrawn", "faults", "warnings", "unknown", "unknown_names"),
        ]


TAKEN = {
    201: OpenApiResponse(UploadOfTeam, description="taken in"),
    202: OpenApiResponse(UploadOfTeam, description="large: a worker takes it in, look at the upload again"),
}


class FiguresOfRun(serializers.Serializer):
    figures = serializers.DictField(child=serializers.FloatField(allow_null=True))
    intervals = serializers.DictField(help_text="[low, high] of 95 % of all samples of articles")
    curve = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    answered = serializers.IntegerField()
    articles = serializers.IntegerField()
    signature = serializers.CharField(help_text="what the figures were computed from, and by what")
    computed = serializers.DateTimeField()


class RunOfTeam(serializers.ModelSerializer):
    """A run. score is null as long as it has none that you may see; upload is null for the runs of servers."""

    challenge = serializers.CharField(source="phase.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    task = serializers.CharField(source="task.name")
    team = serializers.CharField(source="team.slug", default=None)
    sort = serializers.CharField(help_text="online, upload or baseline")
    upload = serializers.SerializerMethodField()
    score = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = ["id", "challenge", "phase", "task", "team", "name", "sort", "final", "withdrawn", "upload", "score"]

    @extend_schema_field(UploadOfTeam(allow_null=True))
    def get_upload(self, run: Run) -> Any:
        own = getattr(run, "upload", None)
        return UploadOfTeam(own).data if own else None

    @extend_schema_field(FiguresOfRun(allow_null=True))
    def get_score(self, run: Run) -> Any:
        score = own_runs.figures_of(run, self.context["request"].user).score
        return FiguresOfRun(score).data if score else None


class RunsOfTeam(serializers.Serializer):
    """The files that a team tried, the newest first, and how many runs it may still upload."""

    team = serializers.CharField(source="team.slug")
    used = serializers.IntegerField(source="allowance.used", help_text="uploaded runs that count")
    most = serializers.IntegerField(source="allowance.most")
    tries = serializers.IntegerField(source="allowance.tries", help_text="files tried, the refused ones too")
    uploads = UploadOfTeam(many=True)


@dataclass(frozen=True, slots=True)
class TeamsRuns:
    team: Team
    allowance: Allowance
    uploads: Sequence[Upload]


def place_of(slug: str, phase: str, task: str) -> tuple[Task, Phase]:
    phases = Phase.objects.select_related("challenge", "corpus")
    tasks = Task.objects.select_related("challenge")
    in_phase = get_object_or_404(phases, challenge__slug=slug, sort=phase)
    return get_object_or_404(tasks, challenge__slug=slug, name=task), in_phase


def team_of(request: Request, slug: str) -> Team:
    """The team with this slug, one of the user's; when it is empty, the user's only one."""
    mine = list(Team.objects.filter(members=request.user.pk).order_by("name"))
    if slug:
        found = next((team for team in mine if team.slug == slug), None)
        if found is None:
            raise PermissionDenied("That is no team of yours; choose one of those at /api/v1/teams/.")
        return found
    if len(mine) != 1:
        words = "You are on no team; make one in the browser first." if not mine else "Say for which team: team=SLUG."
        raise ValidationError({"team": words})
    return mine[0]


class TeamRuns(APIView):
    """Your team's runs of a task in a phase."""

    throttle_classes = (RequestLimit, SentFileLimit)
    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [MultiPartParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > MOST_BYTES + AROUND:
            raise TooLargeRun
        super().initial(request, *args, **kwargs)

    @extend_schema(
        summary="List your runs", operation_id="challenges_runs_list", parameters=[TEAM], responses=RunsOfTeam
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The files that your team tried in a task and phase, those that were refused too, and how many it has left."""
        of_task, in_phase = place_of(slug, phase, task)
        team = team_of(request, request.query_params.get("team", ""))
        tried = own_runs.uploads().filter(team=team, task=of_task, phase=in_phase).order_by("-pk")
        listed = list(tried[: own_runs.MOST_LISTED])
        return Response(RunsOfTeam(TeamsRuns(team, runs.allowance(team, of_task, in_phase), listed)).data)

    @extend_schema(
        summary="Upload a run",
        operation_id="challenges_runs_create",
        request={"multipart/form-data": SentRun},
        responses={
            200: OpenApiResponse(CheckedRun, description="only checked, without a fault"),
            **TAKEN,
            409: OpenApiResponse(description="not looked at: closed, no run left, or the same run is there already"),
            422: OpenApiResponse(description="refused, with all faults by line and column"),
        },
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """A file in any format that `python -m evaluation` reads for the task. It is checked first; a refused file
        costs no run. With check=true it is only checked, and nothing is stored."""
        of_task, in_phase = place_of(slug, phase, task)
        form = SentRun(data=request.data)
        form.is_valid(raise_exception=True)
        team, sent = team_of(request, form.validated_data["team"]), sent_in(form.validated_data)
        try:
            if form.validated_data["check"]:
                return Response(CheckedRun(runs.checked_only(sent, of_task, in_phase)).data)
            own = runs.upload(sent, of_task, in_phase, team, request.user)
        except RefusedFileError as error:
            raise RefusedFile(error.faults) from error
        except ChallengeError as error:
            raise Conflict(str(error)) from error
        return upload_made(own)


def upload_made(own: Upload) -> Response:
    """What became of a file at once; a 422 with all faults when it was refused."""
    if own.state == Upload.State.REFUSED:
        raise RefusedFile(own.told_faults)
    return Response(UploadOfTeam(own).data, status=202 if own.open else 201)


def sent_in(data: dict[str, Any]) -> Sent:
    return Sent(data["name"], data["message"], data["file"].name, data["file"].read())


@extend_schema_view(get=extend_schema(summary="Read an upload"))
class UploadDetail(generics.RetrieveAPIView):
    """What became of a file; for its team and the organizers."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = UploadOfTeam
    queryset = Upload.objects.none()

    def get_object(self) -> Upload:
        return upload_seen(self.request, self.kwargs["pk"])


def upload_seen(request: Request, pk: int) -> Upload:
    own = get_object_or_404(own_runs.uploads(), pk=pk)
    if not own_runs.may_see(request.user, own):
        raise Http404
    return own


def run_seen(request: Request, pk: int) -> Run:
    """The run, for its team, organizers and staff; 404 for others."""
    run = get_object_or_404(own_runs.runs(), pk=pk)
    if not own_runs.may_see(request.user, run):
        raise Http404
    return run


def run_owned(request: Request, pk: int) -> Run:
    run = run_seen(request, pk)
    if run.team is None or not run.team.members.filter(pk=request.user.pk).exists():
        raise PermissionDenied("Only members of its team may do this with a run.")
    return run


@extend_schema_view(get=extend_schema(summary="Read a run"))
class RunDetail(generics.RetrieveAPIView):
    """A run with its figures, as far as you may see them: those of a test when it is published."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = RunOfTeam
    queryset = Run.objects.none()

    def get_object(self) -> Run:
        return run_seen(self.request, self.kwargs["pk"])


class ChangeRun(APIView):
    """Change what a run of your team counts as."""

    permission_classes = [permissions.IsAuthenticated]

    def done(self, request: Request, pk: int, do: Callable[[Run], None]) -> Response:
        try:
            do(run_owned(request, pk))
        except ChallengeError as error:
            raise Conflict(str(error)) from error
        return Response(RunOfTeam(run_seen(request, pk), context={"request": request}).data)


class WithdrawRun(ChangeRun):
    @extend_schema(summary="Withdraw a run", request=None, responses=RunOfTeam)
    def post(self, request: Request, pk: int) -> Response:
        """It counts no more and stands on no leaderboard. Where the rules of the phase allow it; else 409."""
        return self.done(request, pk, runs.withdraw)


class FinalRun(ChangeRun):
    @extend_schema(summary="Tag a run as final", request=None, responses=RunOfTeam)
    def post(self, request: Request, pk: int) -> Response:
        """One of those by which your team wants to be judged; as long as the phase is open."""
        return self.done(request, pk, lambda run: runs.tag(run, final=True))

    @extend_schema(summary="Take the tag final away", request=None, responses={200: RunOfTeam})
    def delete(self, request: Request, pk: int) -> Response:
        """The run stays, and is not final any more."""
        return self.done(request, pk, lambda run: runs.tag(run, final=False))


class PhaseArticles(APIView):
    """The articles of a phase, for who takes part."""

    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(
        summary="Download the articles of a phase",
        parameters=[OpenApiParameter("as", str, enum=list(FILES), default="tsv", description="format of the file")],
        responses={200: OpenApiTypes.BINARY, 409: OpenApiResponse(description="not given out to you yet")},
    )
    def get(self, request: Request, slug: str, phase: str) -> HttpResponseBase:
        """Those of a blind phase have their opaque ids and their text only."""
        found = get_object_or_404(Phase.objects.select_related("challenge", "corpus"), challenge__slug=slug, sort=phase)
        form = request.query_params.get("as", "tsv")
        if form not in FILES:
            raise ValidationError({"as": f"There is no such format; choose one of {', '.join(FILES)}."})
        try:
            refuse_articles(request.user, found)
        except ChallengeError as error:
            raise Conflict(str(error)) from error
        return article_file(found, FILES[form])
