"""REST API of the messages of webhooks: list them, and send one again. The views of servers, and those for all."""

import uuid
from abc import ABC, abstractmethod

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.query_parameters import read_choice_parameter
from servers.notifications.events import DeliveryState
from servers.notifications.models import Delivery
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.owners import WebhookOwner, make_server_owner
from servers.registry.lookup import get_server_user_may_run
from servers.teams.permissions import get_team_rights

DELIVERY_STATE_PARAMETER = OpenApiParameter(
    "state", str, enum=list(DeliveryState), description="Only messages in this state."
)


class DeliveryOfWebhook(serializers.ModelSerializer[Delivery]):
    """A webhook message.

    body is the text that is sent, answer the beginning of the receiver's answer, error the reason why there is no
    answer or what to do about that of a homeserver of Matrix.
    """

    webhook = serializers.IntegerField(source="webhook_id")
    happening = serializers.CharField()
    state = serializers.CharField()

    class Meta:
        model = Delivery
        fields = [
            *("id", "webhook", "happening", "created", "state", "tries", "due", "tried"),
            *("status", "answer", "error", "body"),
        ]


REPLAY_RESPONSES = {200: DeliveryOfWebhook, 409: OpenApiResponse(description="The webhook is switched off.")}


class DeliveryListView(generics.ListAPIView[Delivery], ABC):
    """The messages to the webhooks of an owner, newest first."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = OffsetPages
    query_parameters = ("state",)
    serializer_class = DeliveryOfWebhook
    queryset = Delivery.objects.none()

    @abstractmethod
    def find_owner(self) -> WebhookOwner:
        """The owner in the URL, if the user may see its messages; otherwise Http404 or PermissionDenied."""

    def get_queryset(self) -> QuerySet[Delivery]:
        messages = Delivery.objects.filter(webhook__in=self.find_owner().webhooks)
        state = read_choice_parameter(self.request, "state", DeliveryState)
        return (messages.filter(state=state) if state else messages).order_by("-created", "pk")


class ReplayDeliveryView(APIView, ABC):
    """Send a message to a webhook of an owner again."""

    permission_classes = [permissions.IsAuthenticated]

    @abstractmethod
    def find_owner(self) -> WebhookOwner:
        """The owner in the URL, if the user may change its webhooks; otherwise Http404 or PermissionDenied."""

    def replay(self, delivery_id: uuid.UUID) -> Response:
        """ConflictProblem if the webhook is switched off."""
        messages = Delivery.objects.filter(webhook__in=self.find_owner().webhooks).select_related("webhook")
        message = get_object_or_404(messages, pk=delivery_id)
        if not message.webhook.active:
            raise ConflictProblem("The webhook is switched off. Switch it on first.")
        webhook_delivery.reset_delivery_and_resume_webhook_sending(message)
        return Response(DeliveryOfWebhook(Delivery.objects.get(pk=message.pk)).data)


@extend_schema_view(
    get=extend_schema(summary="List a server's webhook messages", parameters=[DELIVERY_STATE_PARAMETER])
)
class DeliveryList(DeliveryListView):
    """The messages to the server's webhooks in the last 30 days, newest first. For members of its team."""

    def find_owner(self) -> WebhookOwner:
        return make_server_owner(get_server_user_may_run(self.request, self.kwargs["slug"]))


class ReplayDelivery(ReplayDeliveryView):
    """Send a message again with the same id and up to five new tries. For managers of the server's team."""

    def find_owner(self) -> WebhookOwner:
        server = get_server_user_may_run(self.request, self.kwargs["slug"])
        if not get_team_rights(self.request.user, server.team).manage:
            raise PermissionDenied(f"Only managers of {server.team} may do this with {server}.")
        return make_server_owner(server)

    @extend_schema(summary="Send a webhook message again", request=None, responses=REPLAY_RESPONSES)
    def post(self, request: Request, slug: str, pk: uuid.UUID) -> Response:
        return self.replay(pk)
