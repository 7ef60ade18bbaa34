"""Challenges as files, by REST."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import RefusedFileError
from bcms.article_uploads.article_import import MEBIBYTES
from bcms.challenge_definitions.creation import create_challenge_from_file
from bcms.challenge_definitions.export import format_definition_yaml
from bcms.draft_archives.api import ArchiveOfDraft
from bcms.draft_archives.archive_reader import is_zip_archive
from bcms.draft_archives.processing import store_draft_archive
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.problems import UnprocessableFile
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import REFUSED_FILE_RESPONSES, ChallengeAPIView, OrganizerAPIView
from evaluation.challenges.challenge_page.api import ChallengeWithParts, reload_and_serialize_challenge
from evaluation.challenges.permissions import can_create_challenge
from evaluation.gold.memory_uploads import MemoryOnlyUploadHandler


class SentDefinition(RequestSerializer[Any]):
    file = serializers.FileField(
        help_text="a definition in YAML or JSON, at most 256 KiB, or the archive of a challenge (zip), at most "
        f"{MEBIBYTES} MiB"
    )
    name = serializers.CharField(max_length=200, required=False, help_text="in place of the name in the file")
    slug = serializers.SlugField(max_length=50, required=False, help_text="in place of the slug in the file")


class NewChallengeFromFile(ChallengeAPIView):
    parser_classes = [MultiPartParser]

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # An archive is sealed before anything of it is written to disk.
        request.upload_handlers = [MemoryOnlyUploadHandler(request)]
        return super().dispatch(request, *args, **kwargs)

    @extend_schema(
        summary="Set up a challenge from a file",
        request={"multipart/form-data": SentDefinition},
        responses={201: ChallengeWithParts, 202: ArchiveOfDraft, **REFUSED_FILE_RESPONSES},
    )
    def post(self, request: Request) -> Response:
        """Create a challenge that you organize from its definition: rules, tasks, corpora and phases. It is a draft,
        which only its organizers see. A file with errors is refused as a whole, with every error listed.

        From an archive, a worker creates the draft with gold standards, and with runs that are marked as imported: 202,
        and the state of the archive at the address in the header Location."""
        if not can_create_challenge(request.user):
            raise PermissionDenied(
                "Only staff and users with the permission to add challenges can do this. Ask the administrator."
            )
        sent = validate_request_data(SentDefinition, request)
        file = sent.pop("file")
        content = file.read()
        if is_zip_archive(content):
            archive = store_draft_archive(content, file.name, cast(AbstractBaseUser, request.user), sent)
            archive.refresh_from_db()
            address = {"Location": reverse("api-challenge-draft-archive", args=[archive.pk])}
            return Response(ArchiveOfDraft(archive).data, status=status.HTTP_202_ACCEPTED, headers=address)
        try:
            challenge = create_challenge_from_file(content, file.name, request.user, sent)
        except RefusedFileError as error:
            raise UnprocessableFile(error.faults) from None
        return Response(reload_and_serialize_challenge(challenge), status=status.HTTP_201_CREATED)


class DefinitionOfChallenge(OrganizerAPIView):
    content_negotiation_class = UrlFormatNegotiation

    @extend_schema(
        summary="Read the definition of a challenge",
        responses={(200, "application/yaml"): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Its rules, tasks and phases as YAML, for a file or a copy; without articles, gold standards and runs."""
        text = format_definition_yaml(self.get_challenge())
        return HttpResponse(text, content_type="application/yaml; charset=utf-8")
