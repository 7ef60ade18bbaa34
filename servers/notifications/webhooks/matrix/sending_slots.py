"""Limit how many threads of asking workers send to rooms of Matrix: they are there to call annotation servers.

A homeserver may take ten seconds for each message, and a webhook is sent to for half a minute at a time. What gets no
slot is tried again by the next sweep, seconds later. Owners of webhooks take turns, as one that always has messages
would otherwise take a slot again as soon as it is free.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime

from django.conf import settings
from django.db.models.functions import Now

from annotations.advisory_locks import try_advisory_lock
from servers.notifications.events import WebhookFormat
from servers.notifications.models import Webhook
from servers.notifications.webhooks.webhook_delivery import list_ready_webhooks_with_due_messages

# Advisory locks: of the slots, and of the owners of webhooks, in a range of numbers for each.
SLOT_LOCKS = 20_100_401 << 32
TEAM_LOCKS = 20_100_402 << 32
CHALLENGE_LOCKS = 20_100_403 << 32
SHARE_OF_ASKING_SLOTS = 10


@contextmanager
def try_sending_slot(webhook_id: int) -> Iterator[bool]:
    """Yield whether the webhook may be sent to: one of each team, its servers' included, or challenge at a time.

    Those of all owners together hold a tenth of the asking slots at most. There is none while as many other owners with
    messages as there are slots have waited longer.
    """
    slots = _list_slot_locks()
    owners = _map_active_webhooks_to_owner_locks()
    owner = owners.get(webhook_id)
    with ExitStack() as stack:
        yield (
            owner is not None
            and owner in _list_owners_longest_waiting_first(owners)[: len(slots)]
            and _acquire(stack, [owner])
            and _acquire(stack, slots)
        )


def _map_active_webhooks_to_owner_locks() -> dict[int, int]:
    rows = Webhook.objects.filter(format=WebhookFormat.MATRIX, active=True)
    return {
        pk: CHALLENGE_LOCKS + challenge if challenge else TEAM_LOCKS + (team or team_of_server)
        for pk, challenge, team, team_of_server in rows.values_list("pk", "challenge_id", "team", "server__team")
    }


def _list_owners_longest_waiting_first(owners: Mapping[int, int]) -> list[int]:
    """The owners with due messages. An owner has waited since the last of its webhooks was sent to, or rested.

    Those that rest after a failure do not count: the other webhooks of the owner would wait for them.
    """
    since: dict[int, datetime] = {}
    counting = Webhook.objects.filter(pk__in=owners).exclude(misses__gt=0, rest_until__gt=Now())
    for pk, rest_until in counting.values_list("pk", "rest_until"):
        since[owners[pk]] = max(rest_until, since.get(owners[pk], rest_until))
    ready = list_ready_webhooks_with_due_messages().filter(pk__in=owners).values_list("pk", flat=True)
    # A webhook whose rest has ended between the two questions takes its turn with the next sweep.
    return sorted({owners[pk] for pk in ready} & since.keys(), key=lambda owner: (since[owner], owner))


def _list_slot_locks() -> range:
    return range(SLOT_LOCKS, SLOT_LOCKS + max(1, settings.ASKING_SLOTS // SHARE_OF_ASKING_SLOTS))


def _acquire(stack: ExitStack, locks: Iterable[int]) -> bool:
    """Whether one of these locks was free; it is held until the stack is left."""
    return any(stack.enter_context(try_advisory_lock(lock)) for lock in locks)
