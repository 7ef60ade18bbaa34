"""Disclose phases and tasks to everybody, for the scoring worker, which can open sealed gold standards.

Requests come from evaluation/challenges/publication/publication_requests.py. If a gold standard cannot be opened, the
phase keeps the reason as publish_fault.
"""

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.articles.snapshot_release import (
    move_late_results_of_merged_snapshots,
    release_snapshots_unless_in_blind_corpus,
)
from annotations.results.models import Producer
from evaluation.calibration.models import Calibration
from evaluation.calibration.page_updates import mark_producers_to_reload_calibration_pages
from evaluation.challenges.models import Phase
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import SealError
from evaluation.gold.alternatives import replace_articles_of_open_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.gold.unsealing import decrypt_and_store_gold_openly
from evaluation.runs.disclosure import publish_challenge_producers, publish_runs_of_published_phases_naming_teams
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.registry.models import Server

log = logging.getLogger(__name__)


def unseal_and_publish_requested_phases_and_tasks() -> int:
    """Publish everything that was requested. How many phases and tasks were published."""
    move_late_results_of_merged_snapshots()
    requested = Q(publish_asked__isnull=False) | Q(phase__publish_asked__isnull=False)
    sealed = GoldStandard.objects.filter(requested, producer__isnull=True).select_related("task", "phase__corpus")
    for gold in sealed:
        _unseal_or_record_fault(gold)
    stored = GoldStandard.objects.filter(publish_asked__isnull=False, published__isnull=True, producer__isnull=False)
    done = sum(publish_task_gold_and_leaderboard(gold, gold.publish_asked or timezone.now()) for gold in stored)
    return done + sum(
        map(_disclose_phase_if_unsealed, Phase.objects.filter(publish_asked__isnull=False, published__isnull=True))
    )


def _unseal_or_record_fault(gold: GoldStandard) -> None:
    """Open a sealed gold standard, or cancel the requests of its phase and record why it cannot be opened."""
    try:
        decrypt_and_store_gold_openly(gold)
    except SealError as error:
        log.error("The gold standard %s could not be opened: %s", gold.pk, error)
        _cancel_publication_requests(gold, str(error))


@transaction.atomic
def _cancel_publication_requests(gold: GoldStandard, fault: str) -> None:
    """Cancel the requests for a phase and its tasks; fault: the reason, for the organizers' page."""
    Phase.objects.filter(pk=gold.phase_id).update(publish_asked=None, publish_fault=fault[:500])
    GoldStandard.objects.filter(phase=gold.phase_id).update(publish_asked=None)


def _disclose_phase_if_unsealed(phase: Phase) -> bool:
    """Disclose a phase; False if one of its gold standards is still sealed or it is published."""
    if phase.golds.filter(producer__isnull=True).exists():
        return False
    return publish_phase_with_articles_and_due_runs(phase, timezone.now())


@transaction.atomic
def publish_task_gold_and_leaderboard(gold: GoldStandard, now: datetime) -> bool:
    """Show everybody the leaderboard and gold standard of a task in a phase. False if it was published before."""
    if not GoldStandard.objects.filter(pk=gold.pk, published__isnull=True).update(published=now):
        return False
    subject = f"{gold.task} of {gold.phase}"
    record_audit_event(AuditAction.GOLD_PUBLISHED, subject, challenge_id=gold.phase.challenge_id)
    publish_challenge_producers(Producer.objects.filter(gold=gold))
    mark_producers_to_reload_calibration_pages(Calibration.objects.filter(gold=gold))
    return True


def _unblind_corpus(corpus: Corpus) -> None:
    """Release the articles of a blind corpus under their PMIDs, and have every run of its phases scored again.

    Samples are drawn in the order of the names, so the old figures could not be reproduced from the files, and runs
    scored before and after could not be compared.
    """
    if Corpus.objects.filter(pk=corpus.pk, blind=True).update(blind=False):
        Phase.objects.filter(corpus=corpus).update(revision=F("revision") + 1)
        merged = release_snapshots_unless_in_blind_corpus(corpus)
        replace_articles_of_open_alternatives(GoldStandard.objects.filter(phase__corpus=corpus), merged)


@transaction.atomic
def publish_phase_with_articles_and_due_runs(phase: Phase, now: datetime | None = None) -> bool:
    """Show everybody the leaderboards, gold standards and articles of a phase, and its runs if its teams are named.

    False if it was published before.
    """
    now = now or timezone.now()
    if not Phase.objects.filter(pk=phase.pk, published__isnull=True).update(published=now):
        return False
    phase.refresh_from_db()
    # Its servers may still store answers; they lock their server, then the article, as this does.
    servers = Server.objects.filter(queues__producer__runs__phase__corpus=phase.corpus_id)
    lock_servers_and_read_field(Server.objects.filter(pk__in=servers.values("pk")), "state")
    publish_runs_of_published_phases_naming_teams(Phase.objects.filter(pk=phase.pk), now)
    publish_challenge_producers(Producer.objects.filter(pk__in=phase.golds.values("producer")))
    phase.golds.filter(published__isnull=True).update(published=phase.published)
    if not Phase.objects.filter(corpus=phase.corpus, published__isnull=True).exists():
        _unblind_corpus(phase.corpus)
    record_phase_event(phase, PhaseEventType.PUBLISHED)
    lifecycle.hold_or_release_phase_and_live_queues(phase)
    return True
