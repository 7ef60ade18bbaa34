"""Claim the next call of a server and build its request.

The next call is the first due call of the running queues by priority, unless the server's rate limit is reached. The
server and its queues are read once per slice: changed settings take effect with the next slice. Several calls for one
request are claimed in servers/calls/batches/batch_claim.py.
"""

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import JSONField
from django.db.models.functions import Now

from annotations.articles.models import Article
from bcms.lib.prepared_statements import PreparedStatement
from servers.calls.article_names import get_pmid_or_opaque_id
from servers.calls.leases.lease import LeaseLostError, get_lease_term
from servers.calls.models import Attempt, Call, Queue
from servers.calls.outcomes.call_end import end_waiting_call_superseding_with_empty_results
from servers.calls.queues.time_limits import (
    compute_batch_time_limit_seconds,
    compute_strictest_time_limit_seconds,
)
from servers.calls.retry import get_max_meta_server_faults
from servers.calls.states import META_SERVER_FAULTS, CallState, Outcome, QueueMode
from servers.credentials.sealed_headers import open_secret_headers_for_url
from servers.credentials.signing_secrets import open_signing_secret
from servers.pasted_texts.queries import count_pasted_texts_of_last_minute
from servers.protocols.annotation_requests import AnnotationRequest
from servers.registry.models import Server

MINUTE = timedelta(minutes=1)
TOO_LONG_CODE = "text-too-long"
CALL_RELATIONS = ("queue__producer", "server__call_credentials", "server__signing_secret", "article")
# Without the generated words of its text, which are as long as the text and which no request needs.
ARTICLE_FIELDS = [field for field in Article._meta.concrete_fields if not field.generated]
ARTICLE_COLUMNS = ", ".join(f"article.{field.column} AS {field.attname}" for field in ARTICLE_FIELDS)
# Takes the first of the heads of all queues; each head comes from the index next_call_of_queue, so that the number of
# waiting calls does not matter. Of the articles that readers opened while the server was stopped or unreachable, the
# latest comes first. One statement, as round trips cost more than the work of the database. It renews the lease first
# and claims nothing without it. The batch is inserted after the call that refers to it, so that there is none without a
# call; the number of a claim that fails is not used again.
CLAIM_HEAD = f"""
mine AS (
    UPDATE servers_server
    SET lease_until = statement_timestamp() + make_interval(secs => %(seconds)s), version = version + 1
    WHERE lease_token = %(lease)s
    RETURNING id, state, largest_text
), head AS (
    SELECT first.id
    FROM mine
    JOIN servers_queue queue ON queue.server_id = mine.id
    CROSS JOIN LATERAL (
        (
            SELECT id, priority, due FROM servers_call
            WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
                AND priority < {Call.Priority.MISSED.value}
            ORDER BY priority, due, id LIMIT 1
        ) UNION ALL (
            SELECT id, priority, due FROM servers_call
            WHERE queue_id = queue.id AND state = 'waiting' AND due <= statement_timestamp()
                AND priority = {Call.Priority.MISSED.value}
            ORDER BY due DESC, id DESC LIMIT 1
        )
    ) first
    WHERE mine.state = 'online' AND NOT queue.held AND (
        queue.state = 'running' OR queue.state = 'resting' AND queue.rest_until <= statement_timestamp()
    )
    ORDER BY first.priority, first.due, first.id LIMIT 1
)"""
CLAIM_TYPES = {"lease": "uuid", "seconds": "float8"}
CLAIM = PreparedStatement(
    "claim",
    CLAIM_TYPES,
    f"""
WITH {CLAIM_HEAD}, taken AS (
    UPDATE servers_call SET
        state = 'asking', reason = '', task_url = '', expires = NULL, batch_id = nextval('servers_batch_id_seq'),
        begun_attempts = begun_attempts + 1
    WHERE id = (SELECT id FROM head) AND state = 'waiting'
    RETURNING *
), batch AS (
    INSERT INTO servers_batch (id, server_id) SELECT batch_id, server_id FROM taken
), article AS (
    SELECT annotations_article.* FROM taken JOIN annotations_article ON annotations_article.id = taken.article_id
), attempt AS (
    INSERT INTO servers_attempt
        (call_id, server_id, number, text_version, outcome, phases, diagnosis, message, broken_rules)
    SELECT
        taken.id, taken.server_id, taken.begun_attempts,
        article.text_version, '{Outcome.UNDER_WAY}', '{{}}', '', '', '[]'
    FROM taken CROSS JOIN article CROSS JOIN mine
    WHERE mine.largest_text IS NULL OR char_length(article.text) <= mine.largest_text
    RETURNING id, number, started
)
SELECT
    {ARTICLE_COLUMNS},
    taken.id AS call_id, taken.queue_id, taken.priority, taken.tries, taken.request_id,
    attempt.id AS attempt_id, attempt.number, attempt.started,
    EXISTS (
        SELECT FROM servers_call next
        WHERE next.queue_id = taken.queue_id AND next.state = 'waiting' AND next.id <> taken.id
    ) AS more
FROM mine LEFT JOIN taken ON true LEFT JOIN article ON true LEFT JOIN attempt ON true
""",
)


@dataclass(frozen=True, slots=True)
class TooLongCall:
    """A claimed call that is not made because the article is longer than the server accepts."""

    call: Call


@dataclass(frozen=True, slots=True)
class CallClaim:
    """A call that this worker makes, with the attempt that records it.

    blind: the server must not learn which article it is. begun: when claiming began, by time.monotonic(); the lease was
    renewed after it. more: other calls wait in the same queue.
    """

    call: Call
    attempt: Attempt
    blind: bool
    begun: float
    more: bool = False

    @property
    def state(self) -> CallState:
        """ASKING before the request is sent, PENDING once the server has accepted it."""
        return CallState.PENDING if self.call.state == CallState.PENDING else CallState.ASKING

    @property
    def article(self) -> Article:
        return self.call.article


def get_server_with_queues(server_id: int) -> Server:
    """The server with its credentials and signing secret, and with its queues and their producers prefetched."""
    authenticated = Server.objects.select_related("call_credentials", "signing_secret")
    return authenticated.prefetch_related("queues__producer").get(pk=server_id)


def claim_next_call_within_rate_limit(server: Server, lease_token: uuid.UUID) -> CallClaim | TooLongCall | None:
    """Claim the call to make now, and store its attempt before anything is sent; None if no call is due.

    LeaseLostError if the token does not hold the server's lease any more.
    """
    if is_over_rate_limit(server):
        return None
    statement = CLAIM.get_ready_text()
    begun = time.monotonic()
    rows = read_claim_rows(statement, {"lease": lease_token, "seconds": get_lease_term().total_seconds()})
    claims = build_claims(server, rows, begun)
    return claims[0] if claims else None


def read_claim_rows(statement: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a claim statement by the names of their columns. A raw query set would take several times longer."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def build_claims(
    server: Server, claim_rows: Sequence[Mapping[str, Any]], begun: float
) -> list[CallClaim | TooLongCall]:
    """The claimed calls in a claim statement's rows; LeaseLostError if there is no row, which one without a call is."""
    if not claim_rows:
        raise LeaseLostError
    return [_build_claim(server, row, begun) for row in claim_rows if row["id"]]


def _build_claim(server: Server, row: Mapping[str, Any], begun: float) -> CallClaim | TooLongCall:
    """The claimed call from a row of the claim statement."""
    article = _build_article(row)
    queues = {queue.pk: queue for queue in server.queues.all()}
    call = Call(
        pk=row["call_id"],
        queue=queues.get(row["queue_id"]) or Queue.objects.select_related("producer").get(pk=row["queue_id"]),
        server=server,
        article=article,
        priority=row["priority"],
        state=CallState.ASKING,
        tries=row["tries"],
        request_id=row["request_id"],
    )
    if row["attempt_id"] is None:
        return TooLongCall(call)
    attempt = Attempt(
        pk=row["attempt_id"],
        call=call,
        server=server,
        number=row["number"],
        started=row["started"],
        articles_in_request=row.get("articles_in_request", 1),
    )
    return CallClaim(call, attempt, article.blind or call.queue.mode == QueueMode.TEST, begun, row["more"])


def _build_article(row: Mapping[str, Any]) -> Article:
    """The article of a row, whose columns with JSON are texts still."""
    values = [
        json.loads(row[field.attname]) if isinstance(field, JSONField) else row[field.attname]
        for field in ARTICLE_FIELDS
    ]
    return Article.from_db(connection.alias, [field.attname for field in ARTICLE_FIELDS], values)


def has_lost_too_many_attempts(claim: CallClaim) -> bool:
    """Whether so many workers crashed with this call that the server's answer may be what crashes them.

    Crashes with several articles in the request do not count, as any of them may be the reason. In a test all attempts
    count that an error of the meta-server ended, otherwise only lost ones in a row.
    """
    mode = QueueMode(claim.call.queue.mode)
    limit = get_max_meta_server_faults(mode)
    if claim.attempt.number <= limit:
        return False
    alone = claim.call.attempts.filter(articles_in_request=1)
    earlier = alone.exclude(pk=claim.attempt.pk).order_by("-number")
    if mode == QueueMode.TEST:
        return earlier.filter(outcome__in=META_SERVER_FAULTS).count() >= limit
    return list(earlier.values_list("outcome", flat=True)[:limit]) == [Outcome.LOST] * limit


def end_too_long_call_as_empty(call: Call) -> None:
    """End a call that the server does not accept because of its length, with an empty result."""
    length, limit = len(call.article.text), call.server.largest_text
    end_waiting_call_superseding_with_empty_results(
        call, TOO_LONG_CODE, f"Not sent: the text has {length:,} characters, but the server accepts at most {limit:,}."
    )


def is_over_rate_limit(server: Server) -> bool:
    """Whether the server's calls per minute are used up for the last minute; a request with several articles is one."""
    most = server.calls_per_minute
    if most is None:
        return False
    if server.accepts_pasted_texts:
        most -= count_pasted_texts_of_last_minute(server.pk)
    if most <= 0:
        return True
    if server.articles_per_request > 1:
        recent = server.attempts.filter(started__gt=Now() - MINUTE)
        return recent.order_by("started").values("started").distinct().count() >= most
    newest = server.attempts.order_by("-pk")[most - 1 : most]
    return Attempt.objects.filter(pk__in=list(newest.values_list("pk", flat=True)), started__gt=Now() - MINUTE).exists()


def build_claim_request(claim: CallClaim) -> AnnotationRequest:
    """The request of a claimed call; it has the opaque id instead of the PMID if the article is blind.

    CallError if the server has credentials for another host.
    """
    server, article, blind = claim.call.server, claim.article, claim.blind
    return AnnotationRequest(
        url=server.url,
        protocol=server.protocol,
        method=server.method,
        send=server.send,
        kinds=server.registered_kinds,
        entity_types=tuple(server.entity_types),
        time_limit=compute_strictest_time_limit_seconds(claim.call),
        connect_limit=server.connect_limit,
        networks=settings.ALLOWED_NETWORKS,
        identifier=get_pmid_or_opaque_id(article, blind=blind),
        pmid=None if blind else article.pmid,
        title=article.title,
        abstract=article.abstract,
        text=article.text,
        reference=claim.attempt.pk,
        key=server.secret_key,
        parameters=server.custom_parameters,
        expires=compute_answer_deadline([claim]),
        secret_headers=open_secret_headers_for_url(server, server.url),
        signing_secret=open_signing_secret(server),
    )


def compute_answer_deadline(claims: Sequence[CallClaim]) -> datetime:
    """The time until which we wait for an answer to these attempts, which one request makes."""
    seconds = compute_batch_time_limit_seconds(claim.call for claim in claims)
    return claims[0].attempt.started + timedelta(seconds=seconds)
