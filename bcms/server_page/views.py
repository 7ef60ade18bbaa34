"""The page of a server: public data for everyone, queues and attempts for its team."""

import re
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from bcms.lib.rest.limits import claim_file_slot_while_streaming
from bcms.server_page.decisions.panel import load_decision_panel
from bcms.server_page.output.reported_types import load_reported_types
from evaluation.calibration.server_panels import list_visible_calibration_panels
from evaluation.scoring.visible_scores import list_scores_of_servers
from evaluation.visibility import list_loadable_corpora, list_visible_articles
from servers.availability.charts import build_availability_context, build_response_times_context
from servers.calls import attempt_log
from servers.calls import queries as calls_queries
from servers.calls.dashboard import (
    DashboardReader,
    ServerDashboard,
    build_attempt_rows,
    build_dashboard_version_ticking_while_running,
    build_server_dashboard,
    format_masked_request_and_answer,
    has_deleted_body,
)
from servers.calls.models import Attempt
from servers.calls.queues import contents
from servers.calls.queues.forms import LoadForm
from servers.calls.states import QueueMode
from servers.registry.lookup import get_server_and_rights, get_server_for_member, require_logged_in_post
from servers.registry.models import Server
from servers.registry.queries import list_servers_with_live_queue_progress
from servers.review.visible_servers import list_latest_review_decisions
from servers.teams.permissions import Rights


def _make_server_reader(request: HttpRequest) -> DashboardReader:
    return DashboardReader(list_visible_articles(request.user), bool(getattr(request.user, "is_staff", False)))


def _build_visible_dashboard(request: HttpRequest, server: Server) -> ServerDashboard:
    return build_server_dashboard(server, _make_server_reader(request), timezone.now())


@require_safe
def show_server_to_public_or_team(request: HttpRequest, slug: str) -> HttpResponse:
    server, rights = get_server_and_rights(request, slug)
    if not rights.run:
        [listed] = list_servers_with_live_queue_progress(Server.objects.filter(pk=server.pk))
        context = {"server": server, "live": listed.live, **build_availability_context(server)}
        context |= _build_output_context(request, server)
        return render(request, "servers/availability/public_server.html", context)
    return _render_server_page(request, server, rights, _build_load_form(request))


def _build_output_context(request: HttpRequest, server: Server) -> dict[str, Any]:
    """What the server reports and how good it is, as far as the reader may know it. 6 queries at most."""
    return {
        "reported": load_reported_types(server),
        "scores": list_scores_of_servers([server.pk], request.user, timezone.now())[::-1],
        "calibrations": list_visible_calibration_panels(server, request.user),
    }


def _build_load_form(request: HttpRequest) -> LoadForm:
    """The form with what was sent, or empty."""
    articles, corpora = list_visible_articles(request.user), list_loadable_corpora(request.user)
    sent = request.POST if request.method == "POST" else None
    return LoadForm(sent, articles=articles, corpora=corpora)


def _render_server_page(request: HttpRequest, server: Server, rights: Rights, load_form: LoadForm) -> HttpResponse:
    """The page for the server's team; status 422 if the load form has errors."""
    context = {
        "server": server,
        "may": rights,
        "inside": _build_visible_dashboard(request, server),
        "load_form": load_form,
    }
    context |= _build_output_context(request, server)
    context["decisions"] = load_decision_panel(server)
    context |= build_response_times_context(server, timezone.now())
    context["review_decisions"] = list_latest_review_decisions(server)
    context["save_url"] = f"{settings.SITE_URL}{reverse('becalm-save', args=['JSON'])}"
    return render(request, "servers/registry/server.html", context, status=422 if load_form.errors else 200)


@require_safe
def poll_server(request: HttpRequest, slug: str) -> HttpResponse:
    """The part of the server's page that changes; 204 if the version in ?v= is the current one."""
    server, rights = get_server_for_member(request, slug)
    if request.GET.get("v") == build_dashboard_version_ticking_while_running(server, timezone.now()):
        return HttpResponse(status=204)
    return render(
        request,
        "servers/registry/_server_status.html",
        {"server": server, "may": rights, "inside": _build_visible_dashboard(request, server)},
    )


@require_safe
def show_attempts(request: HttpRequest, slug: str) -> HttpResponse:
    server, _ = get_server_for_member(request, slug)
    before = request.GET.get("before", "")
    page = calls_queries.list_attempt_page(
        server, int(before) if re.fullmatch("[0-9]{1,18}", before, re.ASCII) else None
    )
    rows = build_attempt_rows(page.attempts, _make_server_reader(request))
    return render(request, "servers/calls/attempts.html", {"server": server, "attempts": rows, "older": page.older})


@require_safe
def download_attempts_as_json_lines(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Download all attempts as JSON lines."""
    server, _ = get_server_for_member(request, slug)
    response = StreamingHttpResponse(
        attempt_log.iter_attempt_log_json_lines(server, _make_server_reader(request)),
        content_type="application/x-ndjson",
    )
    response["Content-Disposition"] = f'attachment; filename="{server.slug}.log.jsonl"'
    return claim_file_slot_while_streaming(response)


@require_safe
def show_attempt(request: HttpRequest, slug: str, attempt_id: int) -> HttpResponse:
    server, _ = get_server_for_member(request, slug)
    attempts = Attempt.objects.select_related("call__article", "call__queue", "body")
    attempt = get_object_or_404(attempts, pk=attempt_id, server=server)
    [row] = build_attempt_rows([attempt], _make_server_reader(request))
    sent, received = format_masked_request_and_answer(attempt)
    now = timezone.now()
    context = {"server": server, "row": row, "sent": sent, "received": received, "now": now}
    context["deleted"] = has_deleted_body(attempt, now)
    return render(request, "servers/calls/attempt.html", context)


@require_logged_in_post
def enqueue_chosen_articles_in_live_queue(request: HttpRequest, slug: str) -> HttpResponse:
    """Add a corpus, or articles by PMID, to the LIVE queue."""
    server, rights = get_server_for_member(request, slug)
    form = _build_load_form(request)
    if not form.is_valid():
        return _render_server_page(request, server, rights, form)
    chosen = form.article_ids()
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    added = contents.enqueue_articles_without_open_or_test_call(queue, chosen)
    messages.success(request, _format_load_message(added, len(chosen) - added, held=queue.held))
    return redirect("server", slug=slug)


def _format_load_message(added: int, waiting: int, *, held: bool) -> str:
    message = f"{added:,} article{'' if added == 1 else 's'} added to the live queue"
    already = f"; {waiting:,} {'was' if waiting == 1 else 'were'} already waiting" if waiting else ""
    held_note = " A challenge is holding the queue; the articles are sent when it is released." if held else ""
    return f"{message}{already}.{held_note}"
