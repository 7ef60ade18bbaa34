"""Which servers have answered on a manuscript, and which are awaited."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.articles.models import Article
from servers.calls.models import Call
from servers.calls.states import OPEN_CALLS, CallState, QueueMode

ANSWERED, AWAITED, FAILED = "answered", "awaited", "failed"


@dataclass(frozen=True, slots=True)
class ManuscriptAnswer:
    """The last call of a server. state: answered, awaited or failed."""

    name: str
    slug: str
    state: str


def list_server_answers(article: Article) -> list[ManuscriptAnswer]:
    """The servers that the article was sent to or waits for, by name: 1 query."""
    calls = Call.objects.filter(article=article, queue__mode=QueueMode.LIVE).order_by("queue_id", "-pk")
    last = calls.distinct("queue_id").values_list("server__name", "server__slug", "state")
    return sorted(
        (ManuscriptAnswer(name, slug, _name_state(state)) for name, slug, state in last), key=lambda it: it.name
    )


def _name_state(state: str) -> str:
    if state in OPEN_CALLS:
        return AWAITED
    return FAILED if state == CallState.FAILED else ANSWERED


def summarize_answers(answers: Sequence[ManuscriptAnswer]) -> str:
    """How many have answered, in a sentence that is read out."""
    if not answers:
        return "No server may receive manuscripts at present."
    answered = sum(each.state == ANSWERED for each in answers)
    return f"{answered} of {len(answers)} servers have answered."
