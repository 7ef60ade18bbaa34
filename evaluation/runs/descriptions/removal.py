"""Organizers remove the description of a run, which readers of the leaderboard see."""

from django.db import transaction

from evaluation.runs.descriptions.description import DESCRIPTION_FIELDS, get_description_of_run
from evaluation.runs.models import Run
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


@transaction.atomic
def remove_description(run: Run) -> None:
    """Nothing happens if there is none. The team reads in its audit trail what was removed, and by whom."""
    before = {name: getattr(run, name) for name in DESCRIPTION_FIELDS if getattr(run, name)}
    if get_description_of_run(run):
        Run.objects.filter(pk=run.pk).update(**dict.fromkeys(DESCRIPTION_FIELDS, ""))
        record_audit_event(
            AuditAction.RUN_DESCRIPTION_REMOVED,
            run,
            before=before,
            team=run.team,
            challenge_id=run.phase.challenge_id,
        )
