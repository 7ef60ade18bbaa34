"""Which server of the address a request may see, and what it may do there (servers/roles.py says who)."""

from django.shortcuts import get_object_or_404
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.request import Request

from bcms.taking_in import may_send_articles
from servers.models import Server
from servers.roles import rights


def server_seen(slug: str) -> Server:
    """The server with this slug; everybody sees its public part."""
    return get_object_or_404(Server.objects.select_related("team"), slug=slug)


def server_run(request: Request, slug: str) -> Server:
    """The server with this slug, if it is the user's to run; else a 401 or 403 that says so."""
    server = server_seen(slug)
    if not request.user.is_authenticated:
        raise NotAuthenticated
    if not rights(request.user, server.team).run:
        raise PermissionDenied(f"Only members of {server.team} may do this with {server}.")
    return server


def demand_organizer(request: Request) -> None:
    """A 401 or 403 for everybody but organizers of a challenge and staff."""
    if not request.user.is_authenticated:
        raise NotAuthenticated
    if not may_send_articles(request.user):
        raise PermissionDenied("Only organizers of a challenge and staff may send in articles: ask one of them.")
