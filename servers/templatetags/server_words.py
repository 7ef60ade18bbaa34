"""States, kinds and lengths of time in words; a chip's colour only helps."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotations.kinds import LABELS, Kind
from bcms.lib import durations
from bcms.lib.durations import in_words
from servers.querysets import QueueProgress
from servers.queue_actions import ACTIONS, fitting
from servers.states import Outcome, QueueState, ServerState
from servers.topics import DeliveryState

register = template.Library()

SERVER_CHIPS = {
    ServerState.OFFLINE: ("offline", ""),
    ServerState.ONLINE: ("online", "good"),
    ServerState.HALTING: ("halting", "warn"),
    ServerState.FAIL: ("failed", "bad"),
}
QUEUE_CHIPS = {
    QueueState.RUNNING: ("running", "good"),
    QueueState.RESTING: ("resting", "warn"),
    QueueState.STOPPED: ("stopped", "bad"),
    QueueState.DONE: ("done", ""),
}
OUTCOME_CHIPS = {
    Outcome.UNDER_WAY: ("under way", ""),
    Outcome.ANSWERED: ("answered", "good"),
    Outcome.EMPTY: ("empty answer", "good"),
    Outcome.INVALID: ("invalid answer", "bad"),
    Outcome.CONNECTION: ("no connection", "bad"),
    Outcome.COMMUNICATION: ("communication broke", "bad"),
    Outcome.NO_ANSWER: ("no answer in time", "bad"),
    Outcome.HALTED: ("halted", "warn"),
    Outcome.LOST: ("lost, asked again", "warn"),
    Outcome.OUR_FAULT: ("our fault", "warn"),
}
DELIVERY_CHIPS = {
    DeliveryState.WAITING: ("waiting", ""),
    DeliveryState.DELIVERED: ("delivered", "good"),
    DeliveryState.FAILED: ("failed", "bad"),
}


def chip(words: str, look: str) -> SafeString:
    return format_html('<span class="{}">{}</span>', f"chip {look}".strip(), words)


@register.filter
def server_chip(state: str) -> SafeString:
    return chip(*SERVER_CHIPS[ServerState(state)])


@register.filter
def standing_chip(progress: QueueProgress) -> SafeString:
    """The chip of a queue, which may wait for somebody although it runs."""
    queue = progress.queue
    if queue.held and queue.state != QueueState.DONE:
        return chip("held", "warn")
    if queue.state == QueueState.RUNNING and queue.server.state in (ServerState.OFFLINE, ServerState.FAIL):
        return chip("waits for a start", "")
    return chip(*QUEUE_CHIPS[QueueState(queue.state)])


@register.filter
def once(progress: QueueProgress) -> str:
    """What must happen before the articles of a queue are asked; empty when nothing must."""
    queue, online = progress.queue, progress.queue.server.state == ServerState.ONLINE
    musts = {
        "the queue is let go": queue.held,
        "you have decided on the article that it stopped on": queue.state == QueueState.STOPPED,
        "the server is started": not online,
        "the server is reached": queue.state == QueueState.RESTING and online,
    }
    words = " and ".join(must for must, so in musts.items() if so)
    return f" once {words}" if words else ""


@register.filter
def outcome_chip(outcome: str) -> SafeString:
    return chip(*OUTCOME_CHIPS[Outcome(outcome)])


@register.filter
def delivery_chip(state: str) -> SafeString:
    return chip(*DELIVERY_CHIPS[DeliveryState(state)])


@register.filter
def kind_names(kinds: list[str]) -> str:
    return ", ".join(LABELS[Kind(kind)] for kind in kinds)


@register.filter
def duration(seconds: float | None) -> str:
    return in_words(seconds)


@register.filter
def about(seconds: float) -> str:
    return durations.about(seconds)


@register.filter
def actions_of(progress: QueueProgress) -> list[tuple[str, str]]:
    """The buttons of a queue that make sense now: name and label."""
    names = fitting(progress.queue, progress.waiting, progress.failed, progress.total)
    return [(name, ACTIONS[name].label) for name in names]
