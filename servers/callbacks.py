"""What a server sends us of its own accord: the answer to a question that it accepted before."""

import hmac

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from servers.models import Attempt, Call, Callback, Server
from servers.naming import is_blind, name_of
from servers.protocols.becalm_answers import Code, Refusal, faults_for, read_predictions
from servers.queueing import wake
from servers.states import CallState, Outcome

MOST_TOLD = 20


class CallbackRefusedError(Exception):
    """The protocol's code, one sentence, and what is wrong in detail when the content is."""

    def __init__(self, code: Code, message: str, faults: tuple[Refusal, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.faults = faults


def attempt_of(reference: str, key: str) -> Attempt:
    """The attempt of a communication id, if the key is its server's; nobody learns which of the two is wrong."""
    attempts = Attempt.objects.select_related("server", "call__article", "call__queue")
    attempt = attempts.filter(pk=number_of(reference)).first()
    if attempt is None or not hmac.compare_digest(attempt.server.api_key.encode(), key.encode()):
        raise CallbackRefusedError(
            Code.UNKNOWN_COMMUNICATION_ID, "There is no such communication id of the server with this key."
        )
    return attempt


def number_of(reference: str) -> int:
    """The number that a communication id is, 0 for what can be none."""
    return int(reference) if reference.isascii() and reference.isdigit() and len(reference) < 19 else 0


def accept(attempt: Attempt, form: str, body: bytes) -> int:
    """Keep an answer whose syntax is right, and wake the loop, which judges and stores it; how many annotations.

    CallbackRefusedError when it comes twice or too late, or with all that is wrong with its form.
    """
    check_open(attempt)
    number = check_form(name_of(attempt.call.article, blind=is_blind(attempt.call)), form, body)
    with transaction.atomic():
        # The loop writes down the acceptance while it holds this row: it sees the answer, or finds the call pending.
        Server.objects.select_for_update(no_key=True).get(pk=attempt.server_id)
        check_open(Attempt.objects.select_related("call").get(pk=attempt.pk))
        _, new = Callback.objects.get_or_create(attempt=attempt, defaults={"form": form, "body": body})
        if not new:
            raise closed()
        Call.objects.filter(pk=attempt.call_id, state=CallState.PENDING).update(due=Now())
        wake(attempt.server_id)
    return number


def check_open(attempt: Attempt) -> None:
    expires = attempt.call.expires
    if attempt.outcome == Outcome.NO_ANSWER or (expires is not None and expires < timezone.now()):
        raise too_late()
    if attempt.outcome != Outcome.UNDER_WAY:
        raise closed()


def too_late() -> CallbackRefusedError:
    return CallbackRefusedError(Code.REQUEST_EXPIRED, "The time for this answer is over.")


def closed() -> CallbackRefusedError:
    return CallbackRefusedError(Code.REQUEST_CLOSED, "This question has been answered, or is not asked any more.")


def check_form(document: str, form: str, body: bytes) -> int:
    """The number of annotations of the document that was asked for. CallbackRefusedError with all faults."""
    found = read_predictions(form, body)
    faults = faults_for(found, document)
    if faults:
        raise CallbackRefusedError(faults[0].code, faults[0].broken.message, tuple(faults[:MOST_TOLD]))
    return len(found.predictions)
