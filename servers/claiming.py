"""Which call of a server is next, and what is sent for it.

The next due one in a running queue, front-page requests first, unless the server's own limits say to wait. The server
and its queues are read once a slice (`served`): a change of its settings holds from the next slice on.
"""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models.functions import Now

from annotations.models import Article
from annotations.storing import announce
from servers.client import Question
from servers.models import Attempt, Call, Server
from servers.naming import is_blind, name_of
from servers.settling import pass_over
from servers.states import CallState

MINUTE = timedelta(minutes=1)
TOO_LONG = "text-too-long"
RELATED = ("queue__producer", "server", "article")
# The head of each queue by the index next_call_of_queue, however much waits there or in others, due or not, and the
# first of these heads. One statement, as the planner takes as long for such a query as the database for its answer.
CLAIM = """
UPDATE servers_call SET state = 'asking', reason = '', task_url = '', expires = NULL
WHERE state = 'waiting' AND id = (
    SELECT head.id
    FROM servers_queue queue
    JOIN servers_server server ON server.id = queue.server_id AND server.state = 'online'
    CROSS JOIN LATERAL (
        SELECT id, priority, due FROM servers_call
        WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
        ORDER BY priority, due, id LIMIT 1
    ) head
    WHERE queue.server_id = %s AND NOT queue.held AND (
        queue.state = 'running' OR queue.state = 'resting' AND queue.rest_until <= statement_timestamp()
    )
    ORDER BY head.priority, head.due, head.id LIMIT 1
)
RETURNING *, (SELECT count(*) FROM servers_attempt WHERE call_id = servers_call.id) AS asked_before
"""


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that is ours to ask, the attempt that records it, and when by this process's clock it was taken."""

    call: Call
    attempt: Attempt
    taken: float = field(default_factory=time.monotonic)

    @property
    def state(self) -> CallState:
        """ASKING when it is ours to ask, PENDING when the server works on it already."""
        return CallState.PENDING if self.call.state == CallState.PENDING else CallState.ASKING

    @property
    def article(self) -> Article:
        return self.call.article


def served(server_id: int) -> Server:
    """The server that a slice is for, with its queues."""
    return Server.objects.prefetch_related("queues__producer").get(pk=server_id)


def take_next(server: Server) -> Call | None:
    """The call to ask now, taken by one conditional UPDATE; None when there is nothing to do.

    The caller holds the server's row.
    """
    if over_rate(server):
        return None
    for call in Call.objects.raw(CLAIM, [server.pk]):
        queues = {queue.pk: queue for queue in server.queues.all()}
        call.server, call.queue = server, queues.get(call.queue_id) or call.queue
        return call
    return None


def begin(call: Call) -> Claim:
    """Write down the attempt before the network is touched."""
    number = getattr(call, "asked_before") + 1  # noqa: B009
    attempt = Attempt.objects.create(call=call, server=call.server, number=number)
    announce(call.article_id)
    return Claim(call, attempt)


def longer_than_allowed(call: Call) -> bool:
    limit = call.server.largest_text
    return limit is not None and len(call.article.text) > limit


def refuse_length(call: Call) -> None:
    length, limit = len(call.article.text), call.server.largest_text
    pass_over(call, TOO_LONG, f"Not sent: the text has {length:,} characters, and the server takes {limit:,}.")


def over_rate(server: Server) -> bool:
    """Whether as many calls as are allowed in a minute began in the last one."""
    if server.calls_per_minute is None:
        return False
    newest = server.attempts.order_by("-pk")[server.calls_per_minute - 1 : server.calls_per_minute]
    return Attempt.objects.filter(pk__in=list(newest.values_list("pk", flat=True)), started__gt=Now() - MINUTE).exists()


def question_of(claim: Claim) -> Question:
    """What is sent: in a test, and of an article of any blind corpus, the opaque id and never the PMID."""
    server, article = claim.call.server, claim.article
    blind = is_blind(claim.call)
    return Question(
        url=server.url,
        protocol=server.protocol,
        method=server.method,
        send=server.send,
        kinds=server.registered_kinds,
        time_limit=time_limit(claim.call),
        networks=settings.ALLOWED_NETWORKS,
        identifier=name_of(article, blind=blind),
        pmid=None if blind else article.pmid,
        title=article.title,
        abstract=article.abstract,
        text=article.text,
        reference=claim.attempt.pk,
        key=server.secret_key,
        parameters=server.custom_parameters,
        expires=expires_of(claim),
    )


def expires_of(claim: Claim) -> datetime:
    """Until when an answer is waited for, the attempt's row being as old as it is."""
    return claim.attempt.started + timedelta(seconds=time_limit(claim.call))


def time_limit(call: Call) -> float:
    """Seconds for one article, all waiting included: the least of what the server, the phase and the site allow."""
    minutes = min(settings.MINUTES_PER_CALL, call.queue.minutes or settings.MINUTES_PER_CALL)
    return float(min(call.server.time_limit, minutes * 60))
