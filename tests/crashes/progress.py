"""The newest answer of each server."""

from django.db.models import Max

from servers.calls.models import Attempt
from servers.calls.states import Outcome
from servers.registry.models import Server
from tests.crashes.site import wait_until

LIMIT_SECONDS = 120.0


def wait_for_new_answers() -> float:
    """Seconds until every server has given an answer that was stored after this began."""
    before = find_newest_answers()
    return wait_until(lambda: has_every_server_answered(before), "every server has answered again", LIMIT_SECONDS)


def find_newest_answers() -> dict[int, int]:
    """The newest answered attempt of each server."""
    rows = Attempt.objects.filter(outcome=Outcome.ANSWERED).values_list("server").annotate(newest=Max("pk"))
    return dict(rows)


def has_every_server_answered(before: dict[int, int]) -> bool:
    """Whether every server has a newer answer than before."""
    now = find_newest_answers()
    return all(now.get(pk) != before.get(pk) for pk in Server.objects.values_list("pk", flat=True))
