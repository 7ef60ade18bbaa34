"""What happened and what to do about it, in words for the team."""

from collections.abc import Mapping, Sequence

from bcms.lib.foreign import bounded
from servers.topics import Happening

LONGEST_SUBJECT = 150
ADVICE = {
    Happening.SERVER_FAILED: "Mend the server, then start it on its page; what waits in its queues is kept.",
    Happening.QUEUE_STOPPED: (
        "On the server's page choose “Retry the article” or “Next article”; until then nothing is asked in this queue."
    ),
    Happening.SERVER_UNREACHED: (
        "It is tried once a minute and goes on by itself when it is reached; after 24 hours it is taken off."
    ),
    Happening.ARTICLE_FAILED: "When the cause is mended, “Ask again for failed articles” on the server's page.",
    Happening.QUEUE_DONE: "",
}


def articles(number: int) -> str:
    return f"{number:,} article{'' if number == 1 else 's'}"


def queue_called(mode: str, name: str) -> str:
    return f"{mode} queue “{name}”" if name else f"{mode} queue"


def headline(happening: Happening, number: int) -> str:
    """A few words for the subject of a mail; number is how often it happened."""
    match happening:
        case Happening.SERVER_FAILED:
            return "taken off"
        case Happening.QUEUE_STOPPED:
            return "a test stopped" if number == 1 else f"tests stopped {number:,} times"
        case Happening.SERVER_UNREACHED:
            return "cannot be reached"
        case Happening.ARTICLE_FAILED:
            return f"{articles(number)} failed"
        case _:
            return "a queue is done" if number == 1 else f"{number:,} queues are done"


def sentence(happening: Happening, number: int, queue: str, reason: str, ended: Mapping[str, int]) -> str:
    """What happened, in one sentence. queue is called as queue_called does; ended counts its calls by their state."""
    match happening:
        case Happening.SERVER_FAILED:
            return f"The server was taken off: {closed(reason)}"
        case Happening.QUEUE_STOPPED:
            times = "" if number == 1 else f" {number:,} times"
            return f"The {queue} stopped{times}, as an article did not come through."
        case Happening.SERVER_UNREACHED:
            return f"The server cannot be reached, and its queues rest: {closed(reason)}"
        case Happening.ARTICLE_FAILED:
            return f"{articles(number)} failed for good in the {queue}."
        case _ if not ended:
            return f"The {queue} is done."
        case _:
            counts = f"{articles(ended['answered'])} answered, {ended['empty']:,} empty, {ended['failed']:,} failed"
            return f"The {queue} is done: {counts}."


def closed(reason: str) -> str:
    return reason if reason.endswith((".", "!", "?", "…")) else f"{reason}."


def subject(headlines: Sequence[tuple[str, str]]) -> str:
    """The subject of a mail, from the name of each server and the headline of what happened to it."""
    text = "; ".join(f"{name}: {headline}" for name, headline in headlines)
    return bounded(f"[BCMS] {text}", LONGEST_SUBJECT)
