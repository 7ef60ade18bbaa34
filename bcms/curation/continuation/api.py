"""REST: continue a digital abstract from a file."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.digital_abstract import Origin
from bcms.curation.continuation.taking_over import (
    BASIS_ORIGIN_CHOICES,
    LARGEST_FILE_MB,
    LONGEST_BASIS,
    GivenFile,
    TakenOver,
    take_over_file,
)
from bcms.curation.rest.api import CurationAPIView
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data


class FileToContinue(RequestSerializer[Any]):
    """origin: what the file is from; basis: its name, such as IntAct, or the name of the file if it is missing."""

    file = serializers.FileField(
        help_text=f"PSI-MITAB, PSI-MI XML, or JSON with the members of a record; at most {LARGEST_FILE_MB} MB"
    )
    origin = ExplainedChoiceField(choices=BASIS_ORIGIN_CHOICES, default=Origin.SYSTEM.value)
    basis = serializers.CharField(max_length=LONGEST_BASIS, required=False, allow_blank=True)


class LeftOutOfFile(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="from 1; 0 for the file as a whole")
    part = serializers.CharField()
    reason = serializers.CharField()


class TakenOverFile(serializers.Serializer[TakenOver]):
    added = serializers.IntegerField(help_text="interactions and annotations, by one decision")
    interactions = serializers.IntegerField(help_text="how many of those added are interactions")
    annotations = serializers.IntegerField(help_text="how many of those added are organisms or other annotations")
    known = serializers.IntegerField(help_text="interactions and annotations of the file that were there already")
    left_out = LeftOutOfFile(many=True)


class CurationFile(CurationAPIView):
    """A file whose interactions and annotations are taken over."""

    parser_classes = [MultiPartParser]

    @extend_schema(
        summary="Continue a curation from a file",
        request={"multipart/form-data": FileToContinue},
        responses=TakenOverFile,
    )
    def post(self, request: Request, pk: int) -> Response:
        """Add the interactions, organisms and other annotations of the article in the file, with what they are from.
        Those of other articles, and those that break a rule, are listed. A wrong file is refused with the line and
        column of its first fault."""
        curation, values = self.get_curation(), validate_request_data(FileToContinue, request)
        file, user = values["file"], cast(AbstractBaseUser, request.user)
        given = GivenFile(file.name, file.read(), values.get("basis", ""), Origin(values["origin"]))
        return Response(TakenOverFile(take_over_file(curation, given, user.pk, timezone.now())).data)
