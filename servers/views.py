"""Pages of servers and teams that name no article; the server's own page is bcms/pages/server.py."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from servers.forms import ServerForm
from servers.loop import SLICE_SECONDS
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


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    server = server_to_change(request, slug)
    form = ServerForm(request.POST or None, instance=server)
    if not form.is_valid():
        name = Server.objects.values_list("name", flat=True).get(pk=server.pk)
        context = {"form": form, "slug": slug, "name": name, "within": f"{SLICE_SECONDS:g}"}
        return render(request, "servers/edit.html", context, status=422 if form.errors else 200)
    form.store()
    messages.success(request, f"The changes are stored; within {SLICE_SECONDS:g} s articles are asked with them.")
    return redirect("server", slug=slug)
