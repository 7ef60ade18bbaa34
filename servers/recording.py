"""What an ended try leaves in its attempt: how it went, how long each part took, and what was sent and answered."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import F

from annotations.kinds import BrokenRule
from bcms.lib.exchanges import KEPT_BYTES
from bcms.lib.http import Exchange
from servers import diagnosis
from servers.claiming import Claim
from servers.models import Attempt, Call, Server
from servers.settling import Ending
from servers.states import CallState

MOST_BROKEN = 100
# In SQL, as the loop says it for every answer, and putting it together takes the ORM longer than the database.
FINISH = """
UPDATE servers_attempt SET
    finished = statement_timestamp(), outcome = %s, phases = %s, diagnosis = %s, message = %s, annotations = %s,
    document_bytes = %s, broken_rules = %s, request = %s, answer = %s
WHERE id = %s
"""


def record(claim: Claim, exchange: Exchange, ending: Ending) -> None:
    """Overwrite the attempt with how it went; of a server that answered later its first request stays."""
    asked = claim.state == CallState.ASKING
    taken = None if ending.broken else ending.answer
    answer = ending.answer.raw[:KEPT_BYTES] if ending.answer and not exchange.received else exchange.received
    phases = exchange.rounded_phases if asked else with_work(claim.attempt.phases, ending.seconds)
    values: list[Any] = [
        ending.outcome.value,
        json.dumps(phases),
        ending.code,
        ending.message,
        len(taken.findings) if taken else 0,
        len(claim.article.text.encode()) if taken else 0,
        json.dumps([said_of(rule) for rule in ending.broken[:MOST_BROKEN]]),
        exchange.request if asked else claim.attempt.request,
        answer,
    ]
    with connection.cursor() as cursor:
        cursor.execute(FINISH, [*values, claim.attempt.pk])


def add_broken(call_id: int, broken: Sequence[BrokenRule]) -> None:
    """Tell the team of rules that turn out to be broken after the call has ended, with the last of its tries."""
    attempt = Attempt.objects.filter(call=call_id).order_by("-number").only("broken_rules", "server_id").first()
    if attempt is None:
        return
    attempt.broken_rules = [*attempt.broken_rules, *map(said_of, broken)][:MOST_BROKEN]
    attempt.save(update_fields=["broken_rules"])
    found = diagnosis.result(broken)
    Call.objects.filter(pk=call_id, reason="").update(reason=f"{found.happened} {found.advice}")
    Server.objects.filter(pk=attempt.server_id).update(version=F("version") + 1)


def said_of(rule: BrokenRule) -> dict[str, str]:
    return {"code": rule.code, "where": rule.where, "message": rule.message, "mend": rule.mend}


def with_work(phases: dict[str, float], seconds: float) -> dict[str, float]:
    """The phases of the acceptance, and the time from then on as the server's work."""
    return phases | {"work": round(max(seconds - sum(phases.values()), 0.0), 6)}
