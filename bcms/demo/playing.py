"""Play the teams of the demo: enter each server into the test phase once it has finished the training set, and ask
again whenever its test queue has stopped.

When all have finished the test set too, its leaderboard is published, as an organizer would do it."""

import logging
import time

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from bcms.demo.annotators import ANNOTATORS
from bcms.demo.cast import CHALLENGE
from evaluation import challenges
from evaluation.models import Phase, Run
from servers import queueing, stopped
from servers.models import Queue, Server
from servers.states import QueueMode, QueueState

PAUSE_SECONDS = 1.0
# What a visitor registers is the visitor's to play with.
OURS = Queue.objects.filter(server__slug__in=[annotator.slug for annotator in ANNOTATORS])
log = logging.getLogger(__name__)


def ready() -> list[Server]:
    """Servers whose training queue is done and that are not in the test phase yet."""
    trained = OURS.filter(mode=QueueMode.TRAINING, state=QueueState.DONE)
    entered = Run.objects.filter(phase__sort=Phase.Sort.TEST).values("producer__queue__server")
    return list(Server.objects.filter(queues__in=trained).exclude(pk__in=entered).distinct())


def failed_again(server: Server) -> int:
    """Ask again for the training articles at which a server failed, as its team would; how many there are.

    One that fails now and then on purpose fails five times running once in a while.
    """
    return sum(queueing.retry_failed(queue) for queue in server.queues.filter(mode=QueueMode.TRAINING))


def step() -> bool:
    """One round: enter who is ready; False when all have been through the test set, which is then published."""
    phase = Phase.objects.get(challenge__slug=CHALLENGE.slug, sort=Phase.Sort.TEST)
    for server in ready():
        if not failed_again(server):
            challenges.enter(server, phase)
    for queue in OURS.filter(state=QueueState.STOPPED):
        stopped.retry(queue)
    playing = OURS.filter(mode__in=[QueueMode.TRAINING, QueueMode.TEST])
    if playing.exclude(state=QueueState.DONE).exists():
        return True
    Phase.objects.filter(pk=phase.pk).update(closes=timezone.now())
    phase.refresh_from_db()
    challenges.publish(phase)
    return False


def patient_step() -> bool:
    """A round that waits for a database that is away, as the workers do."""
    try:
        return step()
    except (OperationalError, InterfaceError) as error:
        log.warning("the database cannot be reached, trying again in %s s: %s", PAUSE_SECONDS, error)
        connection.close()
        return True


def play() -> None:
    while patient_step():
        time.sleep(PAUSE_SECONDS)
