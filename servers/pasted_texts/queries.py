"""Reads of pasted texts: whose they are, which are due for deletion, and which calls of them wait for a server."""

import uuid
from datetime import datetime, timedelta

from django.db.models import Exists, Max, OuterRef, QuerySet
from django.db.models.functions import Now

from servers.calls.models import Attempt
from servers.pasted_texts.models import KEPT_FOR, OPEN_PASTED_CALLS, PastedCallState, PastedText, PastedTextCall
from servers.registry.states import ServerState

# After that time, a text is not sent any more, and a call without an answer has none.
OPEN_FOR = timedelta(minutes=15)
MINUTE = timedelta(minutes=1)


def list_kept_pasted_texts(account_id: int) -> QuerySet[PastedText]:
    """The texts of an account that are not too old, newest first."""
    return PastedText.objects.filter(user=account_id, created__gt=Now() - KEPT_FOR).order_by("-pk")


def find_kept_pasted_text(account_id: int, key: uuid.UUID) -> PastedText | None:
    """The text with this key if it is one of the account's and not too old: 1 query."""
    return list_kept_pasted_texts(account_id).filter(key=key).first()


def list_expired_pasted_texts(now: datetime) -> QuerySet[PastedText]:
    """Texts that nobody sees any more."""
    return PastedText.objects.filter(created__lte=now - KEPT_FOR)


def list_calls_with_servers(text: PastedText) -> list[PastedTextCall]:
    """The calls of a text with their servers and teams, by name: 1 query."""
    return list(text.calls.select_related("server__team").order_by("server__name", "pk"))


def list_open_pasted_calls() -> QuerySet[PastedTextCall]:
    """Calls that may still be answered."""
    return PastedTextCall.objects.filter(
        state__in=OPEN_PASTED_CALLS,
        text__created__gt=Now() - OPEN_FOR,
        server__state__in=(ServerState.ONLINE, ServerState.HALTING),
        server__accepts_pasted_texts=True,
    )


def count_open_pasted_texts(account_id: int) -> int:
    """The number of the account's texts that a server may still answer: 1 query."""
    open_calls = list_open_pasted_calls().filter(text=OuterRef("pk"))
    return PastedText.objects.filter(Exists(open_calls), user=account_id).count()


def find_next_pasted_call(server_id: int) -> PastedTextCall | None:
    """The call that has waited longest for this server, with its text and account: 1 query."""
    waiting = list_open_pasted_calls().filter(server=server_id, state=PastedCallState.WAITING)
    return waiting.select_related("text__user").order_by("pk").first()


def list_waiting_pasted_calls_of_outer_server() -> QuerySet[PastedTextCall]:
    """The texts that wait for a server, in a query of servers."""
    return list_open_pasted_calls().filter(server=OuterRef("pk"), state=PastedCallState.WAITING)


def count_pasted_texts_of_last_minute(server_id: int) -> int:
    """How many texts were sent to a server in the last minute, without those that were deleted since: 1 query."""
    return PastedTextCall.objects.filter(server=server_id, started__gt=Now() - MINUTE).count()


def was_text_sent_last(server_id: int) -> bool:
    """Whether the last request to a server had a pasted text that was not deleted since: 1 query, or 2."""
    sent = PastedTextCall.objects.filter(server=server_id).aggregate(last=Max("started"))["last"]
    if sent is None:
        return False
    newest = Attempt.objects.filter(server=server_id).order_by("-pk").values_list("started", flat=True).first()
    return newest is None or newest < sent
