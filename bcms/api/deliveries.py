"""The messages of a server's webhooks: how each went, and sending one again."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.api.conventions import Pages, word_of
from bcms.api.rights import server_run
from bcms.problems import Conflict
from servers.models import Delivery
from servers.roles import rights
from servers.telling import webhooks
from servers.topics import DeliveryState

STATE = OpenApiParameter("state", str, enum=list(DeliveryState), description="only messages in this state")


class DeliveryOfServer(serializers.ModelSerializer):
    """One message; body is the text that is signed, answer how that of the receiver began, error why there was none."""

    webhook = serializers.IntegerField(source="webhook_id")
    happening = serializers.CharField()
    state = serializers.CharField()

    class Meta:
        model = Delivery
        fields = [
            *("id", "webhook", "happening", "created", "state", "tries", "due", "tried"),
            *("status", "answer", "error", "body"),
        ]


@extend_schema_view(get=extend_schema(summary="List a server's webhook messages", parameters=[STATE]))
class DeliveryList(generics.ListAPIView):
    """What the webhooks of a server were sent in the last 30 days, the newest first; for its team."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = Pages
    serializer_class = DeliveryOfServer
    queryset = Delivery.objects.none()

    def get_queryset(self) -> QuerySet[Delivery]:
        messages = Delivery.objects.filter(webhook__server=server_run(self.request, self.kwargs["slug"]))
        state = word_of(self.request, "state", DeliveryState)
        return (messages.filter(state=state) if state else messages).order_by("-created", "pk")


class ReplayDelivery(APIView):
    """Send a message again, under the same id and with five new tries; for managers of the server's team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Send a webhook message again",
        request=None,
        responses={200: DeliveryOfServer, 409: OpenApiResponse(description="the webhook is switched off")},
    )
    def post(self, request: Request, slug: str, pk: str) -> Response:
        server = server_run(request, slug)
        if not rights(request.user, server.team).manage:
            raise PermissionDenied(f"Only managers of {server.team} may do this with {server}.")
        message = get_object_or_404(Delivery.objects.select_related("webhook"), pk=pk, webhook__server=server)
        if not message.webhook.active:
            raise Conflict("The webhook is switched off: switch it on first.")
        webhooks.replay(message)
        return Response(DeliveryOfServer(Delivery.objects.get(pk=message.pk)).data)
