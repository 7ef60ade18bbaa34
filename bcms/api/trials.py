"""Trials of servers: one article sent now, beside all queues; for the server's team."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.api.rights import server_run
from bcms.pages.trying import article_to_try, fields_of
from servers import trials
from servers.models import Trial


class TrialOfServer(serializers.ModelSerializer):
    """A trial. report is what was found, as `python -m servers.kit check --json` has it; empty until it is finished."""

    good = serializers.SerializerMethodField(help_text="whether the answer keeps every rule")

    class Meta:
        model = Trial
        fields = ["id", "started", "finished", "good", "report"]

    def get_good(self, trial: Trial) -> bool:
        return bool(trial.report.get("passed"))


class TooManyTrials(Throttled):
    default_code = "too-many-trials"


class TryServer(APIView):
    """Try a server of your team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Try a server",
        request=None,
        responses={202: TrialOfServer, 429: OpenApiResponse(description="tried too often in the last hour")},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Send it one article now, beside its queues; read the trial until it is finished."""
        server = server_run(request, slug)
        try:
            begun = trials.begin(server.team, request.user, fields_of(server), article_to_try(), server)
        except trials.TooManyTrialsError as refusal:
            raise TooManyTrials(detail=str(refusal)) from refusal
        begun.refresh_from_db()
        return Response(TrialOfServer(begun).data, status=status.HTTP_202_ACCEPTED)


@extend_schema_view(get=extend_schema(summary="Read a trial"))
class TrialDetail(generics.RetrieveAPIView):
    """What a trial of a server found; for its team."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = TrialOfServer
    queryset = Trial.objects.none()

    def get_object(self) -> Any:
        server = server_run(self.request, self.kwargs["slug"])
        return get_object_or_404(
            Trial.objects.defer("request", "answer", "callback"), pk=self.kwargs["pk"], server=server
        )
