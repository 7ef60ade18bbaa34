"""When the annotations of a phase's runs become public: once it is published, and not before its teams are named.

Annotations show on article pages, in lists and in files, with the names of the team and the server.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.results.models import Producer
from annotations.results.producers import publish_producers_raising_article_versions
from evaluation.challenges.models import Phase
from evaluation.runs.models import Run
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.registry.models import Server


def are_teams_named(phase: Phase, now: datetime) -> bool:
    return phase.names_shown is None or phase.names_shown <= now


def is_published_with_team_names(phase: Phase, now: datetime) -> bool:
    return phase.published is not None and are_teams_named(phase, now)


@transaction.atomic
def publish_runs_of_published_phases_naming_teams(phases: QuerySet[Phase], now: datetime) -> None:
    """Make public the annotations of the runs of those phases that are due; can be repeated.

    Withdrawn runs stay hidden.
    """
    are_named = Q(names_shown__isnull=True) | Q(names_shown__lte=now)
    due_phases = phases.filter(are_named, published__isnull=False)
    runs = Run.objects.filter(phase__in=due_phases.values("pk"), withdrawn__isnull=True)
    hidden_producers = Producer.objects.filter(pk__in=runs.values("producer"), public=False)
    # Storing an answer needs the lock on its server, so no answer is stored unnoticed in the meantime.
    lock_servers_and_read_field(Server.objects.filter(pk__in=hidden_producers.values("queue__server")), "state")
    publish_producers_raising_article_versions(hidden_producers)
