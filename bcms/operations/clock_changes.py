"""Shorten what waits when the clock of the database goes back.

What is due, and until when something rests or is leased, is stored as a time of that clock. If it goes back by an hour,
everything would wait an hour longer.
"""

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Model
from django.db.models.functions import Now

from annotations.articles.models import Pace
from bcms.mail.models import Mail
from bcms.operations.models import ClockReading
from servers.calls.leases.lease import get_lease_term, lock_servers_and_read_field
from servers.calls.models import Call, Queue
from servers.notifications.models import Delivery, Notice, Webhook
from servers.registry.models import Server

# NTP slows a clock down rather than setting it back by less.
TOLERANCE = timedelta(seconds=5)
# Longer waits, such as for the next look at an entry, do not matter. In the order in which loops lock rows.
WAITS: tuple[tuple[type[Model], tuple[str, ...]], ...] = (
    (Server, ("probed",)),
    (Queue, ("rest_until",)),
    (Call, ("due", "expires")),
    (Webhook, ("rest_until",)),
    (Delivery, ("due",)),
    (Notice, ("due",)),
    (Mail, ("due",)),
    (Pace, ("free",)),
)
READING_ID = 1
log = logging.getLogger(__name__)


def bring_waits_forward_if_clock_went_back() -> timedelta:
    """Compare the clock with its last reading, and move what lies ahead by the difference if it is earlier now.

    Returns the difference, 0 if there is nothing to do. To be called every few seconds: what passed between the last
    reading and the change is waited for in addition.
    """
    with transaction.atomic():
        back = _read_clock_and_compute_step_back()
        if back <= TOLERANCE:
            return timedelta()
        log.error("The clock of the database went back by %s: everything that waits is moved by that", back)
        _end_leases_from_before()
        for model, names in WAITS:
            for name in names:
                model._default_manager.filter(**{f"{name}__gt": Now()}).update(**{name: F(name) - back})
    return back


def _read_clock_and_compute_step_back() -> timedelta:
    """How much earlier it is than at the last reading, negative if it is later."""
    last = ClockReading.objects.select_for_update().filter(pk=READING_ID)
    back: timedelta | None = last.values_list(F("at") - Now(), flat=True).first()
    if back is None:
        ClockReading.objects.create(pk=READING_ID, at=Now())
        return timedelta()
    last.update(at=Now())
    return back


def _end_leases_from_before() -> None:
    """End the leases that nobody renews; those of working loops were renewed since and are not longer than a term."""
    too_long = Server.objects.filter(lease_until__gt=Now() + get_lease_term())
    lock_servers_and_read_field(too_long, "pk")
    too_long.update(lease_until=Now())
