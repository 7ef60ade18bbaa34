"""What confidences are worth, by what training phases taught of the servers that gave them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from annotations.consensus_rules import Cut
from annotations.kinds import Kind
from bcms.said import Said, Stated
from bcms.visibility import User, calibrations_seen_by
from evaluation.analyses.calibration import Knots
from evaluation.models import Calibration

Key = tuple[str, Kind]


@dataclass(frozen=True, slots=True)
class Learned:
    """The newest curve and FAP cut-off of each server (by its id) and kind that somebody may see, as far as there are
    any."""

    curves: Mapping[Key, Knots]
    cuts: Mapping[Key, Cut]


def learned_of(user: User, servers: Iterable[str]) -> Learned:
    """What the user may see of what was learned of these servers (by their ids): 1 query."""
    whose = ("run__producer__queue__server__slug", "run__task__kind")
    rows = list(of_servers(user, servers).values_list(*whose, "way", "knots", "cut_by", "cut_value"))
    curves = {(slug, Kind(kind)): Knots(knots) for slug, kind, way, knots, *_ in rows if way != Calibration.Way.NONE}
    cuts = {
        (slug, Kind(kind)): Cut("rank" if by == Calibration.CutBy.RANK else "confidence", value)
        for slug, kind, _, _, by, value in rows
        if by and value is not None
    }
    return Learned(curves, cuts)


def of_servers(user: User, servers: Iterable[str]) -> QuerySet[Calibration]:
    """Of several training phases the latest comes last, so that a mapping keeps it."""
    slugs = set(servers) - {""}
    return calibrations_seen_by(user).filter(run__producer__queue__server__slug__in=slugs).order_by("run")


def with_calibrated(said: Sequence[Said], user: User) -> list[Said]:
    """What is said, with calibrated confidences where the user may see a curve: 1 query."""
    curves = learned_of(user, (each.server for each in said)).curves
    return [replace(each, stated=calibrated(each, curves)) for each in said]


def calibrated(said: Said, curves: Mapping[Key, Knots]) -> Sequence[Stated]:
    curve = curves.get((said.server, said.result.kind))
    if curve is None:
        return said.stated
    return [
        replace(each, calibrated=curve.at(sure)) if (sure := each.finding.confidence) is not None else each
        for each in said.stated
    ]
