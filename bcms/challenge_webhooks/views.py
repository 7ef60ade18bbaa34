"""The pages of the webhooks of a challenge, for its organizers."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer
from evaluation.challenges.webhooks.deliveries import make_challenge_owner
from servers.notifications.events import WebhookOwnerType
from servers.notifications.webhooks.owners import WebhookOwner
from servers.notifications.webhooks.views import WebhookPages, show_webhook_list


@login_required
@require_safe
def show_challenge_webhooks(request: HttpRequest, slug: str) -> HttpResponse:
    owner, _ = _find_webhook_owner(request, slug)
    return show_webhook_list(request, owner)


def _find_webhook_owner(request: HttpRequest, slug: str) -> tuple[WebhookOwner, bool]:
    return make_challenge_owner(get_challenge_or_403_unless_organizer(request.user, slug)), True


challenge_webhook_pages = WebhookPages(
    WebhookOwnerType.CHALLENGE, "challenge-webhooks", _find_webhook_owner, show_webhook_list
)
