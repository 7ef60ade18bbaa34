"""Learn from training phases, and notice when there is more to learn."""

from datetime import datetime

from django.db import transaction
from django.db.models import CharField, Count, F, Max, OuterRef, Subquery, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.kinds import Kind
from evaluation.analyses.calibration import knots_of
from evaluation.articles import articles_of
from evaluation.calibrations.learning import Learned, learn
from evaluation.calibrations.models import Calibration
from evaluation.calibrations.telling import tell_pages
from evaluation.models import GoldStandard, Phase, Run
from evaluation.plotting.reliability import Reliability
from evaluation.scoring import answers_of, current

DIGITS = 6


def fit(run: Run, now: datetime | None = None) -> Calibration:
    """Learn from what is stored now of a run in training, and store it in the place of what was learned before.

    GoldStandard.DoesNotExist when the phase has no gold standard of the task, which stale() leaves out.
    """
    gold = GoldStandard.objects.get(task=run.task_id, phase=run.phase_id, producer__isnull=False)
    kind = Kind(run.task.kind)
    right, said = answers_of(gold.producer_id or 0, kind), answers_of(run.producer_id, kind)
    learned = learn(kind, articles_of(run.phase), right.findings, said.findings)
    with transaction.atomic():
        calibration, _ = Calibration.objects.update_or_create(
            run=run,
            defaults={
                "gold": gold,
                "checksum": gold.checksum,
                "seen": seen(said.state, gold.checksum, run.phase.revision),
                "fitted": now or timezone.now(),
                **fields_of(learned),
            },
        )
        tell_pages(Calibration.objects.filter(pk=calibration.pk))
    return calibration


def fields_of(learned: Learned) -> dict[str, object]:
    curve, cutoff = learned.fitted, learned.cutoff
    return {
        "way": curve.way,
        "why_none": curve.why_none,
        "knots": [[round(number, DIGITS) for number in knot] for knot in knots_of(curve.curve)],
        "number": curve.number,
        "right": curve.right,
        "brier": curve.raw and curve.raw.brier,
        "log_loss": curve.raw and curve.raw.log_loss,
        "brier_fitted": curve.by_curve and curve.by_curve.brier,
        "log_loss_fitted": curve.by_curve and curve.by_curve.log_loss,
        "tenths": tenths(learned.raw),
        "tenths_fitted": tenths(learned.held_out) if curve.curve else [],
        "cut_by": cutoff.by if cutoff else "",
        "cut_value": cutoff.value if cutoff else None,
        "cut_fap": cutoff.fap if cutoff else None,
    }


def tenths(own: Reliability) -> list[list[float]]:
    return [list(row) for row in zip(own.number.tolist(), own.mean.tolist(), own.right.tolist(), strict=True)]


def seen(state: str, checksum: str, revision: int) -> str:
    """What was learned from: how many Results, the latest of them, the gold standard and which articles count."""
    return f"{state}:{checksum[:16]}:{revision}"


def stale() -> list[Run]:
    """Servers' runs in training with a gold standard and answers, of which nothing or not the latest was learned: 1
    query. Test and development phases teach nothing."""
    state = (
        current(OuterRef("producer"), OuterRef("task__kind"))
        .values("producer")
        .annotate(state=Concat(Cast(Count("pk"), CharField()), Value(":"), Cast(Max("pk"), CharField())))
        .values("state")
    )
    golds = GoldStandard.objects.filter(task=OuterRef("task"), phase=OuterRef("phase"), producer__isnull=False)
    runs = Run.objects.filter(phase__sort=Phase.Sort.TRAINING, sort=Run.Sort.ONLINE, withdrawn__isnull=True)
    rows = runs.select_related("task", "phase__corpus").annotate(
        state=Subquery(state), checksum=Subquery(golds.values("checksum")), last=F("calibration__seen")
    )
    candidates = rows.filter(state__isnull=False, checksum__isnull=False).order_by("pk")
    return [run for run in candidates if run.last != seen(run.state, run.checksum, run.phase.revision)]
