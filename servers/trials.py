"""Try a server before it is registered, or again later: one sample article is sent now, and its answer is judged.

A server that calls back does so while the trial lasts. Before it is registered it has no key, so any will do: the
communication id is the secret.
"""

import hmac
import time
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import BinaryField, Func
from django.db.models.functions import Now

from annotations.kinds import Kind
from annotations.models import Article
from bcms.lib.exchanges import KEPT_BYTES
from servers import callbacks
from servers.kit.checking import Target, check
from servers.kit.report import data_of
from servers.kit.samples import SAMPLES, Sample
from servers.models import FIRST_REFERENCE, Server, Team, Trial

# A trial is looked at while it runs; whoever has a slower server tries it in its queue.
LONGEST = 60.0
# What a worker may need besides; a trial that is older without an answer has lost its worker.
MARGIN = 30.0
PER_HOUR = 60
HOUR = timedelta(hours=1)
# What of a registration is asked with.
ASKED_WITH = ("url", "protocol", "method", "send", "kinds", "time_limit", "custom_parameters")
# Seconds between two looks for a call-back.
LOOK_AGAIN = 0.2
TRY = "servers.tasks.try_server"


class TooManyTrialsError(Exception):
    """One sentence for the person who tries."""


def begin(
    team: Team, by: Any, fields: Mapping[str, Any], article: Article | None, server: Server | None = None
) -> Trial:
    """A trial that a worker carries out at once. TooManyTrialsError when this person tried too often."""
    recent = Trial.objects.filter(by=by, started__gt=Now() - HOUR).count()
    if recent >= PER_HOUR:
        raise TooManyTrialsError(f"You have tried servers {recent} times in the last hour; wait a while.")
    with transaction.atomic():
        trial = Trial.objects.create(team=team, by=by, fields=dict(fields), article=article, server=server)
        transaction.on_commit(lambda: current_app.send_task(TRY, [trial.pk]), robust=True)
    return trial


def carry_out(trial_id: int) -> None:
    """Ask for the trial's article and keep what came of it; a trial that has ended is left as it is."""
    trial = Trial.objects.select_related("article", "server").filter(pk=trial_id, finished__isnull=True).first()
    if trial is None:
        return
    found = check(target_of(trial), sample_of(trial.article), trial.reference)
    Trial.objects.filter(pk=trial_id).update(
        finished=Now(),
        report=data_of(found),
        request=found.request,
        answer=found.received,
        callback=Func("callback", 1, KEPT_BYTES, function="substr", output_field=BinaryField()),
    )


def target_of(trial: Trial) -> Target:
    asked = {name: trial.fields[name] for name in ASKED_WITH}
    limit = min(float(asked.pop("time_limit")), LONGEST)
    kinds = tuple(Kind(kind) for kind in asked.pop("kinds"))
    parameters = asked.pop("custom_parameters")
    return Target(
        **asked,
        kinds=kinds,
        parameters=parameters,
        time_limit=limit,
        networks=tuple(settings.ALLOWED_NETWORKS),
        key=trial.server.secret_key if trial.server else "",
        wait_for_callback=partial(wait_for_callback, trial.pk),
    )


def wait_for_callback(trial_id: int, _: int, seconds: float) -> tuple[str, bytes] | None:
    """The form and body that the server called back with; None when nothing comes in time."""
    until = time.monotonic() + seconds
    came = Trial.objects.filter(pk=trial_id).exclude(callback_form="").values_list("callback_form", "callback")
    while (brought := came.first()) is None and time.monotonic() < until:
        time.sleep(LOOK_AGAIN)
    return None if brought is None else (brought[0], bytes(brought[1]))


def trial_of(reference: str, key: str) -> Trial | None:
    """The trial of a communication id, if the key is its server's."""
    number = callbacks.number_of(reference)
    if number < FIRST_REFERENCE:
        return None
    trials = Trial.objects.select_related("server", "article").defer("request", "answer", "callback")
    trial = trials.filter(reference=number).order_by("-pk").first()
    if trial is None or trial.server is None:
        return trial
    return trial if hmac.compare_digest(trial.server.api_key.encode(), key.encode()) else None


def accept(trial: Trial, form: str, body: bytes) -> int:
    """Keep the first call-back that comes, whatever is wrong with it, as the trial shows it; how many annotations.

    CallbackRefusedError when it comes twice or too late, or with all that is wrong with its form.
    """
    waiting = Trial.objects.filter(pk=trial.pk, finished__isnull=True, callback_form="")
    if not waiting.update(callback_form=form, callback=body):
        if trial.finished and not trial.callback_form:
            raise callbacks.too_late()
        raise callbacks.closed()
    return callbacks.check_form(sample_of(trial.article).identifier, form, body)


def sample_of(article: Article | None) -> Sample:
    """The article to send; the first sample when there is none in the database yet."""
    if article is None:
        return SAMPLES[0]
    return Sample(str(article.pmid or article.opaque), article.title, article.abstract, article.pmid)
