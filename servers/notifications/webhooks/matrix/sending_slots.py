"""Limit how many threads of asking workers send to rooms of Matrix: they are there to call annotation servers.

A homeserver may take ten seconds for each message, and a webhook is sent to for half a minute at a time. What gets no
slot is tried again by the next sweep, seconds later.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager

from django.conf import settings

from annotations.advisory_locks import try_advisory_lock
from servers.notifications.models import Webhook

# Advisory locks: of the slots, and of the owners of webhooks, in a range of numbers for each.
SLOT_LOCKS = 20_100_401 << 32
TEAM_LOCKS = 20_100_402 << 32
CHALLENGE_LOCKS = 20_100_403 << 32
SHARE_OF_ASKING_SLOTS = 10


@contextmanager
def try_sending_slot(webhook_id: int) -> Iterator[bool]:
    """Yield whether the webhook may be sent to: one of each team, its servers' included, or challenge at a time.

    Those of all owners together hold a tenth of the asking slots at most.
    """
    with ExitStack() as stack:
        yield _acquire(stack, [_find_owner_lock(webhook_id)]) and _acquire(stack, _list_slot_locks())


def _find_owner_lock(webhook_id: int) -> int:
    """Of a webhook that was deleted, any number will do."""
    owners = Webhook.objects.filter(pk=webhook_id).values_list("challenge_id", "team", "server__team")
    challenge, team, team_of_server = owners.first() or (None, None, None)
    return CHALLENGE_LOCKS + challenge if challenge else TEAM_LOCKS + (team or team_of_server or 0)


def _list_slot_locks() -> range:
    return range(SLOT_LOCKS, SLOT_LOCKS + max(1, settings.ASKING_SLOTS // SHARE_OF_ASKING_SLOTS))


def _acquire(stack: ExitStack, locks: Iterable[int]) -> bool:
    """Whether one of these locks was free; it is held until the stack is left."""
    return any(stack.enter_context(try_advisory_lock(lock)) for lock in locks)
