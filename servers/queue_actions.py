"""What a team may do with one of its queues, by button and by API, each with a word on what happened."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from servers import queueing, stopped
from servers.models import Queue
from servers.states import QueueMode


class RefusedError(Exception):
    """Nothing was done: one sentence that says why."""


@dataclass(frozen=True, slots=True)
class QueueAction:
    """run does it and says so in one sentence; RefusedError when it cannot be done now."""

    label: str
    run: Callable[[Queue], str]


def retry(queue: Queue) -> str:
    refuse_held(queue)
    if not stopped.retry(queue):
        raise NOT_STOPPED
    return "The article that the queue stopped on is asked again."


def next_article(queue: Queue) -> str:
    refuse_held(queue)
    if not stopped.next_article(queue):
        raise NOT_STOPPED
    return "The article that the queue stopped on has an empty result, and the queue goes on behind it."


def retry_failed(queue: Queue) -> str:
    refuse_held(queue)
    number = queueing.retry_failed(queue)
    if not number:
        raise RefusedError("Every article that failed has been asked for again since.")
    return f"{articles(number)} that failed will be asked again."


def rerun(queue: Queue) -> str:
    """Ask again for all articles; the new results take the place of the old ones, which are kept."""
    if queue.mode == QueueMode.TEST:
        raise RefusedError("In a test no article is asked again.")
    refuse_held(queue)
    return f"{articles(queueing.rerun(queue))} will be asked again."


def clear(queue: Queue) -> str:
    if queue.mode == QueueMode.TEST:
        raise RefusedError("The articles of a test stay in its queue until each has a result.")
    return f"{articles(queueing.clear(queue))} taken out of the queue; results stay."


def refuse_held(queue: Queue) -> None:
    if queue.held:
        raise RefusedError("The challenge holds this queue: nothing is asked or decided until it lets it go.")


def articles(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


NOT_STOPPED = RefusedError("The queue does not stand still any more.")
ACTIONS: Mapping[str, QueueAction] = {
    "retry": QueueAction("Retry the article", retry),
    "next": QueueAction("Next article", next_article),
    "retry-failed": QueueAction("Ask again for failed articles", retry_failed),
    "rerun": QueueAction("Ask again for all articles", rerun),
    "clear": QueueAction("Take out what waits", clear),
}


def fitting(queue: Queue, waiting: int, failed: int, total: int) -> list[str]:
    """The actions that make sense now, given the numbers of its calls."""
    in_test = queue.mode == QueueMode.TEST
    stopped = queue.stopped_on_id is not None and not queue.held
    again = not in_test and not queue.held
    sensible = {
        "retry": stopped,
        "next": stopped,
        "retry-failed": failed > 0 and again,
        "rerun": total > waiting and again,
        "clear": waiting > 0 and not in_test,
    }
    return [name for name, sense in sensible.items() if sense]
