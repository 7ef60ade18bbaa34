"""Template filters that show states as chips, and kinds, durations and queue actions as text."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotations.schema import KIND_LABELS, Kind
from bcms.lib import durations
from bcms.lib.durations import format_duration
from servers.availability.queries import PublishedServer
from servers.calls.queries import QueueProgress
from servers.calls.queues.actions import QUEUE_ACTIONS, list_possible_actions
from servers.calls.states import Outcome, QueueState
from servers.notifications.events import DeliveryState
from servers.notifications.webhooks.forms import TOPIC_NAMES
from servers.registry.queries import ListedServer
from servers.registry.states import ServerState
from servers.review.states import REVIEW_LABELS, REVIEW_MEANINGS, ReviewState

register = template.Library()

SERVER_CHIPS = {
    ServerState.OFFLINE: ("offline", ""),
    ServerState.ONLINE: ("online", "good"),
    ServerState.HALTING: ("stopping", "warn"),
    ServerState.FAIL: ("failed", "bad"),
}
REVIEW_CHIP_STYLES = {
    ReviewState.UNREVIEWED: "warn",
    ReviewState.ACCEPTED: "good",
    ReviewState.DECLINED: "bad",
    ReviewState.PRIVATE: "",
}
QUEUE_CHIPS = {
    QueueState.RUNNING: ("running", "good"),
    QueueState.RESTING: ("resting", "warn"),
    QueueState.STOPPED: ("stopped", "bad"),
    QueueState.DONE: ("done", ""),
}
OUTCOME_CHIPS = {
    Outcome.UNDER_WAY: ("in progress", ""),
    Outcome.ANSWERED: ("answered", "good"),
    Outcome.EMPTY: ("empty answer", "good"),
    Outcome.INVALID: ("invalid answer", "bad"),
    Outcome.CONNECTION: ("no connection", "bad"),
    Outcome.COMMUNICATION: ("communication failed", "bad"),
    Outcome.UNAVAILABLE: ("unavailable", "bad"),
    Outcome.NO_ANSWER: ("timeout", "bad"),
    Outcome.HALTED: ("stopped", "warn"),
    Outcome.LOST: ("lost, will retry", "warn"),
    Outcome.OUR_FAULT: ("our error", "warn"),
}
DELIVERY_CHIPS = {
    DeliveryState.WAITING: ("waiting", ""),
    DeliveryState.DELIVERED: ("delivered", "good"),
    DeliveryState.FAILED: ("failed", "bad"),
}


def render_chip(label: str, style: str) -> SafeString:
    """A label in a coloured box; style is an additional CSS class or empty."""
    return format_html('<span class="{}">{}</span>', f"chip {style}".strip(), label)


@register.filter
def render_server_chip(state: str) -> SafeString:
    return render_chip(*SERVER_CHIPS[ServerState(state)])


@register.filter
def render_state_chips(listed: PublishedServer | ListedServer) -> SafeString:
    """The state of a server, and whether a running server is down by its published figures."""
    chips = [render_server_chip(listed.server.state)]
    if listed.down_now and listed.server.state == ServerState.ONLINE:
        chips.append(render_chip("down", "bad"))
    return _join_chips(chips)


@register.filter
def render_server_chips(listed: PublishedServer | ListedServer) -> SafeString:
    """The state of a server, whether it is down, and whether it is not accepted."""
    chips = [render_state_chips(listed)]
    if listed.server.review != ReviewState.ACCEPTED:
        chips.append(render_review_chip(listed.server.review))
    return _join_chips(chips)


def _join_chips(chips: Iterable[SafeString]) -> SafeString:
    return format_html_join(" ", "{}", ((chip,) for chip in chips))


@register.filter
def render_review_chip(state: str) -> SafeString:
    return render_chip(REVIEW_LABELS[ReviewState(state)], REVIEW_CHIP_STYLES[ReviewState(state)])


@register.filter
def show_review_label(state: str) -> str:
    return REVIEW_LABELS[ReviewState(state)]


@register.filter
def show_review_meaning(state: str) -> str:
    return REVIEW_MEANINGS[ReviewState(state)]


@register.filter
def render_queue_state_chip(progress: QueueProgress) -> SafeString:
    """The chip of a queue; a running queue may still be held, or wait until its server is started."""
    queue = progress.queue
    if queue.held and queue.state != QueueState.DONE:
        return render_chip("on hold", "warn")
    if queue.state == QueueState.RUNNING and queue.server.state in (ServerState.OFFLINE, ServerState.FAIL):
        return render_chip("waiting for start", "")
    return render_chip(*QUEUE_CHIPS[QueueState(queue.state)])


@register.filter
def show_missing_queue_conditions(progress: QueueProgress) -> str:
    """What must happen before the calls of a queue continue, as " once ..."; empty if nothing must."""
    queue, online = progress.queue, progress.queue.server.state == ServerState.ONLINE
    conditions = {
        "the queue is released": queue.held,
        "you have decided about the article on which it stopped": queue.state == QueueState.STOPPED,
        "the server is started": not online,
        "the server can be reached": queue.state == QueueState.RESTING and online,
    }
    missing = " and ".join(condition for condition, is_missing in conditions.items() if is_missing)
    return f" once {missing}" if missing else ""


@register.filter
def render_outcome_chip(outcome: str) -> SafeString:
    return render_chip(*OUTCOME_CHIPS[Outcome(outcome)])


@register.filter
def show_outcome_label(outcome: str) -> str:
    return OUTCOME_CHIPS[Outcome(outcome)][0]


@register.filter
def render_delivery_chip(state: str) -> SafeString:
    return render_chip(*DELIVERY_CHIPS[DeliveryState(state)])


@register.filter
def show_topic_names(topics: list[str]) -> str:
    return ", ".join(TOPIC_NAMES[topic] for topic in topics)


@register.filter
def show_kind(kind: str) -> str:
    return KIND_LABELS[Kind(kind)]


@register.filter
def show_kinds(kinds: list[str]) -> str:
    return ", ".join(KIND_LABELS[Kind(kind)] for kind in kinds)


@register.filter
def show_duration(seconds: float | None) -> str:
    return format_duration(seconds)


@register.filter
def show_estimate(seconds: float) -> str:
    return durations.format_estimated_duration(seconds)


@register.filter
def list_possible_queue_actions(progress: QueueProgress) -> list[tuple[str, str]]:
    """Name and label of the actions that are possible for a queue now."""
    names = list_possible_actions(progress.queue, progress.waiting, progress.failed, progress.total)
    return [(name, QUEUE_ACTIONS[name].label) for name in names]
