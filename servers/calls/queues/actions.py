"""The actions of a team on one of its queues, by page and by API; each returns a message about what it did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from servers.calls.models import Queue
from servers.calls.queues import contents, queue_resumption
from servers.calls.states import QueueMode


class QueueActionRefusedError(Exception):
    """Nothing was done; the message tells the team why."""


@dataclass(frozen=True, slots=True)
class QueueAction:
    """run performs the action and returns a message; QueueActionRefusedError if it is not possible now."""

    label: str
    run: Callable[[Queue], str]


def retry_stopped_article_or_raise(queue: Queue) -> str:
    _check_queue_not_held(queue)
    if not queue_resumption.resume_queue_retrying_stopped_article(queue):
        raise NOT_STOPPED
    return "The article on which the queue stopped will be sent again."


def skip_stopped_article_or_raise(queue: Queue) -> str:
    _check_queue_not_held(queue)
    if not queue_resumption.resume_queue_skipping_stopped_article(queue):
        raise NOT_STOPPED
    return "The article on which the queue stopped has an empty result. The queue continues with the next article."


def retry_failed_articles_or_raise(queue: Queue) -> str:
    _check_queue_not_held(queue)
    number = contents.enqueue_nontest_articles_whose_last_call_failed(queue)
    if not number:
        raise QueueActionRefusedError("There are no failed articles that have not been retried already.")
    return f"{_format_queue_article_count(number)} will be sent again."


def rerun_all_articles_unless_test_or_held(queue: Queue) -> str:
    """Send all articles again; new results supersede the old ones, which are kept."""
    if queue.mode == QueueMode.TEST:
        raise QueueActionRefusedError("The articles of a test cannot be sent again.")
    _check_queue_not_held(queue)
    return f"{_format_queue_article_count(contents.enqueue_all_articles_again_unless_test(queue))} will be sent again."


def _remove_waiting_articles(queue: Queue) -> str:
    if queue.mode == QueueMode.TEST:
        raise QueueActionRefusedError("The articles of a test cannot be removed from its queue.")
    removed = _format_queue_article_count(contents.delete_untried_or_fail_waiting_calls(queue))
    return f"{removed} removed from the queue. Results are kept."


def _check_queue_not_held(queue: Queue) -> None:
    """Raise QueueActionRefusedError if a challenge holds the queue."""
    if queue.held:
        raise QueueActionRefusedError("The challenge has put this queue on hold. Wait until it is released.")


def _format_queue_article_count(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


NOT_STOPPED = QueueActionRefusedError("The queue is not stopped any more.")
QUEUE_ACTIONS: Mapping[str, QueueAction] = {
    "retry": QueueAction("Retry the article", retry_stopped_article_or_raise),
    "next": QueueAction("Skip the article", skip_stopped_article_or_raise),
    "retry-failed": QueueAction("Retry failed articles", retry_failed_articles_or_raise),
    "rerun": QueueAction("Rerun all articles", rerun_all_articles_unless_test_or_held),
    "clear": QueueAction("Remove waiting articles", _remove_waiting_articles),
}


def list_possible_actions(queue: Queue, waiting_count: int, failed_count: int, total_count: int) -> list[str]:
    """The names of the actions that are possible now, given the numbers of the queue's calls."""
    in_test = queue.mode == QueueMode.TEST
    stopped = queue.stopped_on_id is not None and not queue.held
    may_resend = not in_test and not queue.held
    possible = {
        "retry": stopped,
        "next": stopped,
        "retry-failed": failed_count > 0 and may_resend,
        "rerun": total_count > waiting_count and may_resend,
        "clear": waiting_count > 0 and not in_test,
    }
    return [name for name, is_possible in possible.items() if is_possible]
