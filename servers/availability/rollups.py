"""Roll attempts up into hours, and hours into days. Repeating a roll-up is safe.

Attempts with several articles in their request are not counted, because neither their time nor their failure is that
of one article. An attempt belongs to the hour in which it began. An hour is counted again until it has been over for a
while and all its attempts have ended.
"""

from datetime import datetime, timedelta

from django.db import connection, transaction

from servers.availability.measures.percentiles import SHORTEST, WIDTH
from servers.availability.measures.windows import LONGEST_WINDOW

# An attempt that a crash left behind ends within minutes, but not before its server is started again.
LONGEST_OPEN = timedelta(days=1)
KEPT = LONGEST_WINDOW + timedelta(days=2)
# Days that were counted are not counted again after their hours are deleted, as not all of their attempts may be left.
SELECT_FIRST_HOUR = """
SELECT coalesce(
    (SELECT min(begins) FROM servers_hourtally WHERE NOT settled),
    (SELECT max(begins) + interval '1 hour' FROM servers_hourtally),
    (SELECT max(begins) + interval '1 day' FROM servers_daytally),
    (SELECT min(started) FROM servers_attempt)
)
"""
STORE_HOURS = """
WITH tried AS (
    SELECT server_id, date_trunc('hour', started, 'UTC') AS begins, annotations, document_bytes,
        CASE WHEN articles_in_request = 1 THEN outcome END AS outcome,
        articles_in_request = 1 AND outcome IN ('answered', 'empty') AS taken,
        coalesce((phases -> 'wait')::float, 0) + coalesce((phases -> 'transfer')::float, 0)
            + coalesce((phases -> 'work')::float, 0) AS response,
        coalesce((phases -> 'connect')::float, 0) AS round_trip, phases -> 'work' IS NOT NULL AS later,
        coalesce((phases -> 'wait')::float, 0) + coalesce((phases -> 'transfer')::float, 0) AS acknowledgement
    FROM servers_attempt WHERE started >= %(first)s
), filled AS (
    SELECT server_id, begins, count(*) AS times,
        CASE WHEN response > %(shortest)s THEN floor(ln(response / %(shortest)s) / ln(%(width)s::float)) ELSE 0 END
            ::int AS bucket
    FROM tried WHERE taken GROUP BY server_id, begins, bucket
), spread AS (
    SELECT server_id, begins, jsonb_object_agg(bucket, times) AS buckets FROM filled GROUP BY server_id, begins
), counted AS (
    SELECT server_id, begins,
        count(*) FILTER (WHERE outcome = 'answered') AS answered,
        count(*) FILTER (WHERE outcome = 'empty') AS empty,
        count(*) FILTER (WHERE outcome = 'invalid') AS invalid,
        count(*) FILTER (WHERE outcome IN ('connection', 'unavailable')) AS connection,
        count(*) FILTER (WHERE outcome = 'communication') AS communication,
        count(*) FILTER (WHERE outcome = 'no answer in time') AS no_answer,
        count(*) FILTER (WHERE taken) AS documents,
        coalesce(sum(annotations) FILTER (WHERE taken), 0) AS annotations,
        coalesce(sum(document_bytes) FILTER (WHERE taken), 0) AS document_bytes,
        coalesce(sum(response) FILTER (WHERE taken), 0) AS seconds,
        max(response) FILTER (WHERE taken) AS slowest,
        coalesce(sum(least(round_trip, response)) FILTER (WHERE taken), 0) AS round_trips,
        count(*) FILTER (WHERE taken AND later) AS acknowledged,
        coalesce(sum(acknowledgement) FILTER (WHERE taken AND later), 0) AS acknowledgement_seconds,
        count(*) FILTER (WHERE outcome = 'under way') AS under_way
    FROM tried GROUP BY server_id, begins
)
INSERT INTO servers_hourtally (server_id, begins, answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    buckets, settled)
SELECT server_id, begins, answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    coalesce(buckets, '{}'),
    begins < %(now)s - interval '70 minutes' AND (under_way = 0 OR begins < %(now)s - %(longest_open)s)
FROM counted LEFT JOIN spread USING (server_id, begins) ORDER BY server_id, begins
ON CONFLICT (server_id, begins) DO UPDATE SET (answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    buckets, settled) = ROW (excluded.answered,
    excluded.empty, excluded.invalid, excluded.connection, excluded.communication, excluded.no_answer,
    excluded.documents, excluded.annotations, excluded.document_bytes, excluded.seconds, excluded.slowest,
    excluded.round_trips, excluded.acknowledged, excluded.acknowledgement_seconds, excluded.buckets, excluded.settled)
"""
STORE_DAYS = """
WITH hours AS (
    SELECT *, date_trunc('day', begins, 'UTC') AS day FROM servers_hourtally
    WHERE begins >= date_trunc('day', %(first)s::timestamptz, 'UTC')
), filled AS (
    SELECT server_id, day, key, sum(value::int) AS times
    FROM hours CROSS JOIN LATERAL jsonb_each_text(buckets) GROUP BY server_id, day, key
), spread AS (
    SELECT server_id, day, jsonb_object_agg(key, times) AS buckets FROM filled GROUP BY server_id, day
), counted AS (
    SELECT server_id, day, sum(answered) AS answered, sum(empty) AS empty, sum(invalid) AS invalid,
        sum(connection) AS connection, sum(communication) AS communication, sum(no_answer) AS no_answer,
        sum(documents) AS documents, sum(annotations) AS annotations, sum(document_bytes) AS document_bytes,
        sum(seconds) AS seconds, max(slowest) AS slowest, sum(round_trips) AS round_trips,
        sum(acknowledged) AS acknowledged, sum(acknowledgement_seconds) AS acknowledgement_seconds
    FROM hours GROUP BY server_id, day
)
INSERT INTO servers_daytally (server_id, begins, answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    buckets)
SELECT server_id, day, answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    coalesce(spread.buckets, '{}')
FROM counted LEFT JOIN spread USING (server_id, day) ORDER BY server_id, day
ON CONFLICT (server_id, begins) DO UPDATE SET (answered, empty, invalid, connection, communication, no_answer,
    documents, annotations, document_bytes, seconds, slowest, round_trips, acknowledged, acknowledgement_seconds,
    buckets) = ROW (excluded.answered,
    excluded.empty, excluded.invalid, excluded.connection, excluded.communication, excluded.no_answer,
    excluded.documents, excluded.annotations, excluded.document_bytes, excluded.seconds, excluded.slowest,
    excluded.round_trips, excluded.acknowledged, excluded.acknowledgement_seconds, excluded.buckets)
"""
DELETE_OLD_HOURS = "DELETE FROM servers_hourtally WHERE begins < %s"


@transaction.atomic
def roll_up_attempts_and_delete_old_hours(now: datetime) -> None:
    """Update the tallies of hours and days of all servers up to now: 4 queries."""
    with connection.cursor() as cursor:
        cursor.execute(SELECT_FIRST_HOUR)
        first = cursor.fetchone()[0]
        if first is None:
            return
        hour = first.replace(minute=0, second=0, microsecond=0)
        parameters = {"first": hour, "now": now, "longest_open": LONGEST_OPEN, "shortest": SHORTEST, "width": WIDTH}
        cursor.execute(STORE_HOURS, parameters)
        cursor.execute(STORE_DAYS, {"first": first})
        cursor.execute(DELETE_OLD_HOURS, [now - KEPT])
