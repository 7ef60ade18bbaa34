"""What works on the site now, in the words of those who use it."""

from dataclasses import dataclass

from bcms.health.readiness import OK, probe_readiness

# Of each part that is probed: what depends on it, and what people notice while it fails.
NOTICED = {
    "database": ("Pages and search", "Pages show what they had last, or say that the site is not available."),
    "broker": ("Requests to workers", "Pages are shown, but what you start waits."),
    "workers of asking": ("Calls to annotation servers", "No server is called. Articles wait in the queues."),
    "workers of scoring": ("Scores of runs", "New runs wait for their scores."),
    "workers of work": ("Uploads, fetched articles and mail", "They wait."),
    "scheduler": ("Regular work", "Phases do not open or close by themselves, and waiting calls are not repeated."),
    "calls": ("Time until a server is called", "A server has waited for its next call for more than 15 minutes."),
    "disk": ("Room for uploads and exports", "Large files may be refused."),
}


@dataclass(frozen=True, slots=True)
class PartState:
    """name: what depends on the part; notice: what people notice if it does not work."""

    name: str
    works: bool
    notice: str


def list_part_states() -> list[PartState]:
    """The state of each part that can be probed: without the broker, nothing is known of workers."""
    states = probe_readiness()
    known = {part: texts for part, texts in NOTICED.items() if part in states}
    return [PartState(name, states[part] == OK, notice) for part, (name, notice) in known.items()]
