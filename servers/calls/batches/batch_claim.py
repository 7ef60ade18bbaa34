"""Claim several calls of a server that takes more than one article in a request.

The first is the call that would be claimed alone. The calls that follow it in its queue with the same priority are sent
with it, unless it is a test, or the call has failed before: then it is sent alone, so that it takes no other with it.
Calls that failed before are not sent with others, nor are texts that are longer than the server accepts.
"""

import time
import uuid

from bcms.lib.prepared_statements import PreparedStatement
from servers.calls.batches.batch_decisions import MOST_TEXT_BYTES, compute_batch_size
from servers.calls.batches.batch_limits import get_batch_limit
from servers.calls.claim import (
    ARTICLE_COLUMNS,
    CLAIM_HEAD,
    CLAIM_TYPES,
    CallClaim,
    TooLongCall,
    build_claims,
    is_over_rate_limit,
    read_claim_rows,
)
from servers.calls.leases.lease import get_lease_term
from servers.calls.models import Call
from servers.calls.states import Outcome, QueueMode
from servers.registry.models import Server

# most: how many calls; bytes: of how much text at most, if there are several. Of each call that follows, the
# text is measured in the statement, as the articles are read anyway. Calls and batch are stored as in the claim of one.
BATCH_CLAIM = PreparedStatement(
    "batch_claim",
    {**CLAIM_TYPES, "most": "int", "bytes": "int"},
    f"""
WITH {CLAIM_HEAD}, leader AS (
    SELECT call.id, call.article_id, call.queue_id, call.priority, mine.largest_text,
        call.tries = 0 AND queue.mode <> '{QueueMode.TEST}' AND (
            mine.largest_text IS NULL OR char_length(article.text) <= mine.largest_text
        ) AS takes_others
    FROM head
    JOIN servers_call call USING (id)
    JOIN servers_queue queue ON queue.id = call.queue_id
    JOIN annotations_article article ON article.id = call.article_id
    CROSS JOIN mine
), follower AS (
    SELECT other.id, other.article_id, leader.largest_text,
        row_number() OVER (
            ORDER BY CASE WHEN leader.priority = {Call.Priority.MISSED.value} THEN - extract(epoch FROM other.due)
                ELSE extract(epoch FROM other.due) END, other.id
        ) AS place
    FROM leader CROSS JOIN LATERAL (
        (
            SELECT id, article_id, due FROM servers_call
            WHERE queue_id = leader.queue_id AND priority = leader.priority AND state = 'waiting'
                AND due <= statement_timestamp() AND tries = 0 AND id <> leader.id
                AND leader.priority < {Call.Priority.MISSED.value}
            ORDER BY due, id LIMIT %(most)s - 1
        ) UNION ALL (
            SELECT id, article_id, due FROM servers_call
            WHERE queue_id = leader.queue_id AND priority = leader.priority AND state = 'waiting'
                AND due <= statement_timestamp() AND tries = 0 AND id <> leader.id
                AND leader.priority = {Call.Priority.MISSED.value}
            ORDER BY due DESC, id DESC LIMIT %(most)s - 1
        )
    ) other
    WHERE leader.takes_others
), measured AS (
    SELECT candidate.id, candidate.place, sum(octet_length(article.text)) OVER (ORDER BY candidate.place) AS bytes
    FROM (
        SELECT id, article_id, NULL::int AS largest_text, 0 AS place FROM leader
        UNION ALL SELECT id, article_id, largest_text, place FROM follower
    ) candidate
    JOIN annotations_article article ON article.id = candidate.article_id
    WHERE candidate.largest_text IS NULL OR char_length(article.text) <= candidate.largest_text
), chosen AS (
    SELECT id, place FROM measured WHERE place = 0 OR bytes <= %(bytes)s
), request AS MATERIALIZED (
    SELECT nextval('servers_batch_id_seq') AS id FROM head
), taken AS (
    UPDATE servers_call SET
        state = 'asking', reason = '', task_url = '', expires = NULL, batch_id = (SELECT id FROM request),
        begun_attempts = begun_attempts + 1
    WHERE id IN (SELECT id FROM chosen) AND state = 'waiting'
    RETURNING *
), batch AS (
    INSERT INTO servers_batch (id, server_id) SELECT DISTINCT batch_id, server_id FROM taken
), article AS (
    SELECT annotations_article.*, taken.id AS call_id
    FROM taken JOIN annotations_article ON annotations_article.id = taken.article_id
), attempt AS (
    INSERT INTO servers_attempt (
        call_id, server_id, number, text_version, outcome, phases, diagnosis, message, broken_rules, articles_in_request
    )
    SELECT
        taken.id, taken.server_id, taken.begun_attempts,
        article.text_version, '{Outcome.UNDER_WAY}', '{{}}', '', '', '[]', (SELECT count(*) FROM taken)
    FROM taken JOIN article ON article.call_id = taken.id JOIN chosen ON chosen.id = taken.id CROSS JOIN mine
    WHERE mine.largest_text IS NULL OR char_length(article.text) <= mine.largest_text
    ORDER BY chosen.place
    RETURNING id, call_id, number, started, articles_in_request
)
SELECT
    {ARTICLE_COLUMNS}, article.call_id,
    taken.queue_id, taken.priority, taken.tries, taken.request_id,
    attempt.id AS attempt_id, attempt.number, attempt.started, attempt.articles_in_request,
    EXISTS (
        SELECT FROM servers_call next
        WHERE next.queue_id = taken.queue_id AND next.state = 'waiting' AND next.id NOT IN (SELECT id FROM taken)
    ) AS more
FROM mine
LEFT JOIN taken ON true
LEFT JOIN article ON article.call_id = taken.id
LEFT JOIN attempt ON attempt.call_id = taken.id
ORDER BY attempt.id
""",
)


def claim_next_calls_within_rate_limit(server: Server, lease_token: uuid.UUID) -> list[CallClaim] | TooLongCall | None:
    """Claim the calls to make now with one request, and store their attempts before anything is sent.

    The first of the claims has the first attempt. None if no call is due; LeaseLostError if the token does not hold the
    server's lease any more.
    """
    if is_over_rate_limit(server):
        return None
    statement = BATCH_CLAIM.get_ready_text()
    size = compute_batch_size(server.articles_per_request, get_batch_limit(server))
    begun = time.monotonic()
    values = {
        "lease": lease_token,
        "seconds": get_lease_term().total_seconds(),
        "most": size,
        "bytes": MOST_TEXT_BYTES,
    }
    claims = build_claims(server, read_claim_rows(statement, values), begun)
    if claims and isinstance(claims[0], TooLongCall):
        return claims[0]
    return [claim for claim in claims if isinstance(claim, CallClaim)] or None
