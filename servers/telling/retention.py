"""How long it is kept what was told."""

from datetime import timedelta

from django.db.models.functions import Now

from servers.models import Delivery, Notice
from servers.topics import DeliveryState

KEPT = timedelta(days=30)


def forget_old() -> int:
    """Delete notices and messages that are through and old; how many."""
    notices, _ = Notice.objects.filter(told__lt=Now() - KEPT).delete()
    ended = Delivery.objects.exclude(state=DeliveryState.WAITING)
    deliveries, _ = ended.filter(created__lt=Now() - KEPT, tried__lt=Now() - KEPT).delete()
    return notices + deliveries
