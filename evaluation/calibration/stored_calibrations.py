"""Calibrations of servers from their runs in training phases: learning, storing and finding those out of date."""

from datetime import datetime

from django.db import transaction
from django.db.models import CharField, Count, F, Max, OuterRef, Subquery, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.schema import Kind
from evaluation.analyses.calibration_curves import list_curve_knots
from evaluation.calibration.learning import LearnedCurveAndCutoff, learn_curve_and_cutoff
from evaluation.calibration.models import Calibration
from evaluation.calibration.page_updates import mark_producers_to_reload_calibration_pages
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase
from evaluation.gold.models import GoldStandard
from evaluation.plotting.reliability import Reliability
from evaluation.runs.models import Run
from evaluation.scoring.answers import filter_current_results, load_current_annotations

KNOT_DECIMALS = 6


def learn_and_store_run_calibration(run: Run, now: datetime | None = None) -> Calibration:
    """Learn from the stored annotations of a run in training, and replace its calibration.

    GoldStandard.DoesNotExist when the phase has no gold standard of the task; list_server_training_runs_to_calibrate
    leaves such runs out.
    """
    gold = GoldStandard.objects.get(task=run.task_id, phase=run.phase_id, producer__isnull=False)
    kind = Kind(run.task.kind)
    gold_annotations, run_annotations = (
        load_current_annotations(gold.producer_id or 0, kind),
        load_current_annotations(run.producer_id, kind),
    )
    learned = learn_curve_and_cutoff(
        kind, list_unexcluded_article_names(run.phase), gold_annotations.by_article, run_annotations.by_article
    )
    with transaction.atomic():
        calibration, _ = Calibration.objects.update_or_create(
            run=run,
            defaults={
                "gold": gold,
                "checksum": gold.checksum,
                "seen": compute_calibration_fingerprint(run_annotations.state, gold.checksum, run.phase.revision),
                "fitted": now or timezone.now(),
                **_build_calibration_fields(learned),
            },
        )
        mark_producers_to_reload_calibration_pages(Calibration.objects.filter(pk=calibration.pk))
    return calibration


def _build_calibration_fields(learned: LearnedCurveAndCutoff) -> dict[str, object]:
    curve, cutoff = learned.fitted, learned.cutoff
    return {
        "way": curve.method,
        "why_none": curve.why_none,
        "knots": [[round(number, KNOT_DECIMALS) for number in knot] for knot in list_curve_knots(curve.curve)],
        "number": curve.answer_count,
        "right": curve.correct_count,
        "brier": curve.raw_losses and curve.raw_losses.brier,
        "log_loss": curve.raw_losses and curve.raw_losses.log_loss,
        "brier_fitted": curve.held_out_losses and curve.held_out_losses.brier,
        "log_loss_fitted": curve.held_out_losses and curve.held_out_losses.log_loss,
        "tenths": _list_reliability_tenths(learned.raw),
        "tenths_fitted": _list_reliability_tenths(learned.held_out) if curve.curve else [],
        "cut_by": cutoff.criterion if cutoff else "",
        "cut_value": cutoff.value if cutoff else None,
        "cut_fap": cutoff.fap if cutoff else None,
    }


def _list_reliability_tenths(reliability: Reliability) -> list[list[float]]:
    return [
        list(row)
        for row in zip(
            reliability.result_counts.tolist(),
            reliability.mean_confidences.tolist(),
            reliability.correct_shares.tolist(),
            strict=True,
        )
    ]


def compute_calibration_fingerprint(results_state: str, gold_checksum: str, phase_revision: int) -> str:
    """The inputs of a calibration: state of the Results, checksum of the gold standard, revision of the phase."""
    return f"{results_state}:{gold_checksum[:16]}:{phase_revision}"


def list_server_training_runs_to_calibrate() -> list[Run]:
    """Servers' runs in training, with a gold standard and answers, whose calibration is missing or stale: 1 query.

    Test and development phases are not used for calibration, nor are tasks with settings.
    """
    state = (
        filter_current_results(OuterRef("producer"), OuterRef("task__kind"))
        .values("producer")
        .annotate(state=Concat(Cast(Count("pk"), CharField()), Value(":"), Cast(Max("pk"), CharField())))
        .values("state")
    )
    golds = GoldStandard.objects.filter(task=OuterRef("task"), phase=OuterRef("phase"), producer__isnull=False)
    runs = Run.objects.filter(
        phase__sort=Phase.Type.TRAINING,
        sort=Run.Source.ONLINE,
        withdrawn__isnull=True,
        task__settings__isnull=True,
    )
    rows = runs.select_related("task", "phase__corpus").annotate(
        state=Subquery(state), checksum=Subquery(golds.values("checksum")), last=F("calibration__seen")
    )
    candidates = rows.filter(state__isnull=False, checksum__isnull=False).order_by("pk")
    return [
        run
        for run in candidates
        if run.last != compute_calibration_fingerprint(run.state, run.checksum, run.phase.revision)
    ]
