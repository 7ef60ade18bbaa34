"""Confidences calibrated with the curves that training phases gave for their servers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from annotations.results.consensus.methods import ListCutoff
from annotations.schema import Kind
from bcms.article_annotations.current_annotations import ProducerAnnotations, ResolvedAnnotation
from evaluation.analyses.calibration_curves import CalibrationKnots
from evaluation.calibration.models import Calibration
from evaluation.visibility import list_visible_calibrations_on_articles
from servers.teams.permissions import User

CurveKey = tuple[str, Kind]


@dataclass(frozen=True, slots=True)
class LearnedCalibrations:
    """The newest visible calibration curve and FAP cut-off, by slug of the server and kind."""

    curves: Mapping[CurveKey, CalibrationKnots]
    cuts: Mapping[CurveKey, ListCutoff]


def load_newest_visible_calibrations(user: User, server_slugs: Iterable[str]) -> LearnedCalibrations:
    """The calibrations of these servers (by slug) that the user may see: 1 query."""
    key_fields = ("run__producer__queue__server__slug", "run__task__kind")
    rows = list(
        list_visible_server_calibrations(user, server_slugs).values_list(
            *key_fields, "way", "knots", "cut_by", "cut_value"
        )
    )
    curves = {
        (slug, Kind(kind)): CalibrationKnots(knots)
        for slug, kind, fit_method, knots, *_ in rows
        if fit_method != Calibration.FitMethod.NONE
    }
    cuts = {
        (slug, Kind(kind)): ListCutoff("rank" if criterion == Calibration.CutCriterion.RANK else "confidence", value)
        for slug, kind, _, _, criterion, value in rows
        if criterion and value is not None
    }
    return LearnedCalibrations(curves, cuts)


def list_visible_server_calibrations(user: User, server_slugs: Iterable[str]) -> QuerySet[Calibration]:
    """The visible calibrations of these servers (by slug); the latest phase comes last, so that a mapping keeps it."""
    slugs = set(server_slugs) - {""}
    return (
        list_visible_calibrations_on_articles(user).filter(run__producer__queue__server__slug__in=slugs).order_by("run")
    )


def add_calibrated_confidences(results: Sequence[ProducerAnnotations], user: User) -> list[ProducerAnnotations]:
    """The same results, with calibrated confidences where the user may see a curve: 1 query."""
    curves = load_newest_visible_calibrations(user, (result.server for result in results)).curves
    return [replace(result, resolved_annotations=_calibrate_annotations(result, curves)) for result in results]


def _calibrate_annotations(
    result: ProducerAnnotations, curves: Mapping[CurveKey, CalibrationKnots]
) -> Sequence[ResolvedAnnotation]:
    curve = curves.get((result.server, result.result.kind))
    if curve is None:
        return result.resolved_annotations
    return [
        resolved
        if (confidence := resolved.annotation.confidence) is None
        else resolved._replace(calibrated=curve.calibrate(confidence))
        for resolved in result.resolved_annotations
    ]
