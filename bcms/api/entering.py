"""Teams take part in a phase with their servers: enter one, and load the articles of the phase again."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.organized import REFUSED, Organized, valid
from evaluation import challenges
from evaluation.models import Phase, Run
from servers.models import Server


class ServerNamed(serializers.Serializer):
    server = serializers.SlugField(help_text="slug of a server of one of your teams")


class RunEntered(serializers.ModelSerializer):
    task = serializers.CharField(source="task.name")

    class Meta:
        model = Run
        fields = ["id", "task"]


class ServerEntered(serializers.Serializer):
    server = serializers.CharField()
    phase = serializers.CharField()
    closes = serializers.DateTimeField(allow_null=True, help_text="the end of the phase; null: it stays open")
    runs = RunEntered(many=True, help_text="one for each task whose kind of annotation the server returns")


class ArticlesLoaded(serializers.Serializer):
    added = serializers.IntegerField(help_text="calls that are new; articles that still wait are not loaded twice")


class OfTeams(Organized):
    """One action of a team in a phase; a 409 says what it has to do first."""

    def phase(self) -> Phase:
        rows = Phase.objects.select_related("challenge", "corpus")
        return get_object_or_404(rows, challenge__slug=self.kwargs["slug"], sort=self.kwargs["phase"])

    def server(self) -> Server:
        mine = Server.objects.select_related("team").filter(team__members=self.request.user.pk)
        found = mine.filter(slug=valid(ServerNamed, self.request)["server"]).first()
        if found is None:
            raise ValidationError({"server": "That is no server of your teams; choose one of those at /api/v1/teams/."})
        return found


class EnterPhase(OfTeams):
    @extend_schema(summary="Take part with a server", request=ServerNamed, responses={200: ServerEntered, **REFUSED})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """It enters each task whose kind of annotation it returns, and the articles are put into its queue; start it
        if it is not online. Entered twice, it takes part once."""
        found, server = self.phase(), self.server()
        runs = challenges.enter(server, found, request.user)
        told: dict[str, Any] = {"server": server.slug, "phase": found.sort, "closes": found.closes, "runs": runs}
        return Response(ServerEntered(told).data)


class LoadPhase(OfTeams):
    @extend_schema(
        summary="Load the articles of a phase again", request=ServerNamed, responses={200: ArticlesLoaded, **REFUSED}
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Into the queue of a server that takes part. Training articles are asked again, test articles never are."""
        return Response({"added": challenges.load(self.server(), self.phase())})
