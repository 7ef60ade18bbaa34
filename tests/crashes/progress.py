"""The newest answer of each server."""

from django.db.models import Max

from servers.calls.models import Attempt, Call
from servers.calls.states import OPEN_CALLS, Outcome
from servers.registry.models import Server
from tests.crashes.site import wait_until

LIMIT_SECONDS = 240.0


def wait_for_new_answers() -> float:
    """Seconds until every server has given an answer that was stored after this began."""
    before = find_newest_answers()
    try:
        return wait_until(lambda: not list_silent_servers(before), "every server has answered again", LIMIT_SECONDS)
    except TimeoutError as error:
        raise TimeoutError(f"{error}, but not: {describe_silent_servers(before)}") from error


def find_newest_answers() -> dict[int, int]:
    """The newest answered attempt of each server."""
    rows = Attempt.objects.filter(outcome=Outcome.ANSWERED).values_list("server").annotate(newest=Max("pk"))
    return dict(rows)


def list_silent_servers(before: dict[int, int]) -> list[int]:
    """The ids of the servers that have no newer answer than before."""
    now = find_newest_answers()
    return [pk for pk in Server.objects.order_by("pk").values_list("pk", flat=True) if now.get(pk) == before.get(pk)]


def describe_silent_servers(before: dict[int, int]) -> str:
    """Which servers have no newer answer, and their open calls."""
    calls = Call.objects.filter(state__in=sorted(OPEN_CALLS))
    return "; ".join(
        f"server {pk} with {calls.filter(server=pk).count()} open calls, lease until {lease}"
        for pk, lease in Server.objects.filter(pk__in=list_silent_servers(before)).values_list("pk", "lease_until")
    )
