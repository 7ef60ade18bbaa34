"""Pages of servers and teams. Whoever may not see the inside of a server sees its public part."""

import re

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from bcms.visibility import articles_seen_by
from servers import querysets
from servers.forms import LoadForm, RegistrationForm, ServerForm
from servers.inside import Inside, Reader, inside_of, shown_attempts, texts_of, version_of
from servers.models import Attempt, Server, Team
from servers.queueing import queue_of
from servers.roles import Rights, rights, teams_of
from servers.states import QueueMode


def server_for(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    server = get_object_or_404(Server.objects.select_related("team"), slug=slug)
    return server, rights(request.user, server.team)


def server_to_run(request: HttpRequest, slug: str) -> tuple[Server, Rights]:
    """The server, if the user may run it; 403 else."""
    server, may = server_for(request, slug)
    if not may.run:
        raise PermissionDenied
    return server, may


def reader_of(request: HttpRequest) -> Reader:
    return Reader(articles_seen_by(request.user), bool(getattr(request.user, "is_staff", False)))


def inside_for(request: HttpRequest, server: Server) -> Inside:
    return inside_of(server, reader_of(request), timezone.now())


@require_safe
def server_list(request: HttpRequest) -> HttpResponse:
    context = {
        "servers": querysets.listed_servers(Server.objects.all()),
        "may_register": teams_of(request.user).exists(),
    }
    return render(request, "servers/list.html", context)


@require_safe
def server(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_for(request, slug)
    if not may.run:
        [listed] = querysets.listed_servers(Server.objects.filter(pk=server.pk))
        return render(request, "servers/public.html", {"server": server, "live": listed.live})
    return server_page(request, server, may, LoadForm(articles=articles_seen_by(request.user)))


def server_page(request: HttpRequest, server: Server, may: Rights, load_form: LoadForm) -> HttpResponse:
    """The full view; a load form that was refused stands there with its errors."""
    context = {"server": server, "may": may, "inside": inside_for(request, server), "load_form": load_form}
    return render(request, "servers/server.html", context, status=422 if load_form.errors else 200)


@require_safe
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the server's page that changes; 204 while the version in ?v= is the newest."""
    server, may = server_to_run(request, slug)
    if request.GET.get("v") == version_of(server, timezone.now()):
        return HttpResponse(status=204)
    return render(request, "servers/_live.html", {"server": server, "may": may, "inside": inside_for(request, server)})


@require_safe
def attempts(request: HttpRequest, slug: str) -> HttpResponse:
    server, _ = server_to_run(request, slug)
    before = request.GET.get("before", "")
    page = querysets.attempts_of(server, int(before) if re.fullmatch("[0-9]{1,18}", before, re.ASCII) else None)
    rows = shown_attempts(page.attempts, reader_of(request))
    return render(request, "servers/attempts.html", {"server": server, "attempts": rows, "older": page.older})


@require_safe
def attempt(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    server, _ = server_to_run(request, slug)
    attempts = Attempt.objects.select_related("call__article", "call__queue")
    attempt = get_object_or_404(attempts, pk=attempt_id, call__server=server)
    [row] = shown_attempts([attempt], reader_of(request))
    sent, received = texts_of(attempt)
    context = {"server": server, "row": row, "sent": sent, "received": received}
    return render(request, "servers/attempt.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest) -> HttpResponse:
    teams = teams_of(request.user)
    if not teams.exists():
        return render(request, "servers/no_team.html", status=403)
    form = RegistrationForm(request.POST or None, teams=teams)
    if not form.is_valid():
        return render(request, "servers/register.html", {"form": form}, status=422 if form.errors else 200)
    server = form.register()
    queue_of(server, QueueMode.LIVE)
    messages.success(request, f"{server.name} is registered. Load a few articles, then start it.")
    return redirect("server", slug=server.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_for(request, slug)
    if not may.manage:
        raise PermissionDenied
    form = ServerForm(request.POST or None, instance=server)
    if not form.is_valid():
        name = Server.objects.values_list("name", flat=True).get(pk=server.pk)
        context = {"form": form, "slug": slug, "name": name}
        return render(request, "servers/edit.html", context, status=422 if form.errors else 200)
    form.store()
    messages.success(request, "The changes are stored; the next article is asked with them.")
    return redirect("server", slug=slug)


@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    team = get_object_or_404(Team, slug=slug)
    context = {
        "team": team,
        "may": rights(request.user, team),
        "members": querysets.members_of(team),
        "servers": querysets.listed_servers(team.servers.all()),
    }
    return render(request, "servers/team.html", context)
