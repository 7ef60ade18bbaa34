"""REST: read a server, change its registration, or remove it."""

import json
from collections.abc import Mapping
from typing import Any

from django.forms import model_to_dict
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.numbers import MAX_INT32
from bcms.lib.rest.problems import ConflictProblem, convert_form_errors
from bcms.server_page.api import NewServer, ServerDetail, ServerInFull, build_visible_server
from bcms.server_page.editing.server_changes import store_server_changes_renaming_unpublished_runs
from servers.registry.forms import ServerForm
from servers.registry.lookup import get_server_for_manager
from servers.registry.models import Server
from servers.registry.removal import ServerKeptError, delete_stopped_server_without_results_or_challenges


class ServerChanges(NewServer):
    """The fields of a registration to change; the others stay as they are."""

    team = None  # type: ignore[assignment]
    method = serializers.CharField(max_length=100, allow_blank=True, help_text="empty: the default of the protocol")
    seconds_per_1000_characters = serializers.FloatField(
        min_value=0.001,
        max_value=600,
        allow_null=True,
        help_text="added to the time limit for each 1,000 characters of the text; null: nothing",
    )
    connect_limit = serializers.IntegerField(
        min_value=1,
        max_value=60,
        allow_null=True,
        help_text="seconds for the DNS lookup, the connection and the TLS handshake together; null: no limit",
    )
    calls_per_minute = serializers.IntegerField(
        min_value=1, max_value=MAX_INT32, allow_null=True, help_text="maximum; null: no limit"
    )
    largest_text = serializers.IntegerField(
        min_value=1, max_value=MAX_INT32, allow_null=True, help_text="maximum, in characters; null: no limit"
    )


class EditableServer(ServerDetail):
    """One server. Members of its team see its settings and queues, too."""

    permission_classes = [permissions.IsAuthenticatedOrReadOnly]

    @extend_schema(summary="Change a server", request=ServerChanges, responses=ServerInFull)
    def patch(self, request: Request, slug: str) -> Response:
        """Change the settings that the body names; they apply to calls within seconds. Another host in the URL, or
        other kinds or entity types, return an accepted server to review. For managers of its team."""
        server = get_server_for_manager(request, slug)
        sent = ServerChanges(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        form = _build_form_of_changes(server, sent.validated_data)
        if not form.is_valid():
            raise convert_form_errors(form)
        store_server_changes_renaming_unpublished_runs(form)
        return Response(ServerInFull(build_visible_server(request, server)).data)

    @extend_schema(
        summary="Remove a server",
        responses={204: None, 409: OpenApiResponse(description="it runs, has results, or has entered a challenge")},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Remove a stopped server without results that has entered no challenge. For managers of its team."""
        try:
            delete_stopped_server_without_results_or_challenges(get_server_for_manager(request, slug))
        except ServerKeptError as error:
            raise ConflictProblem(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


def _build_form_of_changes(server: Server, changes: Mapping[str, Any]) -> ServerForm:
    """The form of the page with the stored values, and the changes in their place."""
    values = model_to_dict(server, ServerForm.Meta.fields) | dict(changes)
    # As a browser sends them: JSON as text, and nothing for a limit that is not set.
    data = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in values.items()}
    return ServerForm({name: "" if value is None else value for name, value in data.items()}, instance=server)
