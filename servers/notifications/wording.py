"""The texts of notifications: what happened and what the team should do."""

from collections.abc import Mapping, Sequence

from bcms.lib.text import add_full_stop, clip_printable_text
from servers.notifications.events import EventType

LONGEST_SUBJECT = 150
ADVICE = {
    EventType.SERVER_FAILED: "Fix the server, then start it on its page. Waiting articles stay in its queues.",
    EventType.QUEUE_STOPPED: (
        "On the server's page, choose “Retry the article” or “Skip the article”. Until then no articles of this queue "
        "are sent."
    ),
    EventType.SERVER_UNREACHED: (
        "We try again every minute and continue as soon as the server can be reached. After 24 hours it is taken "
        "offline."
    ),
    EventType.ARTICLE_FAILED: "After fixing the cause, choose “Retry failed articles” on the server's page.",
    EventType.QUEUE_DONE: "",
}


def format_number_of_articles(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


def format_queue_name(mode: str, name: str) -> str:
    return f"{mode} queue “{name}”" if name else f"{mode} queue"


def format_headline(event_type: EventType, number: int) -> str:
    """A short text for the subject of a mail; number is how many events of the type there were."""
    match event_type:
        case EventType.SERVER_FAILED:
            return "taken offline"
        case EventType.QUEUE_STOPPED:
            return "a test stopped" if number == 1 else f"tests stopped {number:,} times"
        case EventType.SERVER_UNREACHED:
            return "cannot be reached"
        case EventType.ARTICLE_FAILED:
            return f"{format_number_of_articles(number)} failed"
        case _:
            return "a queue is done" if number == 1 else f"{number:,} queues are done"


def format_event_sentence(event_type: EventType, number: int, queue: str, reason: str, ended: Mapping[str, int]) -> str:
    """A sentence about the events of one type.

    queue is its name from format_queue_name; ended counts the queue's calls by final state and may be empty.
    """
    match event_type:
        case EventType.SERVER_FAILED:
            return f"The server was taken offline: {add_full_stop(reason)}"
        case EventType.QUEUE_STOPPED:
            times = "" if number == 1 else f" {number:,} times"
            return f"The {queue} stopped{times} because the call for an article failed."
        case EventType.SERVER_UNREACHED:
            return f"The server cannot be reached, so its queues are paused: {add_full_stop(reason)}"
        case EventType.ARTICLE_FAILED:
            return f"{format_number_of_articles(number)} failed in the {queue} after all retries."
        case _ if not ended:
            return f"The {queue} is done."
        case _:
            answered = format_number_of_articles(ended["answered"])
            return f"The {queue} is done: {answered} answered, {ended['empty']:,} empty, {ended['failed']:,} failed."


def format_mail_subject(headlines: Sequence[tuple[str, str]]) -> str:
    """The subject of a mail; headlines are pairs of a server's name and the headline of its events."""
    text = "; ".join(f"{name}: {headline}" for name, headline in headlines)
    return clip_printable_text(f"[BCMS] {text}", LONGEST_SUBJECT)
