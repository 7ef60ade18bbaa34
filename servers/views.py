"""The server that an address names, for whoever may see, run or change it; else 404 or 403."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from servers.models import Server
from servers.roles import Rights, rights


def server_for(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    server = get_object_or_404(Server.objects.select_related("team"), slug=slug)
    return server, rights(request.user, server.team)


def server_to_run(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    """The server, if the user may run it; 403 else."""
    server, may = server_for(request, slug)
    if not may.run:
        raise PermissionDenied
    return server, may


def server_to_change(request: HttpRequest, slug: str) -> Server:
    """The server, if the user may change it; 403 else."""
    server, may = server_for(request, slug)
    if not may.manage:
        raise PermissionDenied
    return server
