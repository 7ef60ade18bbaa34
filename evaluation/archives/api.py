"""REST resources of a challenge's archive, for its organizers."""

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.limits import FileLimit, RequestLimit
from evaluation.archives import jobs
from evaluation.archives.models import ChallengeArchive
from evaluation.archives.views import stream_finished_archive_or_404
from evaluation.challenges.api import OrganizerAPIView


class ArchiveOfChallenge(serializers.ModelSerializer[ChallengeArchive]):
    percent = serializers.IntegerField(help_text="progress")

    class Meta:
        model = ChallengeArchive
        fields = ["asked", "percent", "finished", "failed", "size", "sha256"]
        read_only_fields = fields


class ChallengeArchiveState(OrganizerAPIView):
    @extend_schema(summary="Read the state of a challenge's archive", responses=ArchiveOfChallenge)
    def get(self, request: Request, slug: str) -> Response:
        """Its progress and, once finished, its size and SHA-256. 404 if it was never requested."""
        return Response(ArchiveOfChallenge(get_object_or_404(ChallengeArchive, challenge=self.get_challenge())).data)

    @extend_schema(summary="Create the archive of a challenge", request=None, responses={202: ArchiveOfChallenge})
    def post(self, request: Request, slug: str) -> Response:
        """A worker puts everything about the challenge into a new zip file."""
        archive = jobs.enqueue_archive_discarding_finished_one(self.get_challenge(), request.user)
        archive.refresh_from_db()
        return Response(ArchiveOfChallenge(archive).data, status=status.HTTP_202_ACCEPTED)


class ChallengeArchiveFile(OrganizerAPIView):
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(
        summary="Download the archive of a challenge", responses={(200, "application/zip"): OpenApiTypes.BINARY}
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """The latest finished archive; 404 if there is none."""
        return stream_finished_archive_or_404(self.get_challenge())
