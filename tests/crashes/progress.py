"""How far each server has come."""

from django.db.models import Max

from servers.calls.models import Attempt
from servers.calls.states import Outcome
from servers.registry.models import Server
from tests.crashes.site import wait_until

NOT_SOON = 120.0


def wait_for_all() -> float:
    """Seconds until every server has given an answer that was stored after this began."""
    before = answered()
    return wait_until(lambda: answered_since(before), "every server has answered anew", NOT_SOON)


def answered() -> dict[int, int]:
    """The newest answered attempt of each server."""
    rows = Attempt.objects.filter(outcome=Outcome.ANSWERED).values_list("server").annotate(newest=Max("pk"))
    return dict(rows)


def answered_since(before: dict[int, int]) -> bool:
    now = answered()
    return all(now.get(pk) != before.get(pk) for pk in Server.objects.values_list("pk", flat=True))
