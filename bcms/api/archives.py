"""The archive of a challenge, for its organizers, by REST."""

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.limits import FileLimit, RequestLimit, held
from bcms.api.organized import Organized
from evaluation.archives import making
from evaluation.archives.models import ChallengeArchive
from evaluation.organizers.archive_pages import archive_file


class ArchiveOfChallenge(serializers.ModelSerializer):
    percent = serializers.IntegerField(help_text="how much of it is made")

    class Meta:
        model = ChallengeArchive
        fields = ["asked", "percent", "finished", "failed", "size", "sha256"]
        read_only_fields = fields


class ChallengeArchiveState(Organized):
    @extend_schema(summary="Read the state of a challenge's archive", responses=ArchiveOfChallenge)
    def get(self, request: Request, slug: str) -> Response:
        """How much of it is made, and when it is finished its size and its SHA-256. 404 when nobody asked for it."""
        return Response(ArchiveOfChallenge(get_object_or_404(ChallengeArchive, challenge=self.challenge())).data)

    @extend_schema(summary="Make the archive of a challenge", request=None, responses={202: ArchiveOfChallenge})
    def post(self, request: Request, slug: str) -> Response:
        """Everything of the challenge in one zip file, anew; a worker makes it."""
        archive = making.ask(self.challenge(), request.user)
        archive.refresh_from_db()
        return Response(ArchiveOfChallenge(archive).data, status=status.HTTP_202_ACCEPTED)


class ChallengeArchiveFile(Organized):
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(
        summary="Download the archive of a challenge", responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """As it was made last; 404 while there is none."""
        return held(archive_file(self.challenge()))
