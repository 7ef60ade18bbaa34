"""Which notifications are deleted: those that are over for 30 days."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from servers.notifications.events import DeliveryState
from servers.notifications.models import Delivery, Notice

KEPT = timedelta(days=30)


def list_old_mailed_notices(now: datetime) -> QuerySet[Notice]:
    """Notices that were mailed, or that nobody wanted."""
    return Notice.objects.filter(told__lt=now - KEPT)


def list_old_ended_deliveries(now: datetime) -> QuerySet[Delivery]:
    """Webhook messages that were delivered or given up."""
    ended = Delivery.objects.exclude(state=DeliveryState.WAITING)
    return ended.filter(created__lt=now - KEPT, tried__lt=now - KEPT)
