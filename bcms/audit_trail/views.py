"""Pages of the audit trail: of the whole site, of a challenge and of a team."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bcms.audit_trail.forms import AuditFilter
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge
from evaluation.visibility import is_staff
from servers.audit.models import AuditEvent
from servers.audit.queries import list_audit_events, list_challenge_audit_events, list_team_audit_events
from servers.teams.models import Team
from servers.teams.permissions import get_team_rights

EVENTS_PER_PAGE = 50


@login_required
@require_safe
def show_site_trail(request: HttpRequest) -> HttpResponse:
    """Every event, for administrators."""
    if not is_staff(request.user):
        raise PermissionDenied
    return _render_trail(request, "the site", list_audit_events(), [(reverse("account"), "Your account")])


@organizer_required
@require_safe
def show_challenge_trail(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    parents = [
        (reverse("challenge", args=[challenge.slug]), challenge.name),
        (reverse("challenge-organize", args=[challenge.slug]), "Organize"),
    ]
    return _render_trail(request, challenge.name, list_challenge_audit_events(challenge.pk), parents)


@login_required
@require_safe
def show_team_trail(request: HttpRequest, slug: str) -> HttpResponse:
    team = get_object_or_404(Team, slug=slug)
    if not get_team_rights(request.user, team).run:
        raise PermissionDenied
    parents = [(reverse("team", args=[team.slug]), team.name)]
    return _render_trail(request, team.name, list_team_audit_events(team), parents)


def _render_trail(
    request: HttpRequest, title: str, events: QuerySet[AuditEvent], parents: list[tuple[str, str]]
) -> HttpResponse:
    """One page of events, newest first, below links to its parents, in 1 query; 422 for an invalid filter."""
    form = AuditFilter(request.GET)
    found = list(form.select_events(events)[: EVENTS_PER_PAGE + 1]) if form.is_valid() else []
    page = found[:EVENTS_PER_PAGE]
    older = ""
    if len(found) > EVENTS_PER_PAGE:
        chosen = {name: form.cleaned_data[name] for name in ("action", "person") if form.cleaned_data[name]}
        older = urlencode(chosen | {"before": page[-1].pk})
    context = {"title": title, "parents": parents, "form": form, "events": page, "older": older}
    return render(request, "audit_trail/trail.html", context, status=422 if form.errors else 200)
