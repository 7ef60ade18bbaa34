"""When everybody sees what the runs of a phase say: once it is published, and not before its teams are named.

What a run says stands on article pages, in lists and in files under the names of its team and its server.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.models import Producer
from annotations.storing import open_to_all
from evaluation.models import Phase, Run
from servers.lease import locked
from servers.models import Server


def teams_are_named(phase: Phase, now: datetime) -> bool:
    return phase.names_shown is None or phase.names_shown <= now


def runs_are_open(phase: Phase, now: datetime) -> bool:
    return phase.published is not None and teams_are_named(phase, now)


@transaction.atomic
def open_runs(phases: QuerySet[Phase], now: datetime) -> None:
    """Show everybody what is said in those of the phases for which the time has come; opened twice, a run stays open.

    Runs that were withdrawn stay closed.
    """
    named = Q(names_shown__isnull=True) | Q(names_shown__lte=now)
    come = phases.filter(named, published__isnull=False)
    runs = Run.objects.filter(phase__in=come.values("pk"), withdrawn__isnull=True)
    closed = Producer.objects.filter(pk__in=runs.values("producer"), public=False)
    # Whoever stores an answer holds its server's row: none comes in between, of which nobody would be told.
    locked(Server.objects.filter(pk__in=closed.values("queue__server")), "state")
    open_to_all(closed)
