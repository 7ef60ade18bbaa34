"""Withdraw a run, or tag it as final."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from annotations.results.models import Producer
from annotations.results.producers import set_producers_public_or_hidden
from evaluation.calibration.models import Calibration
from evaluation.calibration.page_updates import mark_producers_to_reload_calibration_pages
from evaluation.challenges.phases.checks import check_phase_open
from evaluation.challenges.states.rules import check_challenge_listed
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from evaluation.runs.uploads.intake import SCORE_RUNS_TASK, enqueue_celery_task_on_commit


@transaction.atomic
def withdraw_and_hide_run_if_allowed(run: Run) -> None:
    """Withdraw a run: it is no longer scored or listed. Raises ChallengeError if the phase does not allow it."""
    check_challenge_listed(run.phase.challenge, "withdraw runs")
    if not run.phase.may_withdraw:
        raise ChallengeError("Runs cannot be withdrawn in this phase; ask an organizer.")
    if run.phase.frozen:
        raise ChallengeError("The phase is frozen; withdraw the run when the organizers unfreeze it.")
    if Run.objects.filter(pk=run.pk, withdrawn__isnull=True).update(withdrawn=Now(), final=False):
        producers = Producer.objects.filter(pk=run.producer_id, sort=Producer.Type.RUN)
        set_producers_public_or_hidden(producers, public=False)
        producers.update(published=False)
        mark_producers_to_reload_calibration_pages(Calibration.objects.filter(run=run))
        enqueue_celery_task_on_commit(SCORE_RUNS_TASK)


def set_run_final_in_open_phase(run: Run, *, is_final: bool) -> None:
    """Tag a run as final, or remove the tag. Raises ChallengeError if the phase is closed or the run is withdrawn."""
    check_phase_open(run.phase, timezone.now(), "tag runs")
    if not Run.objects.filter(pk=run.pk, withdrawn__isnull=True).update(final=is_final):
        raise ChallengeError(f"{run} is withdrawn; tag another run.")
