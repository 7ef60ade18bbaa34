"""Delete notifications after 30 days."""

from datetime import timedelta

from django.db.models.functions import Now

from servers.notifications.events import DeliveryState
from servers.notifications.models import Delivery, Notice

KEPT = timedelta(days=30)


def delete_old_sent_notices_and_ended_deliveries() -> int:
    """Delete old notices that were mailed and old webhook messages that were delivered or failed; returns how many."""
    notices, _ = Notice.objects.filter(told__lt=Now() - KEPT).delete()
    ended = Delivery.objects.exclude(state=DeliveryState.WAITING)
    deliveries, _ = ended.filter(created__lt=Now() - KEPT, tried__lt=Now() - KEPT).delete()
    return notices + deliveries
