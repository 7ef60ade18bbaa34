"""The actions of a team on one of its queues, by page and by API; each returns a message about what it did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from servers.calls.models import Queue
from servers.calls.queues import contents, stopped_queues
from servers.calls.states import QueueMode


class QueueActionRefusedError(Exception):
    """Nothing was done; the message tells the team why."""


@dataclass(frozen=True, slots=True)
class QueueAction:
    """run performs the action and returns a message; QueueActionRefusedError if it is not possible now."""

    label: str
    run: Callable[[Queue], str]


def retry_stopped_article(queue: Queue) -> str:
    check_queue_not_held(queue)
    if not stopped_queues.resume_stopped_queue(queue):
        raise NOT_STOPPED
    return "The article on which the queue stopped will be sent again."


def skip_stopped_article(queue: Queue) -> str:
    check_queue_not_held(queue)
    if not stopped_queues.resume_past_stopped_article(queue):
        raise NOT_STOPPED
    return "The article on which the queue stopped has an empty result. The queue continues with the next article."


def retry_failed_articles(queue: Queue) -> str:
    check_queue_not_held(queue)
    number = contents.enqueue_failed_articles(queue)
    if not number:
        raise QueueActionRefusedError("There are no failed articles that have not been retried already.")
    return f"{format_queue_article_count(number)} will be sent again."


def rerun_all_articles(queue: Queue) -> str:
    """Send all articles again; new results supersede the old ones, which are kept."""
    if queue.mode == QueueMode.TEST:
        raise QueueActionRefusedError("The articles of a test cannot be sent again.")
    check_queue_not_held(queue)
    return f"{format_queue_article_count(contents.enqueue_all_again(queue))} will be sent again."


def remove_waiting_articles(queue: Queue) -> str:
    if queue.mode == QueueMode.TEST:
        raise QueueActionRefusedError("The articles of a test cannot be removed from its queue.")
    return f"{format_queue_article_count(contents.clear_queue(queue))} removed from the queue. Results are kept."


def check_queue_not_held(queue: Queue) -> None:
    """Raise QueueActionRefusedError if a challenge holds the queue."""
    if queue.held:
        raise QueueActionRefusedError("The challenge has put this queue on hold. Wait until it is released.")


def format_queue_article_count(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


NOT_STOPPED = QueueActionRefusedError("The queue is not stopped any more.")
QUEUE_ACTIONS: Mapping[str, QueueAction] = {
    "retry": QueueAction("Retry the article", retry_stopped_article),
    "next": QueueAction("Skip the article", skip_stopped_article),
    "retry-failed": QueueAction("Retry failed articles", retry_failed_articles),
    "rerun": QueueAction("Rerun all articles", rerun_all_articles),
    "clear": QueueAction("Remove waiting articles", remove_waiting_articles),
}


def list_possible_actions(queue: Queue, waiting: int, failed: int, total: int) -> list[str]:
    """The names of the actions that are possible now, given the numbers of the queue's calls."""
    in_test = queue.mode == QueueMode.TEST
    stopped = queue.stopped_on_id is not None and not queue.held
    may_resend = not in_test and not queue.held
    possible = {
        "retry": stopped,
        "next": stopped,
        "retry-failed": failed > 0 and may_resend,
        "rerun": total > waiting and may_resend,
        "clear": waiting > 0 and not in_test,
    }
    return [name for name, is_possible in possible.items() if is_possible]
