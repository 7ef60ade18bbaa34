"""The pictures of a challenge, by REST."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from bcms.lib.rest.limits import RequestLimit, SentFileLimit
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer, get_challenge_or_404
from evaluation.challenges.pictures.forms import ALTERNATIVE_TEXT_HELP, PictureUploadForm
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.queries import list_challenge_pictures
from evaluation.challenges.pictures.storage import (
    MEBIBYTE,
    MOST_FILE_BYTES,
    add_pictures_unless_removed,
    delete_unused_picture,
)
from evaluation.challenges.pictures.visibility import list_visible_pictures


class PictureOfChallenge(serializers.ModelSerializer[ChallengePicture]):
    url = serializers.SerializerMethodField(help_text="of the picture, WebP")
    markdown = serializers.CharField(help_text="what shows the picture in the description")

    class Meta:
        model = ChallengePicture
        fields = ["name", "url", "file_name", "alternative_text", "width", "height", "size", "markdown"]

    def get_url(self, picture: ChallengePicture) -> str:
        slug = self.context["slug"]
        return reverse("challenge-picture", args=[slug, picture.name], request=self.context["request"])


class SentPicture(RequestSerializer[Any]):
    file = serializers.FileField(
        help_text=f"PNG, JPEG, WebP or GIF, of which the first frame is kept; at most {MOST_FILE_BYTES // MEBIBYTE} MiB"
    )
    alternative_text = serializers.CharField(
        max_length=500, required=False, allow_blank=True, help_text=ALTERNATIVE_TEXT_HELP
    )


class PictureCollection(ChallengeAPIView):
    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    throttle_classes = (RequestLimit, SentFileLimit)
    parser_classes = [MultiPartParser]

    @extend_schema(summary="List the pictures of a challenge", responses=PictureOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Those that its description shows, in the order in which they were uploaded. Its organizers also get the
        others."""
        pictures = list_visible_pictures(request.user, get_challenge_or_404(request.user, slug))
        return Response(PictureOfChallenge(pictures, many=True, context=self._build_context()).data)

    @extend_schema(
        summary="Upload a picture",
        request={"multipart/form-data": SentPicture},
        responses={201: PictureOfChallenge, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For organizers. It is stored as WebP without metadata, and scaled down if it is wide. The description shows
        it with the line `markdown` of the answer. Sent again, the same picture is stored once, and gets the alternative
        text that is sent with it."""
        challenge = get_challenge_or_403_unless_organizer(request.user, slug)
        sent = validate_request_data(SentPicture, request)
        form = PictureUploadForm(sent, MultiValueDict({"pictures": [sent["file"]]}))
        get_cleaned_form_data(form, {"pictures": "file"})
        (picture,) = add_pictures_unless_removed(challenge, form.list_new_pictures(), request.user)
        body = PictureOfChallenge(picture, context=self._build_context()).data
        return Response(body, status=status.HTTP_201_CREATED)

    def _build_context(self) -> dict[str, Any]:
        return {"request": self.request, "slug": self.kwargs["slug"]}


class PictureDetail(ChallengeAPIView):
    @extend_schema(summary="Delete a picture", responses={204: None, **CONFLICT_RESPONSE})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """For organizers. Not possible while the description shows it."""
        challenge = get_challenge_or_403_unless_organizer(request.user, slug)
        delete_unused_picture(get_object_or_404(list_challenge_pictures(challenge), name=name))
        return Response(status=status.HTTP_204_NO_CONTENT)
