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
    grouped = [list(group) for _, group in groupby(entries, key=_get_subject_and_state)]
    return [EntryGroup(group[0], group[1:]) for group in grouped]


def count_groups(paths_and_texts: Iterable[tuple[str, str]]) -> int:
    """The number of groups of entries with these paths and texts, newest first, of which all are read, or none."""
    return sum(1 for _ in groupby(paths_and_texts, key=lambda each: _get_subject(*each)))


def _get_subject_and_state(entry: InboxEntry) -> tuple[str, str, bool]:
    return *_get_subject(entry.path, entry.text), entry.read is None


def _get_subject(path: str, text: str) -> tuple[str, str]:
    return path, "" if path.endswith(QUEUES_ANCHOR) else text
