"""The dry run of a challenge, by REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.challenges.api import OrganizerAPIView
from evaluation.challenges.dry_run.setup_checks import perform_dry_run


class CheckMade(serializers.Serializer[Any]):
    name = serializers.CharField()
    state = serializers.CharField(help_text="good, look at this, or mend this")
    said = serializers.CharField(source="message")


class Resolved(serializers.Serializer[Any]):
    task = serializers.CharField(source="task.name")
    articles = serializers.IntegerField()
    difference = serializers.FloatField(
        allow_null=True, help_text="smallest difference between two runs that a test can call significant"
    )
    unit = serializers.CharField()
    source = serializers.CharField(help_text="where the estimated variation between runs comes from")  # type: ignore[assignment]
    needed = serializers.IntegerField(help_text="articles needed to detect a difference of 0.05")


class DryRunMade(serializers.Serializer[Any]):
    checks = CheckMade(many=True)
    resolutions = Resolved(many=True, source="power_analyses")


class ChallengeDryRun(OrganizerAPIView):
    @extend_schema(summary="Check a challenge before it begins", responses=DryRunMade)
    def get(self, request: Request, slug: str) -> Response:
        """Checks of the set-up, and how small a difference between runs the test set can detect."""
        return Response(DryRunMade(perform_dry_run(self.get_challenge())).data)
