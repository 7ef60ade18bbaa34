"""The public list of servers, one server's figures and badge, and the team's planned maintenance."""

from django.contrib import messages
from django.db.models.functions import Least
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from servers.availability import drawing, listing, querysets
from servers.availability.forms import MaintenanceForm
from servers.buttons import button
from servers.models import Maintenance, Server
from servers.roles import Rights, teams_of
from servers.views import server_for, server_to_run

BADGE_SECONDS = 300


@require_safe
def server_list(request: HttpRequest) -> HttpResponse:
    choice = listing.chosen(request.GET.dict())
    servers = Server.objects.filter(kinds__contains=[choice.kind]) if choice.kind else Server.objects.all()
    context = {
        "servers": listing.ordered(querysets.published_servers(servers), choice),
        "choice": choice,
        "may_register": teams_of(request.user).exists(),
    }
    return render(request, "servers/list.html", context)


@require_safe
def availability(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_for(request, slug)
    return availability_page(request, server, may, MaintenanceForm())


def availability_page(request: HttpRequest, server: Server, may: Rights, form: MaintenanceForm) -> HttpResponse:
    context = {"server": server, "may": may, "form": form, **published_context(server)}
    return render(request, "servers/availability.html", context, status=422 if form.errors else 200)


def published_context(server: Server) -> dict[str, object]:
    """What templates/servers/_availability.html shows."""
    now = timezone.now()
    published = querysets.published(server, now)
    return {
        "published": published,
        "now": now,
        "history": drawing.history_bar(published.days, now.date()),
        "down_days": [day for day in reversed(published.days) if day.down_or_paused],
    }


@require_safe
@cache_control(public=True, max_age=BADGE_SECONDS)
def badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Asks for no cookies and sets none: it stands in other people's pages."""
    row = querysets.badge_figures(slug)
    if row is None and not Server.objects.filter(slug=slug).exists():
        raise Http404
    return HttpResponse(drawing.badge(row), content_type="image/svg+xml")


@button
def plan(request: HttpRequest, slug: str) -> HttpResponse:
    server, may = server_to_run(request, slug)
    form = MaintenanceForm(request.POST)
    if not form.is_valid():
        return availability_page(request, server, may, form)
    form.instance.server, form.instance.by = server, request.user
    form.save()
    messages.success(request, "The maintenance is planned; that time will count as neither up nor down.")
    return redirect("server-availability", slug=slug)


@button
def end_maintenance(request: HttpRequest, slug: str, maintenance_id: int) -> HttpResponse:
    """Take back what has not begun; what has begun ends now, and stays in the record."""
    server, _ = server_to_run(request, slug)
    planned, now = get_object_or_404(Maintenance, pk=maintenance_id, server=server), timezone.now()
    mine = Maintenance.objects.filter(pk=planned.pk)
    if planned.starts >= now:
        mine.delete()
        messages.success(request, "The maintenance is taken back.")
    else:
        mine.filter(ends__gt=now).update(ends=Least("ends", now))
        messages.success(request, "The maintenance is over; from now on the server is observed again.")
    return redirect("server-availability", slug=slug)
