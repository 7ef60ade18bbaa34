"""The texts of notifications: what happened and what the team should do."""

from collections.abc import Mapping, Sequence

from bcms.lib.text import add_full_stop_if_unpunctuated, clip_text_replacing_unprintable
from servers.calls.states import QueueMode
from servers.notifications.events import EventType

LONGEST_SUBJECT = 150
# In a test, an article fails only because of errors of the meta-server.
FAILED_TEST_ARTICLE_ADVICE = (
    "You need not do anything. The organizers of the challenge can have it sent again while the phase is open."
)
ADVICE = {
    EventType.SERVER_FAILED: "Fix the server, then start it on its page. Waiting articles stay in its queues.",
    EventType.QUEUE_STOPPED: (
        "On the server's page, choose “Retry the article” or “Skip the article”. Until then no articles of this queue "
        "are sent."
    ),
    EventType.SERVER_UNREACHED: (
        "We try again every minute, or when its Retry-After header says, and continue as soon as the server can be "
        "reached. After 24 hours it is taken offline."
    ),
    EventType.ARTICLE_FAILED: "After fixing the cause, choose “Retry failed articles” on the server's page.",
    EventType.QUEUE_DONE: "",
    EventType.SERVER_REVIEWED: "The server's page says what this means.",
}


def choose_advice(event_type: EventType, queue_mode: str) -> str:
    """What the team should do after events of this type; queue_mode is empty for events without a queue."""
    failed_in_test = event_type == EventType.ARTICLE_FAILED and queue_mode == QueueMode.TEST
    return FAILED_TEST_ARTICLE_ADVICE if failed_in_test else ADVICE[event_type]


def _format_number_of_articles(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


def format_queue_name(mode: str, queue_name: str) -> str:
    return f"{mode} queue “{queue_name}”" if queue_name else f"{mode} queue"


def format_finished_queue(server_name: str, queue_label: str, articles: int) -> str:
    """An entry on the site; queue_label is from format_queue_name, articles: how many were done in the queue."""
    return f"{server_name}: the {queue_label} is done, {_format_number_of_articles(articles)}."


def format_headline(event_type: EventType, event_count: int) -> str:
    """A short text for the subject of a mail; event_count is how many events of the type there were."""
    match event_type:
        case EventType.SERVER_FAILED:
            return "taken offline"
        case EventType.QUEUE_STOPPED:
            return "a test stopped" if event_count == 1 else f"tests stopped {event_count:,} times"
        case EventType.SERVER_UNREACHED:
            return "cannot be reached"
        case EventType.ARTICLE_FAILED:
            return f"{_format_number_of_articles(event_count)} failed"
        case EventType.SERVER_REVIEWED:
            return "reviewed"
        case _:
            return "a queue is done" if event_count == 1 else f"{event_count:,} queues are done"


def format_event_sentence(
    event_type: EventType, event_count: int, queue_label: str, reason: str, ended_count_by_state: Mapping[str, int]
) -> str:
    """A sentence about the events of one type.

    queue_label is its name from format_queue_name; ended_count_by_state counts the queue's calls by final state and may
    be empty.
    """
    match event_type:
        case EventType.SERVER_FAILED:
            return f"The server was taken offline: {add_full_stop_if_unpunctuated(reason)}"
        case EventType.QUEUE_STOPPED:
            times = "" if event_count == 1 else f" {event_count:,} times"
            return f"The {queue_label} stopped{times} because the call for an article failed."
        case EventType.SERVER_UNREACHED:
            return f"The server cannot be reached, so its queues are paused: {add_full_stop_if_unpunctuated(reason)}"
        case EventType.ARTICLE_FAILED:
            return f"{_format_number_of_articles(event_count)} failed in the {queue_label} after all retries."
        case EventType.SERVER_REVIEWED:
            return f"The server is now {add_full_stop_if_unpunctuated(reason)}"
        case _ if not ended_count_by_state:
            return f"The {queue_label} is done."
        case _:
            answered = _format_number_of_articles(ended_count_by_state["answered"])
            empty, failed = ended_count_by_state["empty"], ended_count_by_state["failed"]
            return f"The {queue_label} is done: {answered} answered, {empty:,} empty, {failed:,} failed."


def format_mail_subject(server_names_and_headlines: Sequence[tuple[str, str]]) -> str:
    """The subject of a mail; server_names_and_headlines are pairs of a server's name and the headline of its events."""
    text = "; ".join(f"{name}: {headline}" for name, headline in server_names_and_headlines)
    return clip_text_replacing_unprintable(f"[BCMS] {text}", LONGEST_SUBJECT)
