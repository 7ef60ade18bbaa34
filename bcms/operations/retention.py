"""Delete what nobody needs any more, in batches, so that no table is locked for long."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from annotations.advisory_locks import try_advisory_lock
from annotations.results.models import Reply, Result
from servers.calls.states import QueueMode

# The number of rows that one transaction deletes.
BATCH = 1000
RETENTION_LOCK = 20_100_323


@dataclass(frozen=True, slots=True)
class Retention:
    """What is deleted: its name, how many are due now, and a function that deletes a batch and returns its size."""

    name: str
    count_due: Callable[[], int]
    delete_batch: Callable[[], int]


def list_expired_sessions() -> QuerySet[Session]:
    """Log-ins that have ended."""
    return Session.objects.filter(expire_date__lt=Now())


def list_old_superseded_results() -> QuerySet[Result]:
    """Results with a reply that were superseded REPLY_DAYS ago.

    Replies to training and test calls of challenges stay, so that what was scored can be checked.
    """
    superseded_before = Now() - timedelta(days=settings.REPLY_DAYS)
    old = Q(superseded__lt=superseded_before, reply__isnull=False)
    return Result.objects.filter(old, producer__queue__mode=QueueMode.LIVE)


def _delete_sessions() -> int:
    keys = list(list_expired_sessions().order_by("pk").values_list("pk", flat=True)[:BATCH])
    return Session.objects.filter(pk__in=keys).delete()[0]


@transaction.atomic
def _delete_replies() -> int:
    """Detach a batch of old results from their replies, and delete those that no other result has; returns results."""
    rows = dict(list_old_superseded_results().order_by("pk").values_list("pk", "reply")[:BATCH])
    detached = Result.objects.filter(pk__in=rows).update(reply=None)
    unused = ~Exists(Result.objects.filter(reply=OuterRef("pk")))
    Reply.objects.filter(unused, pk__in=set(rows.values())).delete()
    return detached


RETENTIONS = (
    Retention("sessions that have ended", lambda: list_expired_sessions().count(), _delete_sessions),
    Retention("replies of superseded results", lambda: list_old_superseded_results().count(), _delete_replies),
)


def delete_due_rows_unless_busy() -> dict[str, int]:
    """Delete everything that is due; returns the numbers by name, {} while another worker does it."""
    with try_advisory_lock(RETENTION_LOCK) as acquired:
        if not acquired:
            return {}
        return {each.name: _delete_all(each.delete_batch) for each in RETENTIONS}


def _delete_all(delete_batch: Callable[[], int]) -> int:
    total = 0
    while deleted := delete_batch():
        total += deleted
    return total
