"""Articles of a phase that servers could not answer because of an error of the meta-server, such as a crashed worker.

In a test a call fails after the second such error, and its article is not sent again by itself. An organizer can have
it sent again while the phase is open.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from evaluation.challenges.models import Phase
from evaluation.challenges.phases.checks import check_phase_open, check_test_gold_unpublished
from evaluation.challenges.phases.events import PhaseEventType, record_phase_event
from evaluation.errors import ChallengeError
from servers.calls.models import Call, Queue
from servers.calls.queues.meta_server_errors import (
    enqueue_articles_of_failed_calls_again,
    list_calls_failed_by_meta_server,
)
from servers.teams.permissions import User


def list_phase_calls_failed_by_meta_server(phase: Phase) -> QuerySet[Call]:
    """The calls of the servers in the phase that failed because of an error of the meta-server.

    Each is the newest of its article and server; excluded articles are left out.
    """
    queues = Queue.objects.filter(producer__runs__phase=phase)
    failed = list_calls_failed_by_meta_server().filter(queue__in=queues.values("pk"))
    return failed.exclude(article__in=phase.excluded.values("article"))


@transaction.atomic
def resend_articles_failed_by_meta_server(phase: Phase, user: User) -> str:
    """Send these articles again to the servers that could not answer them, and log it; how many calls, in words.

    ChallengeError if the phase is not open or there are none.
    """
    locked = Phase.objects.select_for_update(of=["self"]).select_related("challenge").get(pk=phase.pk)
    attempted_action = "send articles again"
    check_phase_open(locked, timezone.now(), attempted_action)
    check_test_gold_unpublished(locked, locked.challenge.tasks.all(), attempted_action)
    added = enqueue_articles_of_failed_calls_again(list_phase_calls_failed_by_meta_server(locked))
    if not added:
        raise ChallengeError(
            f"No call of the {phase.sort} phase failed because of an error of the meta-server, or all such calls have "
            "been sent again already."
        )
    number = f"{_format_count(added.total(), 'call')} to {_format_count(len(added), 'server')}"
    details = f"{number}, after errors of the meta-server"
    record_phase_event(locked, PhaseEventType.RESENT, user, details=details)
    return number


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
