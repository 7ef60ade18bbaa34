"""Calls that a server has accepted and answers later: no thread waits for them.

A call is PENDING from the acceptance on, and due when the server's task is to be asked for, when it has called back, or
when its time is up. Whoever serves the server then goes on with it before anything else.
"""

from datetime import timedelta

from django.db.models.functions import Least, Now
from django.utils import timezone

from bcms.lib.http import Exchange
from servers import diagnosis
from servers.claiming import RELATED, Claim, expires_of, question_of
from servers.client import Accepted, Answer, follow, read
from servers.models import Attempt, Call, Callback
from servers.naming import is_blind
from servers.states import CallState


def pending_call(server_id: int) -> Call:
    """What the server works on for us."""
    return Call.objects.select_related(*RELATED).get(server_id=server_id, state=CallState.PENDING)


def about_older_text(call: Call) -> bool:
    """Whether the article's text has changed since the server took it."""
    return call.attempts.latest("number").text_version != call.article.text_version


def claim_pending(call: Call) -> Claim | None:
    """The pending call and its attempt when it is due. The caller holds the server's row."""
    if not Call.objects.filter(pk=call.pk, state=CallState.PENDING, due__lte=Now()).exists():
        return None
    return Claim(call, call.attempts.latest("number"), is_blind(call))


def note_accepted(claim: Claim, accepted: Accepted, exchange: Exchange) -> None:
    """The server works on it: wait until it calls back or is to be asked, and never longer than its time limit.

    A call-back that came before this was written makes it due at once.
    """
    expires = expires_of(claim)
    answered = Callback.objects.filter(attempt=claim.attempt).exists()
    due = Now() + timedelta(seconds=0.0 if answered else accepted.wait)
    Call.objects.filter(pk=claim.call.pk, state=claim.state).update(
        state=CallState.PENDING, task_url=accepted.task_url, expires=expires, due=Least(due, expires)
    )
    if claim.state == CallState.ASKING:
        Attempt.objects.filter(pk=claim.attempt.pk).update(
            phases=exchange.rounded_phases, request=exchange.request, answer=exchange.received
        )


def answer_of(claim: Claim, exchange: Exchange) -> Answer | Accepted:
    """What came of the server's work. CallError when it failed, or when the time is up."""
    callback = Callback.objects.filter(attempt=claim.attempt).first()
    question = question_of(claim)
    if callback is not None:
        return read(question, callback.form, bytes(callback.body))
    left = (claim.call.expires - timezone.now()).total_seconds() if claim.call.expires else 0.0
    if left <= 0 or not claim.call.task_url:
        raise diagnosis.no_answer(question.time_limit)
    return follow(question, claim.call.task_url, left, exchange)
