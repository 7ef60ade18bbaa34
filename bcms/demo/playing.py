"""Play the teams of the demo: enter each server into the test phase as soon as it has finished the training set."""

import time

from bcms.demo.cast import CHALLENGE
from evaluation import challenges
from evaluation.models import Phase, Run
from servers.models import Queue, Server
from servers.states import QueueMode, QueueState

PAUSE_SECONDS = 3.0


def ready() -> list[Server]:
    """Servers whose training queue is done and that are not in the test phase yet."""
    trained = Queue.objects.filter(mode=QueueMode.TRAINING, state=QueueState.DONE)
    entered = Run.objects.filter(phase__sort=Phase.Sort.TEST).values("producer__queue__server")
    return list(Server.objects.filter(queues__in=trained).exclude(pk__in=entered).distinct())


def play() -> None:
    phase = Phase.objects.get(challenge__slug=CHALLENGE.slug, sort=Phase.Sort.TEST)
    waiting = Queue.objects.filter(mode=QueueMode.TRAINING).exclude(state=QueueState.DONE)
    while True:
        for server in ready():
            challenges.enter(server, phase)
        if not waiting.exists():
            return
        time.sleep(PAUSE_SECONDS)
