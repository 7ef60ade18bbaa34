"""REST API of the messages of a server's webhooks: list them, and send one again."""

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
from servers.registry.lookup import get_server_user_may_run
from servers.teams.permissions import get_team_rights

DELIVERY_STATE_PARAMETER = OpenApiParameter(
    "state", str, enum=list(DeliveryState), description="Only messages in this state."
)


class DeliveryOfServer(serializers.ModelSerializer[Delivery]):
    """A webhook message.

    body is the signed text, answer the beginning of the receiver's answer, error the reason why there is no answer.
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


@extend_schema_view(
    get=extend_schema(summary="List a server's webhook messages", parameters=[DELIVERY_STATE_PARAMETER])
)
class DeliveryList(generics.ListAPIView[Delivery]):
    """The messages to the server's webhooks in the last 30 days, newest first. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = OffsetPages
    query_parameters = ("state",)
    serializer_class = DeliveryOfServer
    queryset = Delivery.objects.none()

    def get_queryset(self) -> QuerySet[Delivery]:
        messages = Delivery.objects.filter(webhook__server=get_server_user_may_run(self.request, self.kwargs["slug"]))
        state = read_choice_parameter(self.request, "state", DeliveryState)
        return (messages.filter(state=state) if state else messages).order_by("-created", "pk")


class ReplayDelivery(APIView):
    """Send a message again with the same id and up to five new tries. For managers of the server's team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Send a webhook message again",
        request=None,
        responses={200: DeliveryOfServer, 409: OpenApiResponse(description="The webhook is switched off.")},
    )
    def post(self, request: Request, slug: str, pk: str) -> Response:
        server = get_server_user_may_run(request, slug)
        if not get_team_rights(request.user, server.team).manage:
            raise PermissionDenied(f"Only managers of {server.team} may do this with {server}.")
        message = get_object_or_404(Delivery.objects.select_related("webhook"), pk=pk, webhook__server=server)
        if not message.webhook.active:
            raise ConflictProblem("The webhook is switched off. Switch it on first.")
        webhook_delivery.reset_delivery_and_resume_webhook_sending(message)
        return Response(DeliveryOfServer(Delivery.objects.get(pk=message.pk)).data)
