"""Publish a phase or a task, or request it from the scoring worker if gold standards are sealed."""

from datetime import datetime

from celery import current_app
from django.db import transaction
from django.utils import timezone

from evaluation.challenges.models import Phase
from evaluation.challenges.phases.checks import check_ended_if_test_phase
from evaluation.challenges.publication.publishing import (
    publish_phase_with_articles_and_due_runs,
    publish_task_gold_and_leaderboard,
)
from evaluation.challenges.states.rules import check_challenge_not_draft
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.sealing import compute_key_fingerprint, read_seal_fingerprint
from evaluation.gold.storage import get_site_public_key

# By name, as evaluation/tasks.py imports this module.
PUBLISH_PHASES_TASK = "evaluation.tasks.publish_requested_phases_and_tasks_unless_busy"


@transaction.atomic
def publish_phase_or_request_if_sealed(phase: Phase, now: datetime | None = None) -> bool:
    """Publish a phase, or request it if gold standards are sealed. False if that was done before.

    ChallengeError for a test that has not ended, and for a gold standard that was sealed with the key of another site.
    """
    check_may_publish(phase)
    sealed = list(phase.golds.filter(producer__isnull=True).select_related("task"))
    if not sealed:
        return publish_phase_with_articles_and_due_runs(phase, now)
    _check_sealed_with_site_key(sealed)
    rows = Phase.objects.filter(pk=phase.pk, published__isnull=True, publish_asked__isnull=True)
    requested = rows.update(publish_asked=now or timezone.now(), publish_fault="")
    _enqueue_publication()
    return bool(requested)


def check_may_publish(phase: Phase) -> None:
    """ChallengeError for a draft, and for a test that has not ended."""
    check_challenge_not_draft(phase.challenge, "publish anything of it")
    check_ended_if_test_phase(phase, timezone.now())


def _check_sealed_with_site_key(sealed: list[GoldStandard]) -> None:
    """ChallengeError for a gold standard that was sealed with another key, as the scoring worker could not open it."""
    site_key = compute_key_fingerprint(get_site_public_key())
    for gold in sealed:
        key = read_seal_fingerprint(bytes(gold.sealed or b""))
        if key != site_key:
            raise ChallengeError(
                f"The gold standard of {gold.task} was sealed with the key {key}, but the key of the site is "
                f"{site_key}. Ask the administrator for the matching key, or upload the gold standard again."
            )


def _enqueue_publication() -> None:
    transaction.on_commit(lambda: current_app.send_task(PUBLISH_PHASES_TASK), robust=True)


@transaction.atomic
def publish_task_or_request_if_sealed(gold: GoldStandard, now: datetime | None = None) -> bool:
    """Publish the leaderboard and gold standard of one task, or request it if the gold standard is sealed.

    False if that was done before. Runs and articles are published with the phase. ChallengeError as for a phase.
    """
    check_may_publish(gold.phase)
    if gold.producer_id is not None:
        return publish_task_gold_and_leaderboard(gold, now or timezone.now())
    _check_sealed_with_site_key([gold])
    Phase.objects.filter(pk=gold.phase_id).update(publish_fault="")
    rows = GoldStandard.objects.filter(pk=gold.pk, published__isnull=True, publish_asked__isnull=True)
    requested = rows.update(publish_asked=now or timezone.now())
    _enqueue_publication()
    return bool(requested)
