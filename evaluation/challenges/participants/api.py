"""How teams take part in a challenge, by REST, and how organizers approve them."""

from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.limits import FileLimit, RequestLimit
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView, OrganizerAPIView
from evaluation.challenges.lookup import get_challenge_or_404, get_phase_or_404
from evaluation.challenges.models import Entrant, Phase
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.article_files import ARTICLE_FILE_FORMATS, check_may_download_articles
from evaluation.challenges.participants.server_entry import (
    enqueue_open_phase_articles_for_entered_server,
    enter_eligible_server_and_enqueue_articles,
    list_team_servers_of_user,
)
from evaluation.challenges.participants.views import stream_phase_articles
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from servers.registry.models import Server
from servers.teams.models import Team


class ServerNamed(RequestSerializer[Any]):
    server = serializers.SlugField(help_text="slug of a server of one of your teams")


class RunEntered(serializers.ModelSerializer[Run]):
    task = serializers.CharField(source="task.name")

    class Meta:
        model = Run
        fields = ["id", "task"]


class ServerEntered(serializers.Serializer[Any]):
    server = serializers.CharField()
    phase = serializers.CharField()
    closes = serializers.DateTimeField(allow_null=True, help_text="the end of the phase; null: no end")
    runs = RunEntered(many=True, help_text="one for each task whose kind of annotation the server returns")


class ArticlesLoaded(serializers.Serializer[Any]):
    added = serializers.IntegerField(
        help_text="number of new calls; articles that are still waiting are not added twice"
    )


class TeamPhaseAPIView(ChallengeAPIView):
    """An action of a team in a phase. A 409 says what the team has to do first."""

    def get_phase(self) -> Phase:
        return get_phase_or_404(self.request.user, self.kwargs["slug"], self.kwargs["phase"])

    def get_server(self) -> Server:
        """The server in the request, if it belongs to a team of the user; ValidationError otherwise."""
        slug = validate_request_data(ServerNamed, self.request)["server"]
        server = list_team_servers_of_user(self.request.user).filter(slug=slug).first()
        if server is None:
            raise ValidationError({"server": "None of your teams has this server. See /api/v1/teams/ for theirs."})
        return server


class EnterServer(TeamPhaseAPIView):
    @extend_schema(
        summary="Take part with a server", request=ServerNamed, responses={200: ServerEntered, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """The server enters every task whose kind of annotation it returns, and the articles are added to its queue.
        Start the server if it is not online. Entering it again changes nothing."""
        entered, server = self.get_phase(), self.get_server()
        runs = enter_eligible_server_and_enqueue_articles(server, entered, request.user)
        body: dict[str, Any] = {"server": server.slug, "phase": entered.sort, "closes": entered.closes, "runs": runs}
        return Response(ServerEntered(body).data)


class LoadPhase(TeamPhaseAPIView):
    @extend_schema(
        summary="Load the articles of a phase again",
        request=ServerNamed,
        responses={200: ArticlesLoaded, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Add the articles to the queue of a server that takes part. Test articles are never asked twice."""
        return Response({"added": enqueue_open_phase_articles_for_entered_server(self.get_server(), self.get_phase())})


class EntrantOfChallenge(serializers.ModelSerializer[Entrant]):
    team = serializers.CharField(source="team.slug")

    class Meta:
        model = Entrant
        fields = ["team", "accepted", "approved"]


class TeamNamed(RequestSerializer[Any]):
    team = serializers.SlugField(help_text="slug of the team")


class TeamJudged(TeamNamed):
    approved = serializers.BooleanField(default=True, help_text="false withdraws the approval")


class EntrantCollection(OrganizerAPIView):
    @extend_schema(summary="List the teams of a challenge", responses=EntrantOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """When each team accepted the terms, and when it was approved."""
        rows = self.get_challenge().entrants.select_related("team").order_by("team__name")
        return Response(EntrantOfChallenge(rows, many=True).data)

    @extend_schema(summary="Approve a team", request=TeamJudged, responses=EntrantOfChallenge)
    def post(self, request: Request, slug: str) -> Response:
        """Approve or invite a team. With `approved: false` it can no longer enter or upload."""
        challenge, sent = self.get_challenge(), validate_request_data(TeamJudged, request)
        team = get_object_or_404(Team, slug=sent["team"])
        if sent["approved"]:
            admission.approve_team_without_organizers(challenge, team, request.user)
        elif not admission.withdraw_team_approval(challenge, team):
            raise ConflictProblem(f"{team} is not approved.")
        return Response(EntrantOfChallenge(admission.find_entrant_even_if_not_admitted(challenge, team)).data)


class AcceptTerms(ChallengeAPIView):
    @extend_schema(
        summary="Accept the terms of a challenge",
        request=TeamNamed,
        responses={200: EntrantOfChallenge, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For one of your teams, which asks to take part. Some challenges also need the approval of an organizer."""
        challenge = get_challenge_or_404(request.user, slug)
        team = get_object_or_404(Team, slug=validate_request_data(TeamNamed, request)["team"])
        return Response(
            EntrantOfChallenge(admission.accept_terms_or_refuse_ineligible_team(challenge, team, request.user)).data
        )


ARTICLE_FILE_RESPONSES = {
    (200, file_format.content_type): (
        OpenApiTypes.OBJECT if file_format.content_type == "application/json" else OpenApiTypes.BINARY
    )
    for file_format in ARTICLE_FILE_FORMATS.values()
}


class PhaseArticleFile(APIView):
    """The articles of a phase for teams that can take part."""

    query_parameters = ("as",)
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(
        summary="Download the articles of a phase",
        parameters=[
            OpenApiParameter(
                "as", str, enum=list(ARTICLE_FILE_FORMATS), default="tsv", description="format of the file"
            )
        ],
        responses={
            **ARTICLE_FILE_RESPONSES,
            409: OpenApiResponse(description="not available to you yet; the detail says why"),
        },
    )
    def get(self, request: Request, slug: str, phase: str) -> HttpResponseBase:
        """Blind articles are for teams that can take part, and have only their opaque ids and their text."""
        of_phase = get_phase_or_404(request.user, slug, phase)
        name = request.query_params.get("as", "tsv")
        if name not in ARTICLE_FILE_FORMATS:
            raise ValidationError({"as": f"Unknown format. Choose one of {', '.join(ARTICLE_FILE_FORMATS)}."})
        try:
            check_may_download_articles(request.user, of_phase)
        except ChallengeError as error:
            raise ConflictProblem(str(error)) from error
        return stream_phase_articles(of_phase, ARTICLE_FILE_FORMATS[name])
