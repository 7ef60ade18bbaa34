"""The state of an uploaded archive, by REST."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.draft_archives.views import get_own_draft_archive_or_404, list_draft_archive_faults
from evaluation.archives.models import DraftArchive
from evaluation.challenges.api import ChallengeAPIView


class FaultOfArchive(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="0: the file as a whole")
    column = serializers.IntegerField()
    rule = serializers.CharField()
    message = serializers.CharField(help_text="begins with the name of the file in the archive")


class ArchiveOfDraft(serializers.ModelSerializer[DraftArchive]):
    """An archive from which a draft is created. challenge is null until then, and if it was deleted or you no
    longer see it.
    """

    state = serializers.ChoiceField(choices=["waiting", "rejected", "finished"])
    challenge = serializers.CharField(source="challenge.slug", default=None, allow_null=True, help_text="its slug")
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="what the draft has not, although the archive has it, or otherwise"
    )
    faults = serializers.SerializerMethodField()

    class Meta:
        model = DraftArchive
        fields = ["id", "name", "size", "uploaded", "state", "finished", "challenge", "notes", "refusal", "faults"]
        read_only_fields = fields

    @extend_schema_field(FaultOfArchive(many=True))
    def get_faults(self, archive: DraftArchive) -> Any:
        return FaultOfArchive(list_draft_archive_faults(archive), many=True).data


class DraftArchiveState(ChallengeAPIView):
    @extend_schema(summary="Read the state of an archive that becomes a draft", responses=ArchiveOfDraft)
    def get(self, request: Request, pk: int) -> Response:
        """Only who uploaded it sees it. Ask again every few seconds while it is waiting."""
        return Response(ArchiveOfDraft(get_own_draft_archive_or_404(request.user, pk)).data)
