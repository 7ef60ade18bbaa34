"""When the annotations of a phase's runs are published: once the phase is, and not before its teams are named.

Published annotations can be read with the names of the team and the server. They are public, which is to say that
article pages, lists and files have them by default, while a review accepts them: those of servers with their server,
all others but baselines with their challenge.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotations.results.models import Producer
from annotations.results.producers import publish_producers_raising_article_versions
from evaluation.challenges.models import Challenge, Phase
from evaluation.runs.models import Run
from evaluation.visibility import list_published_producers_in_review_state
from servers.calls.leases.lease import lock_servers_and_read_field
from servers.calls.models import Queue
from servers.registry.models import Server
from servers.review.states import ReviewState


def are_teams_named(phase: Phase, now: datetime) -> bool:
    return phase.names_shown is None or phase.names_shown <= now


def is_published_with_team_names(phase: Phase, now: datetime) -> bool:
    return phase.published is not None and are_teams_named(phase, now)


@transaction.atomic
def publish_challenge_producers(producers: QuerySet[Producer]) -> None:
    """Publish producers of runs and gold standards; those that a review has accepted are public from now on.

    They are locked against reviews: a later decision finds them published.
    """
    unpublished = list(producers.filter(published=False).order_by("pk").values_list("pk", flat=True))
    if not unpublished:
        return
    # Storing an answer needs the lock on its server, so no answer is stored unnoticed in the meantime.
    queues = Queue.objects.filter(producer__in=unpublished)
    lock_servers_and_read_field(Server.objects.filter(pk__in=queues.values("server")), "state")
    phases = Phase.objects.filter(Q(runs__producer__in=unpublished) | Q(golds__producer__in=unpublished))
    challenges = Challenge.objects.filter(pk__in=phases.values("challenge")).order_by("pk")
    list(challenges.select_for_update(no_key=True).values_list("pk"))
    Producer.objects.filter(pk__in=unpublished).update(published=True)
    accepted = list_published_producers_in_review_state(ReviewState.ACCEPTED)
    publish_producers_raising_article_versions(accepted.filter(pk__in=unpublished))


@transaction.atomic
def publish_runs_of_published_phases_naming_teams(phases: QuerySet[Phase], now: datetime) -> None:
    """Publish the annotations of the runs of those phases that are due; can be repeated.

    Withdrawn runs stay hidden.
    """
    are_named = Q(names_shown__isnull=True) | Q(names_shown__lte=now)
    due_phases = phases.filter(are_named, published__isnull=False)
    runs = Run.objects.filter(phase__in=due_phases.values("pk"), withdrawn__isnull=True)
    publish_challenge_producers(Producer.objects.filter(pk__in=runs.values("producer")))
