"""The public list of servers, one server's figures and badge, and the team's planned maintenance."""

from django.contrib import messages
from django.db.models.functions import Least
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from servers.availability.charts import build_availability_context, render_30_day_availability_badge
from servers.availability.forms import MaintenanceForm
from servers.availability.models import Maintenance
from servers.availability.overview import load_server_overviews
from servers.availability.queries import find_30_day_figures, list_servers_with_figures_by_name
from servers.availability.server_list_sorting import (
    parse_server_list_choice_with_defaults,
    sort_servers_best_chosen_figure_first,
)
from servers.registry.lookup import get_server_and_rights, get_server_for_member, require_logged_in_post
from servers.registry.models import Server
from servers.review.decisions import can_review_servers
from servers.review.states import ReviewState
from servers.review.visible_servers import list_listed_servers
from servers.teams.permissions import Rights, get_logged_in_user_id, list_own_teams_or_all_for_staff

BADGE_SECONDS = 300


@require_safe
def show_server_list(request: HttpRequest) -> HttpResponse:
    choice = parse_server_list_choice_with_defaults(request.GET.dict())
    listed = list_listed_servers(request.user, with_unreviewed=choice.unreviewed)
    servers = listed.filter(kinds__contains=[choice.kind]) if choice.kind else listed
    by_name = list_servers_with_figures_by_name(servers)
    context = {
        "overviews": load_server_overviews(by_name, timezone.now().date()),
        "servers": sort_servers_best_chosen_figure_first(by_name, choice),
        "choice": choice,
        "may_review": can_review_servers(request.user),
        "may_register": list_own_teams_or_all_for_staff(request.user).exists(),
    }
    return render(request, "servers/availability/server_list.html", context)


@require_safe
def show_availability(request: HttpRequest, slug: str) -> HttpResponse:
    server, rights = get_server_and_rights(request, slug)
    return _render_availability_page(request, server, rights, MaintenanceForm())


def _render_availability_page(
    request: HttpRequest, server: Server, rights: Rights, form: MaintenanceForm
) -> HttpResponse:
    context = {
        "server": server,
        "may": rights,
        "form": form if rights.run else None,
        **build_availability_context(server),
    }
    return render(request, "servers/availability/availability.html", context, status=422 if form.errors else 200)


@require_safe
@cache_control(public=True, max_age=BADGE_SECONDS)
def show_badge(request: HttpRequest, slug: str) -> HttpResponse:
    """The badge of an accepted server; it neither reads nor sets cookies, as it is embedded in other web sites."""
    row = find_30_day_figures(slug)
    if row is None and not Server.objects.filter(slug=slug, review=ReviewState.ACCEPTED).exists():
        raise Http404
    return HttpResponse(render_30_day_availability_badge(row), content_type="image/svg+xml")


@require_logged_in_post
def plan_maintenance(request: HttpRequest, slug: str) -> HttpResponse:
    server, rights = get_server_for_member(request, slug)
    form = MaintenanceForm(request.POST)
    if not form.is_valid():
        return _render_availability_page(request, server, rights, form)
    form.instance.server, form.instance.by_id = server, get_logged_in_user_id(request.user)
    form.save()
    messages.success(request, "The maintenance is planned. It will count as neither up nor down.")
    return redirect("server-availability", slug=slug)


@require_logged_in_post
def cancel_planned_or_end_running_maintenance(request: HttpRequest, slug: str, maintenance_id: int) -> HttpResponse:
    """Delete maintenance that has not begun; maintenance in progress ends now and is kept."""
    server, _ = get_server_for_member(request, slug)
    maintenance, now = get_object_or_404(Maintenance, pk=maintenance_id, server=server), timezone.now()
    if maintenance.starts >= now:
        maintenance.delete()
        messages.success(request, "The planned maintenance was cancelled.")
    else:
        Maintenance.objects.filter(pk=maintenance.pk, ends__gt=now).update(ends=Least("ends", now))
        messages.success(request, "The maintenance has ended. The server is observed again from now on.")
    return redirect("server-availability", slug=slug)
