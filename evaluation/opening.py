"""When everybody sees what the runs of a phase say: once it is published, and not before its teams are named.

What a run says stands on article pages, in lists and in files under the names of its team and its server.
"""

from datetime import datetime

from django.db.models import Q, QuerySet

from annotations.models import Producer
from annotations.storing import open_to_all
from evaluation.models import Phase, Run


def teams_are_named(phase: Phase, now: datetime) -> bool:
    return phase.names_shown is None or phase.names_shown <= now


def runs_are_open(phase: Phase, now: datetime) -> bool:
    return phase.published is not None and teams_are_named(phase, now)


def open_runs(phases: QuerySet[Phase], now: datetime) -> None:
    """Show everybody what is said in those of the phases for which the time has come; opened twice, a run stays open.

    Runs that were withdrawn stay closed.
    """
    named = Q(names_shown__isnull=True) | Q(names_shown__lte=now)
    come = phases.filter(named, published__isnull=False)
    runs = Run.objects.filter(phase__in=come.values("pk"), withdrawn__isnull=True)
    open_to_all(Producer.objects.filter(pk__in=runs.values("producer")))
