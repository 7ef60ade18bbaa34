"""Try a server before it is registered, or again later: one sample article is sent now, and its answer is judged."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from annotations.kinds import Kind
from annotations.models import Article
from servers.kit.checking import Target, check
from servers.kit.report import data_of
from servers.kit.samples import SAMPLES, Sample
from servers.models import Server, Team, Trial

# A trial is looked at while it runs; whoever has a slower server tries it in its queue.
LONGEST = 60.0
# What a worker may need besides; a trial that is older without an answer has lost its worker.
MARGIN = 30.0
PER_HOUR = 60
HOUR = timedelta(hours=1)
# What of a registration is asked with.
ASKED_WITH = ("url", "protocol", "method", "send", "kinds", "time_limit", "custom_parameters")
ACKNOWLEDGED = "The question was acknowledged. What is found comes later, by a call to us, and is not tried here."
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
    found = check(target_of(trial), sample_of(trial.article), trial.pk)
    if found.answer is not None and trial.fields["protocol"] == Server.Protocol.BECALM:
        found.answer.notes.append(ACKNOWLEDGED)
    Trial.objects.filter(pk=trial_id).update(
        finished=Now(),
        report=data_of(found),
        request=found.request,
        answer=found.received,
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
        wait_for_callback=lambda reference, seconds: ("json", b""),
    )


def sample_of(article: Article | None) -> Sample:
    """The article to send; the first sample when there is none in the database yet."""
    if article is None:
        return SAMPLES[0]
    return Sample(str(article.pmid or article.opaque), article.title, article.abstract, article.pmid)
