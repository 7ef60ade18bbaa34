"""Look up the server of a URL and check the rights of the user (servers/teams/permissions.py), for pages and REST.

Django's Http404 and PermissionDenied suit both: Django REST framework turns them into its own responses.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_POST

from servers.registry.models import Server
from servers.review.visible_servers import list_servers_with_public_page
from servers.teams.permissions import Rights, User, get_team_rights


def get_server_or_404(slug: str, user: User) -> Server:
    """The server with this slug, whose page the user may see; Http404 if there is none."""
    return get_object_or_404(list_servers_with_public_page(user).select_related("team"), slug=slug)


def get_server_and_rights(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    """The server with this slug and what the user may do with it; Http404 if there is no such server."""
    server = get_server_or_404(slug, request.user)
    return server, get_team_rights(request.user, server.team)


def get_server_for_member(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    """The server and the user's rights; PermissionDenied (403) unless the user may run the server."""
    server, rights = get_server_and_rights(request, slug)
    if not rights.run:
        raise _make_permission_error(request, f"Only members of {server.team} may do this with {server}.")
    return server, rights


def get_server_user_may_run(request: HttpRequest, slug: str) -> Server:
    """The server; PermissionDenied (403) unless the user may run it."""
    return get_server_for_member(request, slug)[0]


def get_server_for_manager(request: HttpRequest, slug: str) -> Server:
    """The server; PermissionDenied (403) unless the user may change its registration."""
    server, rights = get_server_and_rights(request, slug)
    if not rights.manage:
        raise _make_permission_error(request, f"Only managers of {server.team} may do this with {server}.")
    return server


def _make_permission_error(request: HttpRequest, message: str) -> PermissionDenied:
    """The error with its message, or without one for anonymous users: the page then offers to log in."""
    return PermissionDenied(message) if request.user.is_authenticated else PermissionDenied()


def require_logged_in_post(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view that accepts POST only; users who are not logged in return to the server's page after login."""

    @require_POST
    @wraps(view)
    def wrapper(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("server", args=[slug]))
        return view(request, slug, **kwargs)

    return wrapper
