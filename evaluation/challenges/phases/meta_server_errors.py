"""One mail to the organizers for each server in a test whose calls failed because of an error of the meta-server.

Such a call counts as no try and is repeated once, so a server that knows how to provoke the error would gain time.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.template.loader import render_to_string

from evaluation.challenges.models import Phase
from evaluation.challenges.organizers.mail import mail_organizers
from evaluation.runs.models import Run
from servers.calls.models import Attempt
from servers.calls.states import Outcome
from servers.notifications.site_links import build_site_url


def mail_organizers_once_per_failing_server(now: datetime) -> int:
    """Mail the organizers of tests about such errors, once for each server. Returns the number of mails."""
    return sum(_mail_organizers_unless_mailed(run, now) for run in _list_unmailed_runs_with_errors())


def _list_unmailed_runs_with_errors() -> QuerySet[Run]:
    """Online runs in tests, one for each server, with a call that failed because of an error of the meta-server."""
    errors = Attempt.objects.filter(call__queue__producer=OuterRef("producer"), outcome=Outcome.OUR_FAULT)
    runs = Run.objects.filter(
        Exists(errors),
        sort=Run.Source.ONLINE,
        phase__sort=Phase.Type.TEST,
        phase__published__isnull=True,
        errors_mailed__isnull=True,
    )
    return (
        runs.select_related("phase__challenge", "team")
        .order_by("phase", "producer", "pk")
        .distinct("phase", "producer")
    )


@transaction.atomic
def _mail_organizers_unless_mailed(run: Run, now: datetime) -> int:
    """Mark the runs of the server in the phase and write the mails, unless another worker did. Returns their number."""
    unmailed = Run.objects.filter(phase=run.phase, producer=run.producer_id, errors_mailed__isnull=True)
    if not unmailed.update(errors_mailed=now):
        return 0
    challenge = run.phase.challenge
    context = {"run": run, "phase": run.phase, "link": build_site_url("phase-matrix", challenge.slug, run.phase.sort)}
    body = render_to_string("evaluation/email/meta_server_errors.txt", context)
    subject = f"[BCMS] {challenge}: calls of {run.name} failed because of the meta-server"
    return mail_organizers(challenge, subject, body)
