"""The organizers of a challenge, by REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.organizers import appointment
from evaluation.challenges.organizers.forms import OrganizerForm


class OrganizerOfChallenge(serializers.Serializer[Any]):
    username = serializers.CharField()


class NewOrganizer(RequestSerializer[Any]):
    organizer = serializers.CharField(
        max_length=254,
        help_text="user name or confirmed e-mail address of an account; to remove an organizer, the user name",
    )
    released = serializers.BooleanField(default=False, help_text="true removes the organizer")


class OrganizerCollection(OrganizerAPIView):
    @extend_schema(summary="List the organizers of a challenge", responses=OrganizerOfChallenge(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """Their user names, sorted."""
        return Response(OrganizerOfChallenge(self.get_challenge().organizers.order_by("username"), many=True).data)

    @extend_schema(
        summary="Add or remove an organizer",
        request=NewOrganizer,
        responses={200: OrganizerOfChallenge(many=True), **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str) -> Response:
        """A new organizer gets a mail. With `released: true` the user is removed; the last organizer cannot be."""
        challenge, sent = self.get_challenge(), validate_request_data(NewOrganizer, request)
        if sent["released"]:
            appointment.remove_organizer_unless_last(challenge, sent["organizer"], request.user)
        else:
            user = get_cleaned_form_data(OrganizerForm(sent))["organizer"]
            appointment.add_and_mail_organizer_refusing_competitors(challenge, user, request.user)
        return Response(OrganizerOfChallenge(challenge.organizers.order_by("username"), many=True).data)
