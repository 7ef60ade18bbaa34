"""Notify accounts on the site; the header of each page counts what they have not read."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now

from bcms.lib.text import clip_text_replacing_unprintable
from servers.inbox.models import InboxEntry
from servers.teams.models import Membership

KEPT = timedelta(days=90)
LONGEST_TEXT = 300


def notify_accounts(account_ids: Iterable[int], text: str, path: str) -> None:
    """Store an entry for each of these accounts once, in the transaction of the caller.

    text: a sentence, clipped to LONGEST_TEXT characters; path: of the page that it is about.
    """
    sentence = clip_text_replacing_unprintable(" ".join(text.split()), LONGEST_TEXT)
    entries = [InboxEntry(user_id=account, text=sentence, path=path) for account in sorted(set(account_ids))]
    InboxEntry.objects.bulk_create(entries, batch_size=1000)


def notify_accounts_once_until_read(account_ids: Iterable[int], text: str, path: str) -> None:
    """As notify_accounts, but nobody gets a second entry with this path as long as one is unread."""
    unread = InboxEntry.objects.filter(path=path, read__isnull=True).values_list("user", flat=True)
    notify_accounts({*account_ids} - {*unread}, text, path)


def notify_team(team_id: int, text: str, path: str, *, except_account: int | None = None) -> None:
    """As notify_accounts, for the members of a team, without one of them if that is given."""
    members = Membership.objects.filter(team=team_id).exclude(user=except_account)
    notify_accounts(members.values_list("user", flat=True), text, path)


def list_entries_newest_first(account_id: int) -> QuerySet[InboxEntry]:
    return InboxEntry.objects.filter(user=account_id).order_by("-pk")


def mark_entries_read(account_id: int, up_to: int) -> int:
    """Mark the account's entries with this id or a lower one: newer ones were not on the page. Returns their number."""
    return InboxEntry.objects.filter(user=account_id, read__isnull=True, pk__lte=up_to).update(read=Now())


def delete_entries_with_path(path: str, since: datetime) -> None:
    """Delete the entries about the page or part of a page with this path, which had none before `since`."""
    InboxEntry.objects.filter(path=path, at__gte=since).delete()


def delete_entries_under_page(page: str) -> None:
    """Delete the entries about a page that is deleted and those below it: another one may get its path."""
    InboxEntry.objects.filter(path__startswith=page).delete()


def list_old_entries(now: datetime) -> QuerySet[InboxEntry]:
    """Entries that are deleted."""
    return InboxEntry.objects.filter(at__lt=now - KEPT)
