"""The pages of the webhooks of a team, for its managers."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from servers.notifications.events import WebhookOwnerType
from servers.notifications.webhooks.owners import WebhookOwner, make_team_owner
from servers.notifications.webhooks.views import WebhookPages, show_webhook_list
from servers.teams.models import Team
from servers.teams.permissions import get_team_rights


@login_required
@require_safe
def show_team_webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    owner, _ = _find_webhook_owner(request, slug)
    return show_webhook_list(request, owner)


def _find_webhook_owner(request: HttpRequest, slug: str) -> tuple[WebhookOwner, bool]:
    team = get_object_or_404(Team, slug=slug)
    if not get_team_rights(request.user, team).manage:
        raise PermissionDenied(f"Only managers of {team} see its webhooks.")
    return make_team_owner(team), True


team_webhook_pages = WebhookPages(WebhookOwnerType.TEAM, "team-webhooks", _find_webhook_owner, show_webhook_list)
