"""Which call of a server is next, and what is sent for it.

The next due one in a running queue, front-page requests first, unless the server's own limits say to wait. The server
and its queues are read once a slice (`served`): a change of its settings holds from the next slice on.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakSet

from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from annotations.models import Article
from servers.client import Question
from servers.lease import LeaseLostError, term
from servers.models import Attempt, Call, Queue, Server
from servers.naming import name_of
from servers.retry import TRIES
from servers.settling import pass_over
from servers.states import CallState, Outcome, QueueMode

MINUTE = timedelta(minutes=1)
TOO_LONG = "text-too-long"
RELATED = ("queue__producer", "server", "article")
# The head of each queue by the index next_call_of_queue, however much waits there or in others, due or not, and the
# first of these heads. All in one statement: what is sent to the database costs more than what it does. The lease is
# renewed first, and who does not hold it takes nothing. Prepared, as planning it takes longer than doing it.
PREPARE = f"""
PREPARE claim (uuid, float8) AS
WITH mine AS (
    UPDATE servers_server
    SET lease_until = statement_timestamp() + make_interval(secs => $2), version = version + 1
    WHERE lease_token = $1
    RETURNING id, state, largest_text
), head AS (
    SELECT first.id
    FROM mine
    JOIN servers_queue queue ON queue.server_id = mine.id
    CROSS JOIN LATERAL (
        SELECT id, priority, due FROM servers_call
        WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
        ORDER BY priority, due, id LIMIT 1
    ) first
    WHERE mine.state = 'online' AND NOT queue.held AND (
        queue.state = 'running' OR queue.state = 'resting' AND queue.rest_until <= statement_timestamp()
    )
    ORDER BY first.priority, first.due, first.id LIMIT 1
), taken AS (
    UPDATE servers_call SET state = 'asking', reason = '', task_url = '', expires = NULL
    WHERE id = (SELECT id FROM head) AND state = 'waiting'
    RETURNING *
), article AS (
    SELECT annotations_article.* FROM taken JOIN annotations_article ON annotations_article.id = taken.article_id
), attempt AS (
    INSERT INTO servers_attempt
        (call_id, server_id, number, text_version, outcome, phases, diagnosis, message, broken_rules, request, answer)
    SELECT
        taken.id, taken.server_id, 1 + (SELECT count(*) FROM servers_attempt WHERE call_id = taken.id),
        article.text_version, '{Outcome.UNDER_WAY}', '{{}}', '', '', '[]', '', ''
    FROM taken CROSS JOIN article CROSS JOIN mine
    WHERE mine.largest_text IS NULL OR char_length(article.text) <= mine.largest_text
    RETURNING id, number, started
)
SELECT
    article.*,
    taken.id AS call_id, taken.queue_id, taken.priority, taken.tries,
    attempt.id AS attempt_id, attempt.number, attempt.started,
    EXISTS (
        SELECT FROM servers_call next
        WHERE next.queue_id = taken.queue_id AND next.state = 'waiting' AND next.id <> taken.id
    ) AS more,
    EXISTS (
        SELECT FROM annotations_corpusarticle member JOIN annotations_corpus corpus ON corpus.id = member.corpus_id
        WHERE member.article_id = article.id AND corpus.blind
    ) AS blind
FROM mine LEFT JOIN taken ON true LEFT JOIN article ON true LEFT JOIN attempt ON true
"""
CLAIM = "EXECUTE claim (%s, %s)"
# The connections that have it.
prepared: WeakSet[Any] = WeakSet()


@dataclass(frozen=True, slots=True)
class TooLong:
    """A call that was taken and is not asked, as its text is longer than the server takes."""

    call: Call


@dataclass(frozen=True, slots=True)
class Claim:
    """A call that is ours to ask, the attempt that records it, and when by this process's clock it was taken.

    blind: the server must not learn which article it is. more: other calls waited in its queue.
    """

    call: Call
    attempt: Attempt
    blind: bool
    more: bool = False
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


def take_next(server: Server, token: uuid.UUID) -> Claim | TooLong | None:
    """The call to ask now, its attempt written down before the network is touched; None when there is nothing to do.

    LeaseLostError when the token is not the server's any more.
    """
    if over_rate(server):
        return None
    prepare()
    rows = list(Article.objects.raw(CLAIM, [token, term().total_seconds()]))
    if not rows:
        raise LeaseLostError
    (article,) = rows
    return claimed(server, article, vars(article)) if article.pk else None


def prepare() -> None:
    """Make CLAIM known on this thread's connection, once for each: the database forgets it with the connection."""
    connection.ensure_connection()
    if connection.connection not in prepared:
        with connection.cursor() as cursor:
            cursor.execute(PREPARE)
        prepared.add(connection.connection)


def claimed(server: Server, article: Article, row: Mapping[str, Any]) -> Claim | TooLong:
    """The call that was taken, of the row that CLAIM gave besides the article."""
    queues = {queue.pk: queue for queue in server.queues.all()}
    call = Call(
        pk=row["call_id"],
        queue=queues.get(row["queue_id"]) or Queue.objects.select_related("producer").get(pk=row["queue_id"]),
        server=server,
        article=article,
        priority=row["priority"],
        state=CallState.ASKING,
        tries=row["tries"],
    )
    if row["attempt_id"] is None:
        return TooLong(call)
    attempt = Attempt(pk=row["attempt_id"], call=call, server=server, number=row["number"], started=row["started"])
    return Claim(call, attempt, row["blind"] or call.queue.mode == QueueMode.TEST, row["more"])


def lost_again_and_again(claim: Claim) -> bool:
    """Whether as many workers in a row as a call has tries ended with it: then it may be the answer that ends them."""
    if claim.attempt.number <= TRIES:
        return False
    last = claim.call.attempts.exclude(pk=claim.attempt.pk).order_by("-number").values_list("outcome", flat=True)
    return list(last[:TRIES]) == [Outcome.LOST] * TRIES


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
    server, article, blind = claim.call.server, claim.article, claim.blind
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
