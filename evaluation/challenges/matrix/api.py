"""The matrix of servers and articles of a phase, by REST, and the articles in it that need another call."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.matrix.server_matrix import build_server_matrix
from evaluation.challenges.matrix.unanswered_articles import resend_articles_failed_by_meta_server


class RowOfMatrix(serializers.Serializer[Any]):
    server = serializers.CharField(source="server.slug")
    team = serializers.CharField(source="server.team.slug")
    states = serializers.CharField(
        help_text="one letter for each article of the corpus, in order: "
        "a answered, e empty, f failed, n being called, w waiting, - not in its queue"
    )
    trouble = serializers.CharField(help_text="why it makes no progress, and what its team can do; empty if it does")
    last = serializers.CharField(source="last_failure", help_text="message of its last failed attempt")
    site_errors = serializers.IntegerField(
        help_text="attempts that failed because of an error of the meta-server and do not count as tries"
    )
    unanswered = serializers.IntegerField(
        help_text="articles that have no answer because of an error of the meta-server"
    )


class MatrixOfPhase(serializers.Serializer[Any]):
    articles = serializers.IntegerField()
    rows = RowOfMatrix(many=True)


class PhaseMatrix(OrganizerAPIView):
    @extend_schema(summary="Read the matrix of a phase", responses=MatrixOfPhase)
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """The state of every article at every server, and why servers make no progress."""
        return Response(MatrixOfPhase(build_server_matrix(self.get_phase())).data)


class ResendArticles(OrganizerAPIView):
    @extend_schema(
        summary="Resend unanswered articles of a phase",
        request=None,
        responses={200: MatrixOfPhase, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Send the articles again that have no answer because of an error of the meta-server, while the phase is open.
        Articles that a server answered, or failed at, are not sent again."""
        resent = self.get_phase()
        resend_articles_failed_by_meta_server(resent, request.user)
        return Response(MatrixOfPhase(build_server_matrix(resent)).data)
