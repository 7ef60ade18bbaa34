"""REST resources of uploads: upload a run, list a team's uploads, read one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_view,
)
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.formats.errors import FormatError, RefusedFileError
from bcms.lib.rest.limits import RequestLimit, SentFileLimit
from bcms.lib.rest.problems import ConflictProblem, UnprocessableFile
from bcms.lib.rest.request_serializers import RequestSerializer
from evaluation.challenges.lookup import get_task_and_phase_or_404
from evaluation.errors import ChallengeError
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.eligibility import UploadAllowance, count_upload_allowance
from evaluation.runs.uploads.file_check import MAX_CHECKED_BYTES, RunFileReport, check_run_without_storing
from evaluation.runs.uploads.lookup import get_visible_upload_or_404
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.submission import MAX_RUN_BYTES, MEBIBYTE, RunSubmission
from evaluation.runs.uploads.team_uploads import MAX_LISTED_UPLOADS, list_uploads_with_details
from servers.teams.models import Team

TEAM_PARAMETER = OpenApiParameter("team", str, description="slug of one of your teams; required if you are on several")


class SentRun(RequestSerializer[Any]):
    file = serializers.FileField(
        help_text=f"any format of `python -m evaluation`, at most {MAX_RUN_BYTES // MEBIBYTE} MiB"
    )
    name = serializers.CharField(default="", allow_blank=True, max_length=200, help_text="if empty, that of the file")
    message = serializers.CharField(default="", allow_blank=True, max_length=2000)
    team = serializers.CharField(
        default="", allow_blank=True, help_text="slug of one of your teams; required if you are on several"
    )
    repair = serializers.BooleanField(
        default=False,
        help_text="repair BioCreative II XML where there is one meaning only, with names of proteins and methods known "
        "to the site; every repair is one of the warnings",
    )
    check = serializers.BooleanField(
        default=False,
        help_text=f"check the file only (at most {MAX_CHECKED_BYTES // MEBIBYTE} MiB), without storing or counting it",
    )


class FaultOfFile(serializers.Serializer[FormatError]):
    line = serializers.IntegerField(help_text="from 1; 0 for the file as a whole")
    column = serializers.IntegerField()
    rule = serializers.CharField()
    message = serializers.CharField(help_text="what is wrong and, after a dash, how to fix it")


class CheckedRun(serializers.Serializer[RunFileReport]):
    """A valid file."""

    results = serializers.IntegerField()
    articles = serializers.IntegerField()
    format = serializers.CharField()
    note = serializers.CharField(help_text="how the file was interpreted")
    warnings = FaultOfFile(many=True)
    unknown = serializers.IntegerField(help_text="number of articles that are not in the phase; they are ignored")
    unknown_names = serializers.ListField(child=serializers.CharField(), help_text="the first of these articles")


class UploadOfTeam(serializers.ModelSerializer[Upload]):
    """A file that a team uploaded. state: waiting, checking, storing, taken, refused or failed; run: the stored run."""

    team = serializers.CharField(source="team.slug")
    state = serializers.CharField()
    run = serializers.IntegerField(source="run_id", allow_null=True)
    final = serializers.BooleanField(source="run.final", default=False, help_text="whether its run is tagged as final")
    withdrawn = serializers.DateTimeField(
        source="run.withdrawn", default=None, allow_null=True, help_text="when its run was withdrawn"
    )
    faults = FaultOfFile(many=True, source="located_faults")
    warnings = FaultOfFile(many=True, source="located_warnings")

    class Meta:
        model = Upload
        fields = [
            *("id", "team", "name", "message", "source", "size", "sha256", "format", "note", "state"),
            *("received", "finished", "run", "final", "withdrawn", "faults", "warnings", "unknown", "unknown_names"),
        ]


UPLOAD_RESPONSES = {
    201: OpenApiResponse(UploadOfTeam, description="stored as a run"),
    202: OpenApiResponse(UploadOfTeam, description="large: a worker processes it; read the upload later"),
}


class RunsOfTeam(serializers.Serializer["TeamUploads"]):
    """The uploads of a team, newest first, and how many runs it may still upload."""

    team = serializers.CharField(source="team.slug")
    used = serializers.IntegerField(source="allowance.used", help_text="uploaded runs that count")
    most = serializers.IntegerField(source="allowance.most")
    tries = serializers.IntegerField(source="allowance.tries", help_text="uploaded files, rejected ones too")
    uploads = UploadOfTeam(many=True)


@dataclass(frozen=True, slots=True)
class TeamUploads:
    team: Team
    allowance: UploadAllowance
    uploads: Sequence[Upload]


def _get_named_or_only_team(request: Request, slug: str) -> Team:
    """Return the user's team with this slug, or the user's only team if the slug is empty.

    Raises PermissionDenied for any other team, and ValidationError if the user is on no team or on several.
    """
    teams = list(Team.objects.filter(members=request.user.pk).order_by("name"))
    if slug:
        named = next((team for team in teams if team.slug == slug), None)
        if named is None:
            raise PermissionDenied("You are not on this team; choose one from /api/v1/teams/.")
        return named
    if len(teams) != 1:
        message = "You are on no team; create one in the browser first." if not teams else "Name the team: team=SLUG."
        raise ValidationError({"team": message})
    return teams[0]


class TeamRunCollection(APIView):
    """Your team's runs of a task in a phase."""

    query_parameters = ("team",)
    throttle_classes = (RequestLimit, SentFileLimit)
    permission_classes = [permissions.IsAuthenticated]
    parser_classes = [MultiPartParser]

    @extend_schema(
        summary="List your runs", operation_id="challenges_runs_list", parameters=[TEAM_PARAMETER], responses=RunsOfTeam
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The files that your team uploaded in a task and phase, rejected ones too, and how many runs it has left."""
        found_task, found_phase = get_task_and_phase_or_404(request.user, slug, phase, task)
        team = _get_named_or_only_team(request, request.query_params.get("team", ""))
        uploads = list_uploads_with_details().filter(team=team, task=found_task, phase=found_phase).order_by("-pk")
        listed = list(uploads[:MAX_LISTED_UPLOADS])
        return Response(
            RunsOfTeam(TeamUploads(team, count_upload_allowance(team, found_task, found_phase), listed)).data
        )

    @extend_schema(
        summary="Upload a run",
        operation_id="challenges_runs_create",
        request={"multipart/form-data": SentRun},
        responses={
            200: OpenApiResponse(CheckedRun, description="only checked, valid"),
            **UPLOAD_RESPONSES,
            409: OpenApiResponse(
                description="not read: the phase is closed, no run is left, or the run was uploaded before"
            ),
            422: OpenApiResponse(description="rejected, with all faults by line and column"),
        },
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """A file in any format that `python -m evaluation` reads for the task. It is checked first; a rejected file
        uses up no run. With check=true it is only checked, and nothing is stored."""
        found_task, found_phase = get_task_and_phase_or_404(request.user, slug, phase, task)
        serializer = SentRun(data=request.data)
        serializer.is_valid(raise_exception=True)
        team, submission = (
            _get_named_or_only_team(request, serializer.validated_data["team"]),
            _build_run_submission(serializer.validated_data),
        )
        try:
            if serializer.validated_data["check"]:
                return Response(CheckedRun(check_run_without_storing(submission, found_task, found_phase)).data)
            upload = intake.store_run_upload_and_process_or_enqueue(
                submission, found_task, found_phase, team, request.user
            )
        except RefusedFileError as error:
            raise UnprocessableFile(error.faults) from error
        except ChallengeError as error:
            raise ConflictProblem(str(error)) from error
        return build_upload_response_or_raise_422(upload)


def build_upload_response_or_raise_422(upload: Upload) -> Response:
    """201 for a stored run, 202 for one that waits for a worker. Raises UnprocessableFile if the file was rejected."""
    if upload.state == Upload.State.REFUSED:
        raise UnprocessableFile(upload.located_faults)
    return Response(UploadOfTeam(upload).data, status=202 if upload.open else 201)


def _build_run_submission(data: dict[str, Any]) -> RunSubmission:
    return RunSubmission(data["name"], data["message"], data["file"].name, data["file"].read(), repair=data["repair"])


@extend_schema_view(get=extend_schema(summary="Read an upload"))
class UploadDetail(generics.RetrieveAPIView[Upload]):
    """The state of an uploaded file, for its team and the organizers."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = UploadOfTeam
    queryset = Upload.objects.none()

    def get_object(self) -> Upload:
        return get_visible_upload_or_404(self.request.user, self.kwargs["pk"])
