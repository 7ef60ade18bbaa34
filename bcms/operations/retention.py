"""Delete what nobody needs any more: in batches or by partitions, so that no table is locked for long."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotations.advisory_locks import try_advisory_lock
from annotations.results.models import Reply, Result
from bcms.database.numbered_partitions import analyze_if_grown, create_numbered_partitions_ahead
from bcms.database.partitions import TableInPartitions, count_rows_outside_partitions, create_partitions_ahead
from bcms.draft_archives.processing import list_old_draft_archives
from bcms.mail.outbox import list_old_failed_mail
from bcms.operations.annotation_partitions import ANNOTATIONS
from bcms.operations.old_attempts import (
    PARTITION_RETENTIONS,
    count_unneeded_rows,
    delete_batch_of_unneeded_rows,
    drop_old_partitions,
    get_body_days,
)
from servers.calls.models import Callback
from servers.calls.states import Outcome, QueueMode
from servers.inbox.entries import list_old_entries
from servers.notifications.retention import list_old_ended_deliveries, list_old_mailed_notices
from servers.pasted_texts.queries import list_expired_pasted_texts
from servers.teams.invitations import list_old_invitations

# The number of rows that one transaction deletes.
BATCH = 1000
RETENTION_LOCK = 20_100_323


@dataclass(frozen=True, slots=True)
class Retention:
    """What is deleted row by row: its name, the number that is due at a time, and how to delete a batch of them."""

    name: str
    count_due: Callable[[datetime], int]
    delete_batch: Callable[[datetime], int]


def list_expired_sessions(now: datetime) -> QuerySet[Session]:
    """Log-ins that have ended."""
    return Session.objects.filter(expire_date__lt=now)


def list_old_superseded_results(now: datetime) -> QuerySet[Result]:
    """Results with a reply that were superseded REPLY_DAYS ago.

    Replies to training and test calls of challenges stay, so that what was scored can be checked.
    """
    if not settings.REPLY_DAYS:
        return Result.objects.none()
    old = Q(superseded__lt=now - timedelta(days=settings.REPLY_DAYS), reply__isnull=False)
    return Result.objects.filter(old, producer__queue__mode=QueueMode.LIVE)


def list_old_callbacks(now: datetime) -> QuerySet[Callback]:
    """Bodies of call-backs that are as old as other answers that are deleted, and are awaited no more."""
    if not (days := get_body_days()):
        return Callback.objects.none()
    return Callback.objects.filter(received__lt=now - timedelta(days=days)).exclude(attempt__outcome=Outcome.UNDER_WAY)


@transaction.atomic
def _delete_replies(now: datetime) -> int:
    """Detach a batch of old results from their replies, and delete those that no other result has; returns results."""
    rows = dict(list_old_superseded_results(now).order_by("pk").values_list("pk", "reply")[:BATCH])
    detached = Result.objects.filter(pk__in=rows).update(reply=None)
    unused = ~Exists(Result.objects.filter(reply=OuterRef("pk")))
    Reply.objects.filter(unused, pk__in=set(rows.values())).delete()
    return detached


def _delete_listed(name: str, list_due: Callable[[datetime], QuerySet[Any]]) -> Retention:
    def delete_batch(now: datetime) -> int:
        keys = list(list_due(now).order_by("pk").values_list("pk", flat=True)[:BATCH])
        return list_due(now).filter(pk__in=keys).delete()[0]

    return Retention(name, lambda now: list_due(now).count(), delete_batch)


ROW_RETENTIONS = (
    _delete_listed("sessions that have ended", list_expired_sessions),
    Retention("replies of superseded results", lambda now: list_old_superseded_results(now).count(), _delete_replies),
    _delete_listed("old call-backs", list_old_callbacks),
    _delete_listed("old notices of servers", list_old_mailed_notices),
    _delete_listed("old webhook messages", list_old_ended_deliveries),
    _delete_listed("old notifications of accounts", list_old_entries),
    _delete_listed("old mails that could not be sent", list_old_failed_mail),
    _delete_listed("old invitations to teams", list_old_invitations),
    _delete_listed("pasted texts of more than a day", list_expired_pasted_texts),
    _delete_listed("old archives that became drafts", list_old_draft_archives),
    *(
        Retention(
            f"{each.name} that stayed until now",
            partial(count_unneeded_rows, each),
            partial(delete_batch_of_unneeded_rows, each),
        )
        for each in PARTITION_RETENTIONS
    ),
)


def delete_due_rows_unless_busy(now: datetime) -> dict[str, int]:
    """Delete everything that is due; returns the numbers of rows by name, {} while another worker does it.

    Before, make the partitions that are needed next.
    """
    with try_advisory_lock(RETENTION_LOCK) as acquired:
        if not acquired:
            return {}
        _make_partitions_ahead(now)
        deleted = {each.name: _delete_all(partial(each.delete_batch, now)) for each in ROW_RETENTIONS}
        return deleted | {each.name: drop_old_partitions(each, now) for each in PARTITION_RETENTIONS}


def _make_partitions_ahead(now: datetime) -> None:
    for each in PARTITION_RETENTIONS:
        create_partitions_ahead(each.table, now)
    create_numbered_partitions_ahead(ANNOTATIONS)
    for name in (ANNOTATIONS.name, *(each.table.name for each in PARTITION_RETENTIONS)):
        analyze_if_grown(name)


def count_due_rows(now: datetime) -> dict[str, int]:
    """The numbers of rows that are deleted one by one, by name."""
    return {each.name: each.count_due(now) for each in ROW_RETENTIONS}


def count_all_rows_outside_partitions() -> dict[str, int]:
    """The number of rows without a partition of their own, by table: 0 unless nobody made partitions for long."""
    tables: list[TableInPartitions] = [ANNOTATIONS, *(each.table for each in PARTITION_RETENTIONS)]
    return {each.name: count_rows_outside_partitions(each) for each in tables}


def _delete_all(delete_batch: Callable[[], int]) -> int:
    total = 0
    while deleted := delete_batch():
        total += deleted
    return total
