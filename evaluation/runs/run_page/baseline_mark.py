"""Mark a run as a baseline: it stays on its leaderboard, but has no rank and is in no test."""

from django.db import transaction

from evaluation.challenges.phases.checks import check_phase_publication_not_begun
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from evaluation.runs.uploads.intake import SCORE_RUNS_TASK, enqueue_celery_task_on_commit
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


@transaction.atomic
def set_baseline_mark_until_publication(run: Run, *, is_baseline: bool) -> None:
    """Mark a run as a baseline, or remove the mark.

    ChallengeError for a withdrawn or imported run, for a baseline that the site made, and once a part of the phase is
    published, as published leaderboards and archives keep what they showed.
    """
    if run.sort == Run.Source.BASELINE:
        raise ChallengeError(f"{run} was made by the site as a baseline and stays one.")
    if run.sort == Run.Source.IMPORTED:
        raise ChallengeError(f"{run} was imported with the challenge and has no rank in any case.")
    check_phase_publication_not_begun(run.phase, "change which runs are baselines")
    unwithdrawn = Run.objects.filter(pk=run.pk, withdrawn__isnull=True)
    if unwithdrawn.filter(baseline=not is_baseline).update(baseline=is_baseline):
        action = AuditAction.RUN_MARKED_AS_BASELINE if is_baseline else AuditAction.RUN_UNMARKED_AS_BASELINE
        subject = f"{run}, {run.task.name}, {run.phase}"
        before, after = {"baseline": not is_baseline}, {"baseline": is_baseline}
        record_audit_event(action, subject, before=before, after=after, challenge_id=run.phase.challenge_id)
        enqueue_celery_task_on_commit(SCORE_RUNS_TASK)
    elif not unwithdrawn.exists():
        raise ChallengeError(f"{run} is withdrawn, so it is on no leaderboard.")
