"""Notifications as their page lists them: those about the same, one after the other, as one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from servers.inbox.models import InboxEntry

# The path of what is about the queues of a server ends with it.
QUEUES_ANCHOR = "#queues"


@dataclass(frozen=True, slots=True)
class EntryGroup:
    """The newest of some entries, and the earlier ones, newest first; all of them are read, or none."""

    newest: InboxEntry
    earlier: Sequence[InboxEntry]


def group_entries(entries: Iterable[InboxEntry]) -> list[EntryGroup]:
    """Group neighbours with the same text and page, and those about queues of the same server."""
    grouped = [list(group) for _, group in groupby(entries, key=_get_subject)]
    return [EntryGroup(group[0], group[1:]) for group in grouped]


def _get_subject(entry: InboxEntry) -> tuple[str, str, bool]:
    text = "" if entry.path.endswith(QUEUES_ANCHOR) else entry.text
    return entry.path, text, entry.read is None
