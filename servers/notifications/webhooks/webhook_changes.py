"""Switch webhooks on and off, and renew their secrets."""

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from servers.notifications.models import Webhook, generate_webhook_secret
from servers.notifications.webhooks.owners import WebhookOwner, record_webhook_change
from servers.notifications.webhooks.webhook_delivery import enqueue_webhook_sending_after_commit
from servers.teams.permissions import User


@transaction.atomic
def rotate_webhook_secret_keeping_old(owner: WebhookOwner, webhook: Webhook) -> None:
    """Create a new secret; the old one also signs for a day, so that the receiver can be changed in the meantime."""
    Webhook.objects.filter(pk=webhook.pk).update(
        old_secret=F("secret"), secret=generate_webhook_secret(), secret_since=Now()
    )
    record_webhook_change(owner, webhook.pk, "new secret")


@transaction.atomic
def switch_webhook_on_resetting_failures(owner: WebhookOwner, webhook: Webhook, user: User) -> None:
    """Waiting messages are sent; events that happened while it was off are lost."""
    Webhook.objects.filter(pk=webhook.pk).update(
        active=True,
        reason="",
        misses=0,
        failing_since=None,
        rest_until=Now(),
        left_out=0,
        left_out_last=None,
        set_by=user.pk,
    )
    record_webhook_change(owner, webhook.pk, "switched on")
    enqueue_webhook_sending_after_commit(webhook)


@transaction.atomic
def switch_webhook_off(owner: WebhookOwner, webhook: Webhook) -> None:
    """Waiting messages stay until it is switched on again."""
    Webhook.objects.filter(pk=webhook.pk).update(
        active=False, reason="", misses=0, failing_since=None, rest_until=Now()
    )
    record_webhook_change(owner, webhook.pk, "switched off")
