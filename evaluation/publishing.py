"""Publish what was asked for: phases (evaluation/challenges.py) and single tasks of them.

Gold standards of a test are sealed, and only the scoring worker can open them: what is asked for it does within
seconds, or says in one sentence why it could not.
"""

import logging
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotations.models import Producer
from annotations.storing import open_to_all
from evaluation import phases
from evaluation.calibrations.telling import tell_pages
from evaluation.challenges import disclose, refuse_other_keys, wake_publisher
from evaluation.gold import unseal
from evaluation.models import Calibration, GoldStandard, Phase
from evaluation.sealing import SealError

log = logging.getLogger(__name__)


@transaction.atomic
def publish_task(gold: GoldStandard, now: datetime | None = None) -> bool:
    """As publish, of the leaderboard and the gold standard of one task; runs and articles open with the phase."""
    phases.refuse_unended(gold.phase, timezone.now())
    if gold.producer_id is not None:
        return open_task(gold, now or timezone.now())
    refuse_other_keys([gold])
    Phase.objects.filter(pk=gold.phase_id).update(publish_fault="")
    rows = GoldStandard.objects.filter(pk=gold.pk, published__isnull=True, publish_asked__isnull=True)
    asked = rows.update(publish_asked=now or timezone.now())
    wake_publisher()
    return bool(asked)


def publish_asked() -> int:
    """For the scoring worker: publish what was asked for; how many phases and tasks it was."""
    asked = Q(publish_asked__isnull=False) | Q(phase__publish_asked__isnull=False)
    sealed = GoldStandard.objects.filter(asked, producer__isnull=True).select_related("task", "phase__corpus")
    for gold in sealed:
        open_or_tell(gold)
    stored = GoldStandard.objects.filter(publish_asked__isnull=False, published__isnull=True, producer__isnull=False)
    done = sum(open_task(gold, gold.publish_asked or timezone.now()) for gold in stored)
    return done + sum(map(open_phase, Phase.objects.filter(publish_asked__isnull=False, published__isnull=True)))


def open_or_tell(gold: GoldStandard) -> None:
    """Open a sealed gold standard, or leave on its phase why that cannot be."""
    try:
        unseal(gold)
    except SealError as error:
        log.error("The gold standard %s could not be opened: %s", gold.pk, error)
        take_back(gold, str(error))


@transaction.atomic
def take_back(gold: GoldStandard, fault: str) -> None:
    """Nothing is asked for any more, and the phase's page says why."""
    Phase.objects.filter(pk=gold.phase_id).update(publish_asked=None, publish_fault=fault[:500])
    GoldStandard.objects.filter(phase=gold.phase_id).update(publish_asked=None)


def open_phase(phase: Phase) -> bool:
    """When all of its gold standards are open."""
    if phase.golds.filter(producer__isnull=True).exists():
        return False
    return disclose(phase, timezone.now())


@transaction.atomic
def open_task(gold: GoldStandard, now: datetime) -> bool:
    if not GoldStandard.objects.filter(pk=gold.pk, published__isnull=True).update(published=now):
        return False
    open_to_all(Producer.objects.filter(gold=gold))
    tell_pages(Calibration.objects.filter(gold=gold))
    return True
