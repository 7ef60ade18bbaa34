"""Receive the call-back of a server: the answer to a request that it accepted earlier."""

import hmac
from collections.abc import Collection

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from servers.calls.article_names import get_pmid_or_opaque_id, is_test_call_or_blind_article
from servers.calls.models import Attempt, Call, Callback
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit
from servers.calls.states import CallState, Outcome
from servers.protocols.becalm_callbacks import (
    BecalmErrorCode,
    PredictionFault,
    list_faults_including_other_documents,
    parse_predictions_noting_faults,
)
from servers.registry.models import Server

MAX_REPORTED_FAULTS = 20


class CallbackRefusedError(Exception):
    """The call-back is refused: the protocol's error code, a message, and every fault if the content is invalid."""

    def __init__(self, code: BecalmErrorCode, message: str, faults: tuple[PredictionFault, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.faults = faults


def get_callback_attempt(communication_id: str, server_key: str) -> Attempt:
    """The attempt with this communication id. CallbackRefusedError if there is none or the key is not its server's.

    The error is the same in both cases, so that it does not reveal which ids exist.
    """
    attempts = Attempt.objects.select_related("server", "call__article", "call__queue")
    attempt = attempts.filter(pk=parse_communication_id_or_zero(communication_id)).first()
    if attempt is None or not hmac.compare_digest(attempt.server.api_key.encode(), server_key.encode()):
        raise make_unknown_communication_error()
    return attempt


def parse_communication_id_or_zero(text: str) -> int:
    """A communication id as a number; 0, which no attempt has, if it is invalid."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def store_callback_or_refuse_counting_annotations(attempt: Attempt, body_format: str, body: bytes) -> int:
    """Store a well-formed answer and wake the loop, which validates it and stores the annotations; returns their count.

    body_format is the format of the body: "json", "tsv" or "bioc". CallbackRefusedError if it is the second answer,
    comes too late, or is malformed; the error lists everything wrong.
    """
    _check_attempt_awaits_callback(attempt)
    documents = [
        get_pmid_or_opaque_id(call.article, blind=is_test_call_or_blind_article(call))
        for call in _list_calls_of_request(attempt)
    ]
    number = count_callback_annotations_or_refuse(documents, body_format, body)
    with transaction.atomic():
        # The loop stores the acceptance while it locks this row: it sees this answer, or we find the call pending.
        Server.objects.select_for_update(no_key=True).get(pk=attempt.server_id)
        _check_attempt_awaits_callback(Attempt.objects.select_related("call").get(pk=attempt.pk))
        _, created = Callback.objects.get_or_create(attempt=attempt, defaults={"form": body_format, "body": body})
        if not created:
            raise make_callback_closed_error()
        Call.objects.filter(pk=attempt.call_id, state=CallState.PENDING).update(due=Now())
        enqueue_server_loop_after_commit(attempt.server_id)
    return number


def _list_calls_of_request(attempt: Attempt) -> list[Call]:
    """The calls that were sent with this attempt. CallbackRefusedError if the request has the id of another one."""
    if attempt.articles_in_request == 1:
        return [attempt.call]
    if attempt.call.batch_id is None:
        raise make_callback_closed_error()
    earlier = Attempt.objects.filter(call__batch=attempt.call.batch_id, outcome=Outcome.UNDER_WAY, pk__lt=attempt.pk)
    if earlier.exists():
        raise make_unknown_communication_error()
    return list(Call.objects.filter(batch=attempt.call.batch_id).select_related("article", "queue"))


def _check_attempt_awaits_callback(attempt: Attempt) -> None:
    """Raise CallbackRefusedError if the attempt has expired or ended."""
    expires = attempt.call.expires
    if attempt.outcome == Outcome.NO_ANSWER or (expires is not None and expires < timezone.now()):
        raise make_callback_expired_error()
    if attempt.outcome != Outcome.UNDER_WAY:
        raise make_callback_closed_error()


def make_unknown_communication_error() -> CallbackRefusedError:
    return CallbackRefusedError(
        BecalmErrorCode.UNKNOWN_COMMUNICATION_ID, "Unknown communication id for the server with this key."
    )


def make_callback_expired_error() -> CallbackRefusedError:
    return CallbackRefusedError(BecalmErrorCode.REQUEST_EXPIRED, "The time limit for this answer has passed.")


def make_callback_closed_error() -> CallbackRefusedError:
    return CallbackRefusedError(
        BecalmErrorCode.REQUEST_CLOSED, "This request was already answered or has been withdrawn."
    )


def count_callback_annotations_or_refuse(document_ids: Collection[str], body_format: str, body: bytes) -> int:
    """The number of annotations in a call-back for these documents. CallbackRefusedError if it is invalid."""
    predictions = parse_predictions_noting_faults(body_format, body)
    faults = list_faults_including_other_documents(predictions, document_ids)
    if faults:
        raise CallbackRefusedError(faults[0].code, faults[0].broken_rule.message, tuple(faults[:MAX_REPORTED_FAULTS]))
    return len(predictions.predictions)
