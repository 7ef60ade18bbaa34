"""When the annotations of a phase's runs become public: once it is published, and not before its teams are named.

Annotations show on article pages, in lists and in files, with the names of the team and the server.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.results.models import Producer
from annotations.results.producers import publish_producers
from evaluation.challenges.models import Phase
from evaluation.runs.models import Run
from servers.calls.leases.lease import lock_servers
from servers.registry.models import Server


def are_teams_named(phase: Phase, now: datetime) -> bool:
    return phase.names_shown is None or phase.names_shown <= now


def are_runs_public(phase: Phase, now: datetime) -> bool:
    return phase.published is not None and are_teams_named(phase, now)


@transaction.atomic
def disclose_due_runs(phases: QuerySet[Phase], now: datetime) -> None:
    """Make public the annotations of the runs of those phases that are due; can be repeated.

    Withdrawn runs stay hidden.
    """
    are_named = Q(names_shown__isnull=True) | Q(names_shown__lte=now)
    due_phases = phases.filter(are_named, published__isnull=False)
    runs = Run.objects.filter(phase__in=due_phases.values("pk"), withdrawn__isnull=True)
    hidden_producers = Producer.objects.filter(pk__in=runs.values("producer"), public=False)
    # Storing an answer needs the lock on its server, so no answer is stored unnoticed in the meantime.
    lock_servers(Server.objects.filter(pk__in=hidden_producers.values("queue__server")), "state")
    publish_producers(hidden_producers)
