"""Annotation servers, their queues, and teams."""

from collections.abc import Mapping, Sequence
from typing import Any

from bcms_client.address import build_path
from bcms_client.calls import Call, ListCall, get, post
from bcms_client.records.servers import ActionDone, Availability, Loaded, OwnTeam, Server, ServerCall, ServerDetail

QUEUE_ACTIONS = ("retry", "next", "retry-failed", "rerun", "clear")
CALL_STATES = ("waiting", "asking", "pending", "answered", "empty", "failed")


def list_teams() -> ListCall[OwnTeam]:
    """The teams of the account. AuthenticationError without a token."""
    return ListCall("teams/", OwnTeam)


def list_servers(*, unreviewed: bool | None = None) -> ListCall[Server]:
    """The accepted servers and those of your teams, by name; unreviewed: other servers without a review, too."""
    return ListCall("servers/", Server, {"unreviewed": unreviewed})


def get_server(slug: str) -> Call[ServerDetail]:
    """One server; for members of its team with its settings and queues."""
    return get(build_path("servers", slug), ServerDetail)


def get_availability(slug: str) -> Call[Availability]:
    """Availability, response times and downtimes of a server over four windows."""
    return get(build_path("servers", slug, "availability"), Availability)


def register_server(
    team: str, name: str, url: str, kinds: Sequence[str], settings: Mapping[str, Any] | None = None
) -> Call[ServerDetail]:
    """Register a server for one of your teams, offline until it is started; settings: further fields of the API."""
    body = {**(settings or {}), "team": team, "name": name, "url": url, "kinds": list(kinds)}
    return post("servers/", ServerDetail, body)


def start_server(slug: str) -> Call[ServerDetail]:
    """Send the waiting articles to a server."""
    return post(build_path("servers", slug, "start"), ServerDetail)


def stop_server(slug: str, *, now: bool = False) -> Call[ServerDetail]:
    """Stop a server after its current call; now: abort that call, whose article waits again."""
    return post(build_path("servers", slug, "halt-hard" if now else "halt"), ServerDetail)


def load_articles(slug: str, *, corpus: str | None = None, pmids: Sequence[int] | None = None) -> Call[Loaded]:
    """Add the articles of a corpus, or those with these PMIDs, to the live queue of a server."""
    body = {"corpus": corpus, "pmids": None if pmids is None else list(pmids)}
    return post(build_path("servers", slug, "load"), Loaded, body)


def act_on_queue(slug: str, queue: int, action: str) -> Call[ActionDone]:
    """Do one of QUEUE_ACTIONS with a queue of a server. ConflictError if it is not possible now."""
    return post(build_path("servers", slug, "queues", queue, action), ActionDone)


def list_calls(slug: str, *, state: str | None = None) -> ListCall[ServerCall]:
    """The calls of a server, newest first; state: one of CALL_STATES."""
    return ListCall(build_path("servers", slug, "calls"), ServerCall, {"state": state})
