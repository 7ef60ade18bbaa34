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
from annotations.results.models import Producer
from annotations.results.producers import publish_producers
from evaluation.calibration.models import Calibration
from evaluation.calibration.page_updates import mark_calibrated_producers_renewed
from evaluation.challenges.models import Phase
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import SealError
from evaluation.gold.models import GoldStandard
from evaluation.gold.unsealing import unseal_gold
from evaluation.runs.visibility import disclose_due_runs

log = logging.getLogger(__name__)


def publish_requested() -> int:
    """Publish everything that was requested. How many phases and tasks were published."""
    requested = Q(publish_asked__isnull=False) | Q(phase__publish_asked__isnull=False)
    sealed = GoldStandard.objects.filter(requested, producer__isnull=True).select_related("task", "phase__corpus")
    for gold in sealed:
        unseal_or_record_fault(gold)
    stored = GoldStandard.objects.filter(publish_asked__isnull=False, published__isnull=True, producer__isnull=False)
    done = sum(disclose_task(gold, gold.publish_asked or timezone.now()) for gold in stored)
    return done + sum(
        map(disclose_phase_if_unsealed, Phase.objects.filter(publish_asked__isnull=False, published__isnull=True))
    )


def unseal_or_record_fault(gold: GoldStandard) -> None:
    """Open a sealed gold standard, or cancel the requests of its phase and record why it cannot be opened."""
    try:
        unseal_gold(gold)
    except SealError as error:
        log.error("The gold standard %s could not be opened: %s", gold.pk, error)
        cancel_publication_requests(gold, str(error))


@transaction.atomic
def cancel_publication_requests(gold: GoldStandard, fault: str) -> None:
    """Cancel the requests for a phase and its tasks; fault: the reason, for the organizers' page."""
    Phase.objects.filter(pk=gold.phase_id).update(publish_asked=None, publish_fault=fault[:500])
    GoldStandard.objects.filter(phase=gold.phase_id).update(publish_asked=None)


def disclose_phase_if_unsealed(phase: Phase) -> bool:
    """Disclose a phase; False if one of its gold standards is still sealed or it is published."""
    if phase.golds.filter(producer__isnull=True).exists():
        return False
    return disclose_phase(phase, timezone.now())


@transaction.atomic
def disclose_task(gold: GoldStandard, now: datetime) -> bool:
    """Show everybody the leaderboard and gold standard of a task in a phase. False if it was published before."""
    if not GoldStandard.objects.filter(pk=gold.pk, published__isnull=True).update(published=now):
        return False
    publish_producers(Producer.objects.filter(gold=gold))
    mark_calibrated_producers_renewed(Calibration.objects.filter(gold=gold))
    return True


def unblind_corpus(corpus: Corpus) -> None:
    """Name the articles of a blind corpus by PMID from now on, and have every run of its phases scored again.

    Samples are drawn in the order of the names, so the old figures could not be reproduced from the files, and runs
    scored before and after could not be compared.
    """
    if Corpus.objects.filter(pk=corpus.pk, blind=True).update(blind=False):
        Phase.objects.filter(corpus=corpus).update(revision=F("revision") + 1)


@transaction.atomic
def disclose_phase(phase: Phase, now: datetime | None = None) -> bool:
    """Show everybody the leaderboards, gold standards and articles of a phase, and its runs if its teams are named.

    False if it was published before.
    """
    now = now or timezone.now()
    if not Phase.objects.filter(pk=phase.pk, published__isnull=True).update(published=now):
        return False
    phase.refresh_from_db()
    disclose_due_runs(Phase.objects.filter(pk=phase.pk), now)
    publish_producers(Producer.objects.filter(pk__in=phase.golds.values("producer")))
    phase.golds.filter(published__isnull=True).update(published=phase.published)
    if not Phase.objects.filter(corpus=phase.corpus, published__isnull=True).exists():
        unblind_corpus(phase.corpus)
    record_phase_event(phase, PhaseEventType.PUBLISHED)
    lifecycle.update_queue_holds(phase)
    return True
