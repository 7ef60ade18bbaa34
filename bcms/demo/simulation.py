"""Simulate the demo's teams: enter each server into the test phase once it has finished the training set, and resume
queues whenever they stop.

When these servers have finished the test set, its leaderboard is published, as an organizer would do. When they have
annotated the reading articles, a data set of these is made and published, and some of them are curated, a few in an
experiment.
"""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from bcms.demo.annotators import ANNOTATORS
from bcms.demo.content import CHALLENGE
from bcms.demo.curation import advance_demo_curation
from bcms.demo.data_set import advance_demo_data_set
from bcms.demo.experiment import advance_demo_experiment
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from servers.calls.models import Queue
from servers.calls.queues import contents, queue_resumption
from servers.calls.states import QueueMode, QueueState
from servers.registry.models import Server

PAUSE_SECONDS = 1.0
# Only the demo's own servers; visitors may register others.
DEMO_QUEUES = Queue.objects.filter(server__slug__in=[annotator.slug for annotator in ANNOTATORS])
# A server that fails on purpose trains for many minutes: no team would enter it, and nobody waits for it.
TEST_SERVERS = [annotator.slug for annotator in ANNOTATORS if not annotator.failure_rate]
log = logging.getLogger(__name__)


def list_trained_demo_servers_awaiting_test() -> list[Server]:
    """Servers with a finished training queue that are not in the test phase yet."""
    trained = DEMO_QUEUES.filter(mode=QueueMode.TRAINING, state=QueueState.DONE, server__slug__in=TEST_SERVERS)
    in_test = Run.objects.filter(phase__sort=Phase.Type.TEST, sort=Run.Source.ONLINE)
    entered = in_test.values("producer__queue__server")
    return list(Server.objects.filter(queues__in=trained).exclude(pk__in=entered).distinct())


def _retry_failed_training_calls(server: Server) -> int:
    """Enqueue again the training articles at which a server failed, as its team would; returns how many."""
    return sum(
        contents.enqueue_nontest_articles_whose_last_call_failed(queue)
        for queue in server.queues.filter(mode=QueueMode.TRAINING)
    )


def advance_demo_teams_or_request_test_publication() -> bool:
    """Do what the teams would do now; returns False once all have finished the test set, which is published."""
    phase = Phase.objects.get(challenge__slug=CHALLENGE.slug, sort=Phase.Type.TEST)
    if phase.published is not None:
        # By an earlier start of the demo.
        return False
    for server in list_trained_demo_servers_awaiting_test():
        if not _retry_failed_training_calls(server):
            enter_eligible_server_and_enqueue_articles(server, phase)
    playing = DEMO_QUEUES.filter(mode__in=[QueueMode.TRAINING, QueueMode.TEST], server__slug__in=TEST_SERVERS)
    if playing.exclude(state=QueueState.DONE).exists():
        return True
    Phase.objects.filter(pk=phase.pk).update(closes=timezone.now())
    phase.refresh_from_db()
    publish_phase_or_request_if_sealed(phase)
    return False


def resume_stopped_demo_queues() -> bool:
    """Resume the queues that stopped, as their teams would; returns False once the training of all servers is done."""
    for queue in DEMO_QUEUES.filter(state=QueueState.STOPPED):
        queue_resumption.resume_queue_retrying_stopped_article(queue)
    return DEMO_QUEUES.filter(mode=QueueMode.TRAINING).exclude(state=QueueState.DONE).exists()


def _play_step_or_wait(step: Callable[[], bool]) -> bool:
    """Whether the step has work left; True also when the database is unavailable, so that it is tried again."""
    try:
        return step()
    except (OperationalError, InterfaceError) as error:
        log.warning("The database is unavailable, trying again in %s s: %s", PAUSE_SECONDS, error)
        connection.close()
        return True
    except ChallengeError as error:
        # A visitor who logged in as the organizer closed the phase, say.
        log.warning("The demo's teams stop: %s", error)
        return False


def play_demo_rounds_until_all_is_published() -> None:
    steps = [
        *(resume_stopped_demo_queues, advance_demo_teams_or_request_test_publication),
        *(advance_demo_data_set, advance_demo_curation, advance_demo_experiment),
    ]
    while steps := [step for step in steps if _play_step_or_wait(step)]:
        time.sleep(PAUSE_SECONDS)
