"""The server's page: its public part, and for its team the articles it is asked about and how each try went."""

import re

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from bcms.pages.calibrations import calibrations_of
from bcms.visibility import articles_seen_by
from servers import log, querysets, queueing
from servers.availability.drawing import times_chart
from servers.availability.querysets import hours_of_times
from servers.availability.views import published_context
from servers.buttons import button
from servers.forms import LoadForm
from servers.inside import Inside, Reader, inside_of, shown_attempts, texts_of, version_of
from servers.models import Attempt, Server
from servers.roles import Rights
from servers.states import QueueMode
from servers.views import server_for, server_to_run


def reader_of(request: HttpRequest) -> Reader:
    return Reader(articles_seen_by(request.user), bool(getattr(request.user, "is_staff", False)))


def inside_for(request: HttpRequest, server: Server) -> Inside:
    return inside_of(server, reader_of(request), timezone.now())


@require_safe
def server(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_for(request, slug)
    if not may.run:
        [listed] = querysets.listed_servers(Server.objects.filter(pk=server.pk))
        context = {"server": server, "live": listed.live, **published_context(server)}
        context["calibrations"] = calibrations_of(server, request.user)
        return render(request, "servers/public.html", context)
    return server_page(request, server, may, LoadForm(articles=articles_seen_by(request.user)))


def server_page(request: HttpRequest, server: Server, may: Rights, load_form: LoadForm) -> HttpResponse:
    """The full view; a load form that was refused stands there with its errors."""
    context = {"server": server, "may": may, "inside": inside_for(request, server), "load_form": load_form}
    context["calibrations"] = calibrations_of(server, request.user)
    context["hours"] = hours = hours_of_times(server, timezone.now())
    context["times_chart"] = times_chart(hours, timezone.now()) if hours else ""
    context["save_url"] = f"{settings.SITE_URL}{reverse('becalm-save', args=['JSON'])}"
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
def download_log(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """All attempts as JSON lines."""
    server, _ = server_to_run(request, slug)
    answer = StreamingHttpResponse(log.lines(server, reader_of(request)), content_type="application/x-ndjson")
    answer["Content-Disposition"] = f'attachment; filename="{server.slug}.log.jsonl"'
    return answer


@require_safe
def attempt(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    server, _ = server_to_run(request, slug)
    attempts = Attempt.objects.select_related("call__article", "call__queue")
    attempt = get_object_or_404(attempts, pk=attempt_id, server=server)
    [row] = shown_attempts([attempt], reader_of(request))
    sent, received = texts_of(attempt)
    context = {"server": server, "row": row, "sent": sent, "received": received, "now": timezone.now()}
    return render(request, "servers/attempt.html", context)


@button
def load(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a corpus, or the articles of some PMIDs, into the LIVE queue."""
    server, may = server_to_run(request, slug)
    form = LoadForm(request.POST, articles=articles_seen_by(request.user))
    if not form.is_valid():
        return server_page(request, server, may, form)
    chosen = form.article_ids()
    queue = queueing.queue_of(server, QueueMode.LIVE)
    added = queueing.enqueue(queue, chosen)
    messages.success(request, loaded(added, len(chosen) - added, held=queue.held))
    return redirect("server", slug=slug)


def loaded(added: int, waiting: int, *, held: bool) -> str:
    words = f"{added:,} article{'' if added == 1 else 's'} loaded into the live queue"
    also = f"; {waiting:,} waited there already" if waiting else ""
    return f"{words}{also}.{' A challenge holds it: they are asked when it lets it go.' if held else ''}"
