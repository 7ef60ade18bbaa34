"""REST API of the messages of a team's webhooks, for its managers."""

import uuid

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from servers.notifications.webhooks.api import (
    DELIVERY_STATE_PARAMETER,
    REPLAY_RESPONSES,
    DeliveryListView,
    ReplayDeliveryView,
)
from servers.notifications.webhooks.owners import WebhookOwner, make_team_owner
from servers.teams.models import Team
from servers.teams.permissions import get_team_rights


@extend_schema_view(get=extend_schema(summary="List a team's webhook messages", parameters=[DELIVERY_STATE_PARAMETER]))
class TeamDeliveryList(DeliveryListView):
    """The messages to the team's webhooks in the last 30 days, newest first. For managers of the team."""

    def find_owner(self) -> WebhookOwner:
        return _find_owner_for_manager(self.request, self.kwargs["slug"])


class ReplayTeamDelivery(ReplayDeliveryView):
    """Send a message again with the same id and up to five new tries. For managers of the team."""

    def find_owner(self) -> WebhookOwner:
        return _find_owner_for_manager(self.request, self.kwargs["slug"])

    @extend_schema(summary="Send a team's webhook message again", request=None, responses=REPLAY_RESPONSES)
    def post(self, request: Request, slug: str, pk: uuid.UUID) -> Response:
        return self.replay(pk)


def _find_owner_for_manager(request: Request, slug: str) -> WebhookOwner:
    team = get_object_or_404(Team, slug=slug)
    if not get_team_rights(request.user, team).manage:
        raise PermissionDenied("Only managers of the team see its webhooks.")
    return make_team_owner(team)
