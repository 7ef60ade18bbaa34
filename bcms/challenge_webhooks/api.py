"""REST API of the messages of a challenge's webhooks, for its organizers."""

import uuid

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer
from evaluation.challenges.webhooks.deliveries import make_challenge_owner
from servers.notifications.webhooks.api import (
    DELIVERY_STATE_PARAMETER,
    REPLAY_RESPONSES,
    DeliveryListView,
    ReplayDeliveryView,
)
from servers.notifications.webhooks.owners import WebhookOwner


@extend_schema_view(
    get=extend_schema(summary="List a challenge's webhook messages", parameters=[DELIVERY_STATE_PARAMETER])
)
class ChallengeDeliveryList(DeliveryListView):
    """The messages to the challenge's webhooks in the last 30 days, newest first. For its organizers."""

    def find_owner(self) -> WebhookOwner:
        return make_challenge_owner(get_challenge_or_403_unless_organizer(self.request.user, self.kwargs["slug"]))


class ReplayChallengeDelivery(ReplayDeliveryView):
    """Send a message again with the same id and up to five new tries. For the organizers of the challenge."""

    def find_owner(self) -> WebhookOwner:
        return make_challenge_owner(get_challenge_or_403_unless_organizer(self.request.user, self.kwargs["slug"]))

    @extend_schema(summary="Send a challenge's webhook message again", request=None, responses=REPLAY_RESPONSES)
    def post(self, request: Request, slug: str, pk: uuid.UUID) -> Response:
        return self.replay(pk)
