"""Upload a gold standard, by REST."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import FormatError, RefusedFileError
from bcms.lib.rest.problems import UnprocessableFile
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import REFUSED_FILE_RESPONSES, OrganizerAPIView
from evaluation.gold.alternatives import AlternativesFile
from evaluation.gold.memory_uploads import MemoryOnlyUploadHandler
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.uploads.api import FaultOfFile
from evaluation.runs.uploads.file_check import MAX_LISTED_WARNINGS


class SentGold(RequestSerializer[Any]):
    file = serializers.FileField(help_text="at most 20 MB")
    alternatives = serializers.FileField(required=False, help_text="only for mentions: accepted alternatives of genes")
    source = serializers.CharField(  # type: ignore[assignment]
        max_length=300,
        default="",
        allow_blank=True,
        help_text="where the gold standard comes from; empty: the name of the file",
    )


class GoldStored(serializers.ModelSerializer[GoldStandard]):
    """sealed: the gold standard is encrypted until it is published."""

    task = serializers.CharField(source="task.name")
    phase = serializers.CharField(source="phase.sort")
    sealed = serializers.SerializerMethodField()

    class Meta:
        model = GoldStandard
        fields = ["task", "phase", "checksum", "source", "imported", "published", "sealed"]

    def get_sealed(self, gold: GoldStandard) -> bool:
        return gold.producer_id is None


class UploadedGold(GoldStored):
    """warnings: the first of the file, only told now."""

    warnings = serializers.SerializerMethodField()

    class Meta(GoldStored.Meta):
        fields = [*GoldStored.Meta.fields, "warnings"]

    @extend_schema_field(FaultOfFile(many=True))
    def get_warnings(self, _: GoldStandard) -> list[Any]:
        return list(FaultOfFile(self.context["warnings"][:MAX_LISTED_WARNINGS], many=True).data)


class GoldStandardUpload(OrganizerAPIView):
    """Files are kept in memory, as that of a test is sealed before anything is written to disk."""

    parser_classes = [MultiPartParser]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        request.upload_handlers = [MemoryOnlyUploadHandler(request)]
        return super().dispatch(request, *args, **kwargs)

    @extend_schema(
        summary="Upload a gold standard",
        request={"multipart/form-data": SentGold},
        responses={201: UploadedGold, **REFUSED_FILE_RESPONSES},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """It replaces an earlier one of the task and phase. A file with errors is refused as a whole, with every error
        listed. The gold standard of a test is sealed before it is stored."""
        of_phase, sent = self.get_phase(), validate_request_data(SentGold, request)
        of_task = get_object_or_404(of_phase.challenge.tasks, name=task)
        file, second_file = sent["file"], sent.get("alternatives")
        alternatives = AlternativesFile(second_file.read(), second_file.name) if second_file else None
        warnings: list[FormatError] = []
        try:
            gold = store_gold_sealed_or_open(
                of_task, of_phase, file.read(), file.name, alternatives, sent["source"], warnings
            )
        except RefusedFileError as error:
            fields = {second_file.name: "alternatives", file.name: "file"} if second_file else {}
            raise UnprocessableFile(error.faults, fields) from None
        return Response(UploadedGold(gold, context={"warnings": warnings}).data, status=status.HTTP_201_CREATED)
