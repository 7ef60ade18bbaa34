"""Try a server before or after it is registered: send it one sample article and check the answer.

A server that calls back must do so while the trial lasts: servers/registry/trial_callbacks.py.
"""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, cast

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import BinaryField, Func
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.identifiers.loaded_namespaces import find_unchecked_entities
from annotations.schema import Kind
from bcms.lib.http.exchange import KEPT_BYTES
from servers.calls.errors import CallError
from servers.calls.queues.time_limits import compute_text_time_limit_seconds
from servers.credentials.sealed_headers import open_sealed_header_for_url, open_secret_headers_for_url
from servers.credentials.signing_secrets import open_signing_secret
from servers.kit.checks.answer_vocabulary import iter_answer_entities
from servers.kit.checks.check_report import build_check_data
from servers.kit.checks.server_check import CheckTarget, ServerCheck, check_server_noting_failure
from servers.registry.models import Server, Trial
from servers.registry.trial_callbacks import build_unblinded_trial_sample_or_default, wait_for_trial_callback
from servers.teams.models import Team
from servers.teams.permissions import User, get_logged_in_user_id

# Users wait for a trial in front of its page; slower servers can be tested in their queue.
LONGEST_TRIAL = 60.0
# Seconds that a worker may need in addition; an older trial without a result has lost its worker.
TRIAL_MARGIN = 30.0
TRIALS_PER_HOUR = 60
HOUR = timedelta(hours=1)
# The fields of a registration that the call of a trial needs.
CALL_FIELDS = ("url", "protocol", "method", "send", "kinds", "time_limit", "custom_parameters")
# Those that trials of earlier versions of the site do not have.
LATER_CALL_FIELDS = ("entity_types", "seconds_per_1000_characters", "connect_limit", "articles_per_request")
TRIAL_TASK = "servers.tasks.run_trial_of_server"


class TooManyTrialsError(Exception):
    """The user has started too many trials; the message says so."""


def store_and_enqueue_trial_below_limit(
    team: Team,
    user: User,
    registration_fields: Mapping[str, Any],
    article_or_none_for_sample: Article | None,
    server: Server | None = None,
    sealed_credentials: bytes = b"",
) -> Trial:
    """Create a trial and enqueue it. TooManyTrialsError if the user started too many in the last hour.

    registration_fields is the data of the registration form; article_or_none_for_sample None stands for the first
    built-in sample. sealed_credentials are those of a server that is not registered; they are deleted with the end of
    the trial.
    """
    recent = Trial.objects.filter(by=user.pk, started__gt=Now() - HOUR).count()
    if recent >= TRIALS_PER_HOUR:
        raise TooManyTrialsError(f"You have started {recent} trials in the last hour. Try again later.")
    with transaction.atomic():
        trial = Trial.objects.create(
            team=team,
            by_id=get_logged_in_user_id(user),
            fields=dict(registration_fields),
            article=article_or_none_for_sample,
            server=server,
            credentials=sealed_credentials,
        )
        transaction.on_commit(lambda: current_app.send_task(TRIAL_TASK, [trial.pk]), robust=True)
    return trial


def delete_credentials_of_lost_trials() -> int:
    """Delete the credentials of trials that should have ended long ago, as their worker was lost; returns how many."""
    oldest = timedelta(seconds=LONGEST_TRIAL + TRIAL_MARGIN)
    lost = Trial.objects.filter(finished__isnull=True, started__lt=Now() - oldest).exclude(credentials=b"")
    return lost.update(credentials=b"")


def run_open_trial_and_store_report(trial_id: int) -> None:
    """Send the trial's article to the server and store the check's report; does nothing if the trial has ended."""
    related = Trial.objects.select_related("article", "server__call_credentials", "server__signing_secret")
    trial = related.filter(pk=trial_id, finished__isnull=True).first()
    if trial is None:
        return
    check = _check_server_of_trial(trial)
    Trial.objects.filter(pk=trial_id).update(
        finished=Now(),
        credentials=b"",
        report=_build_trial_report(check),
        request=check.request,
        answer=check.received,
        callback=_cut_to_kept_bytes("callback"),
        batch_callback=_cut_to_kept_bytes("batch_callback"),
    )


def _cut_to_kept_bytes(column: str) -> Func:
    return Func(column, 1, KEPT_BYTES, function="substr", output_field=BinaryField())


def _build_trial_report(check: ServerCheck) -> dict[str, Any]:
    """The data of the check, with the number of identifiers of each database that cannot be checked here. 1 query."""
    report = build_check_data(check)
    entities = set(iter_answer_entities(check.valid_annotations))
    unchecked = Counter(entity.database for entity in find_unchecked_entities(entities))
    distinct = Counter(entity.database for entity in entities)
    for namespace in cast(list[dict[str, Any]], report["namespaces"]):
        database = namespace["database"]
        namespace |= {"distinct": distinct[database], "unchecked": unchecked[database]}
    return report


def _check_server_of_trial(trial: Trial) -> ServerCheck:
    sample = build_unblinded_trial_sample_or_default(trial.article)
    try:
        target = _build_trial_target(trial, len(sample.text))
    except CallError as error:
        check = ServerCheck(sample)
        check.note_failure(error)
        return check
    return check_server_noting_failure(target, sample, trial.reference, trial.reference + 1)


def _build_trial_target(trial: Trial, character_count: int) -> CheckTarget:
    """How to call the server of a trial with a text of this length, with its time limit cut to LONGEST_TRIAL.

    CallError if the server has credentials for another host.
    """
    fields = {name: trial.fields[name] for name in CALL_FIELDS}
    rate = trial.fields.get("seconds_per_1000_characters")
    limit = compute_text_time_limit_seconds(float(fields.pop("time_limit")), rate, character_count)
    kinds = tuple(Kind(kind) for kind in fields.pop("kinds"))
    parameters = fields.pop("custom_parameters")
    return CheckTarget(
        **fields,
        kinds=kinds,
        entity_types=tuple(trial.fields.get("entity_types", ())),
        articles_per_request=trial.fields.get("articles_per_request", 1),
        parameters=parameters,
        time_limit=min(limit, LONGEST_TRIAL),
        connect_limit=trial.fields.get("connect_limit"),
        networks=tuple(settings.ALLOWED_NETWORKS),
        key=trial.server.secret_key if trial.server else "",
        wait_for_callback=partial(wait_for_trial_callback, trial.pk),
        secret_headers=_open_trial_headers(trial),
        signing_secret=open_signing_secret(trial.server) if trial.server else "",
    )


def _open_trial_headers(trial: Trial) -> Mapping[str, str]:
    """The header that authenticates the trial's call: that of its server, or the one entered for the trial."""
    if trial.server is not None:
        return open_secret_headers_for_url(trial.server, trial.fields["url"])
    sealed = bytes(trial.credentials)
    return open_sealed_header_for_url(sealed, trial.fields["url"]) if sealed else {}
