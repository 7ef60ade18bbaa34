"""The call-backs of a server on trial: one for the sample article, and one for two articles if it takes several.

A server has no key before it is registered, so any key is accepted then: the communication id is the secret.
"""

import hmac
import time
from dataclasses import dataclass

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from servers.calls.deferred_answers import callbacks
from servers.kit.checks.sample_articles import SAMPLE_ARTICLES, SampleArticle, find_other_sample
from servers.registry.models import FIRST_REFERENCE, Trial

# Seconds between two checks for a call-back.
CALLBACK_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class CalledBackRequest:
    """A request of a trial that the server calls back for; is_batch: the one with two articles."""

    trial: Trial
    is_batch: bool

    @property
    def documents(self) -> list[str]:
        sample = build_unblinded_trial_sample_or_default(self.trial.article)
        samples = [sample, find_other_sample(sample)] if self.is_batch else [sample]
        return [each.identifier for each in samples]

    @property
    def is_called_back(self) -> bool:
        return bool(self.trial.batch_callback_form if self.is_batch else self.trial.callback_form)


def wait_for_trial_callback(trial_id: int, reference: int, seconds: float) -> tuple[str, bytes] | None:
    """Format and body of the call-back with this communication id; None if none arrives within the seconds."""
    until = time.monotonic() + seconds
    form, body = _get_callback_columns(is_batch=_is_of_batch(reference))
    values = Trial.objects.filter(pk=trial_id).exclude(**{form: ""}).values_list(form, body)
    while (callback := values.first()) is None and time.monotonic() < until:
        time.sleep(CALLBACK_POLL_SECONDS)
    return None if callback is None else (callback[0], bytes(callback[1]))


def _get_callback_columns(*, is_batch: bool) -> tuple[str, str]:
    """The names of the columns for the format and the body."""
    return ("batch_callback_form", "batch_callback") if is_batch else ("callback_form", "callback")


def _is_of_batch(reference: int) -> bool:
    """Whether a communication id is that of the request with two articles, which follows that with one."""
    return bool(reference % 2)


def find_request_checking_key_of_registered_server(
    communication_id: str, api_key_sent: str
) -> CalledBackRequest | None:
    """The request with this communication id; None if there is none or the key is not that of its registered server."""
    number = callbacks.parse_communication_id_or_zero(communication_id)
    if number < FIRST_REFERENCE:
        return None
    is_batch = _is_of_batch(number)
    trials = Trial.objects.select_related("server", "article").defer("request", "answer", "callback", "batch_callback")
    trial = trials.filter(reference=number - is_batch).order_by("-pk").first()
    if trial is None or (is_batch and trial.fields.get("articles_per_request", 1) == 1):
        return None
    has_key = trial.server is None or hmac.compare_digest(trial.server.api_key.encode(), api_key_sent.encode())
    return CalledBackRequest(trial, is_batch) if has_key else None


def store_first_trial_callback_and_check(request: CalledBackRequest, callback_format: str, callback_body: bytes) -> int:
    """Store the first call-back of a request, even if it is invalid, as the trial shows it; returns how many it has.

    CallbackRefusedError if it is the second one, comes too late, or is invalid; the error lists everything wrong.
    """
    form, body = _get_callback_columns(is_batch=request.is_batch)
    waiting = Trial.objects.filter(pk=request.trial.pk, finished__isnull=True, **{form: ""})
    if not waiting.update(**{form: callback_format, body: callback_body}):
        if request.trial.finished and not request.is_called_back:
            raise callbacks.make_callback_expired_error()
        raise callbacks.make_callback_closed_error()
    return callbacks.count_callback_annotations_or_refuse(request.documents, callback_format, callback_body)


def build_unblinded_trial_sample_or_default(article: Article | None) -> SampleArticle:
    """The article to send; the first built-in sample if article is None."""
    if article is None:
        return SAMPLE_ARTICLES[0]
    return SampleArticle(format_pmid_or_opaque(article), article.title, article.abstract, article.pmid)
