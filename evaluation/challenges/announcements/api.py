"""The announcements of a challenge, by REST."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.announcements.feed import list_announcements_of_challenge
from evaluation.challenges.announcements.forms import AnnouncementForm
from evaluation.challenges.announcements.models import Announcement, AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement, remove_announcement
from evaluation.challenges.api import CONFLICT_RESPONSE, NOT_A_NUMBER_RESPONSE, ChallengeAPIView, OrganizerAPIView
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer, get_challenge_or_404


class AnnouncementOfChallenge(serializers.ModelSerializer[Announcement]):
    class Meta:
        model = Announcement
        fields = ["id", "title", "text", "at"]


class NewAnnouncement(RequestSerializer[Any]):
    title = serializers.CharField(max_length=200)
    text = serializers.CharField(max_length=20_000, help_text="Markdown")
    audience = ExplainedChoiceField(
        choices=AnnouncementAudience.choices,
        default=AnnouncementAudience.FOLLOWERS.value,
        help_text="who gets it by mail; everybody can read it",
    )


@extend_schema_view(get=extend_schema(summary="List the announcements of a challenge"))
class AnnouncementCollection(ChallengeAPIView, generics.ListAPIView[Announcement]):
    """The announcements of the organizers, newest first; their texts are Markdown."""

    permission_classes = [permissions.IsAuthenticatedOrReadOnly]
    serializer_class = AnnouncementOfChallenge
    pagination_class = OffsetPages
    queryset = Announcement.objects.none()

    def get_queryset(self) -> QuerySet[Announcement]:
        return list_announcements_of_challenge(get_challenge_or_404(self.request.user, self.kwargs["slug"]))

    @extend_schema(
        summary="Publish an announcement",
        request=NewAnnouncement,
        responses={201: AnnouncementOfChallenge, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str) -> Response:
        """For organizers. It is on the page of the challenge and in its feed at once; a worker sends the mails. Sent
        again within ten minutes, the same announcement is not published twice."""
        challenge = get_challenge_or_403_unless_organizer(request.user, slug)
        data = get_cleaned_form_data(AnnouncementForm(validate_request_data(NewAnnouncement, request)))
        announcement = publish_announcement(
            challenge,
            request.user,
            title=data["title"],
            text=data["text"],
            audience=AnnouncementAudience(data["audience"]),
        )
        announcement.refresh_from_db()
        return Response(AnnouncementOfChallenge(announcement).data, status=status.HTTP_201_CREATED)


class PublishedAnnouncement(OrganizerAPIView):
    @extend_schema(summary="Remove an announcement", responses={204: None, 405: NOT_A_NUMBER_RESPONSE})
    def delete(self, request: Request, slug: str, number: int) -> Response:
        """For organizers. Mail that was sent stays where it is; what waits is not sent."""
        remove_announcement(get_object_or_404(self.get_challenge().announcements, pk=number))
        return Response(status=status.HTTP_204_NO_CONTENT)
