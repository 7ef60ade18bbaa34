"""What confidences are worth, by what training phases taught of the servers that gave them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.db.models import QuerySet

from annotations.consensus_rules import Cut
from annotations.kinds import Kind
from bcms.said import Said, Stated
from bcms.visibility import User, calibrations_seen_by
from evaluation.analyses.calibration import Knots
from evaluation.models import Calibration

Key = tuple[str, Kind]


def curves_seen_by(user: User, servers: Iterable[str]) -> dict[Key, Knots]:
    """The newest curve of each server (by its id) and kind that the user may see: 1 query."""
    rows = of_servers(user, servers).exclude(way=Calibration.Way.NONE)
    found = rows.values_list("run__producer__queue__server__slug", "run__task__kind", "knots")
    return {(slug, Kind(kind)): Knots(knots) for slug, kind, knots in found}


def cuts_seen_by(user: User, servers: Iterable[str]) -> dict[Key, Cut]:
    """The newest FAP cut-off of each server (by its id) and kind that the user may see: 1 query."""
    rows = of_servers(user, servers).exclude(cut_by="")
    found = rows.values_list("run__producer__queue__server__slug", "run__task__kind", "cut_by", "cut_value")
    return {
        (slug, Kind(kind)): Cut("rank" if by == Calibration.CutBy.RANK else "confidence", value)
        for slug, kind, by, value in found
        if value is not None
    }


def of_servers(user: User, servers: Iterable[str]) -> QuerySet[Calibration]:
    """Of several training phases the latest comes last, so that a mapping keeps it."""
    slugs = set(servers) - {""}
    return calibrations_seen_by(user).filter(run__producer__queue__server__slug__in=slugs).order_by("run")


def with_calibrated(said: Sequence[Said], user: User) -> list[Said]:
    """What is said, with calibrated confidences where the user may see a curve: 1 query."""
    curves = curves_seen_by(user, (each.server for each in said))
    return [replace(each, stated=calibrated(each, curves)) for each in said]


def calibrated(said: Said, curves: Mapping[Key, Knots]) -> Sequence[Stated]:
    curve = curves.get((said.server, said.result.kind))
    if curve is None:
        return said.stated
    return [
        replace(each, calibrated=curve.at(sure)) if (sure := each.finding.confidence) is not None else each
        for each in said.stated
    ]
