"""REST resources of the notifications of an account."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from servers.inbox.entries import list_entries_newest_first, mark_entries_read
from servers.inbox.models import InboxEntry
from servers.teams.permissions import get_logged_in_user_id


class EntryOfInbox(serializers.ModelSerializer[InboxEntry]):
    class Meta:
        model = InboxEntry
        fields = ["id", "text", "path", "at", "read"]


class ReadUpTo(RequestSerializer[Any]):
    up_to = serializers.IntegerField(min_value=0, max_value=2**63 - 1, help_text="id of the newest entry that was read")


class EntriesMarked(serializers.Serializer[Any]):
    marked = serializers.IntegerField(help_text="number of entries that were unread before")


@extend_schema_view(get=extend_schema(summary="List your notifications"))
class Inbox(generics.ListAPIView[InboxEntry]):
    """Those in the header of each page, newest first."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = EntryOfInbox
    pagination_class = OffsetPages
    queryset = InboxEntry.objects.none()

    def get_queryset(self) -> QuerySet[InboxEntry]:
        return list_entries_newest_first(get_logged_in_user_id(self.request.user))


class InboxRead(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Mark your notifications as read", request=ReadUpTo, responses=EntriesMarked)
    def post(self, request: Request) -> Response:
        """Up to the entry with this id; newer ones stay unread."""
        up_to = validate_request_data(ReadUpTo, request)["up_to"]
        return Response({"marked": mark_entries_read(get_logged_in_user_id(request.user), up_to)})
