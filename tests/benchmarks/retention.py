"""What attempts take, and how long a month of them takes to be dropped.

    python -m tests.benchmarks.retention [--attempts 200000] [--body-bytes 1500]

Attempts of one month with requests and answers that do not compress well, one in a hundred with broken rules and a
result, so that it stays. Prints the bytes of an attempt with its indexes and of its body, the seconds to drop a month,
and for how long others had to wait: the longest of the statements that read attempts in the meantime.
"""

import threading
import time
from datetime import timedelta

from tests.benchmarks.availability import execute, measure_seconds
from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

INSERT_ATTEMPTS = """
INSERT INTO servers_attempt (call_id, server_id, number, started, finished, outcome, phases, diagnosis, message,
    annotations, document_bytes, broken_rules)
SELECT call.id, call.server_id, 1, moment, moment + interval '2 seconds', 'answered',
    '{"resolve": 0.000123, "connect": 0.012345, "tls": 0.023456, "send": 0.000321, "wait": 1.234567, "transfer": 0.01}',
    '', '', 12, 1600, CASE WHEN number %% 100 = 0 THEN '[{"code": "R101"}]'::jsonb ELSE '[]' END
FROM generate_series(1, %s) AS number
CROSS JOIN LATERAL (SELECT %s::timestamptz + interval '28 days' * number / %s AS moment) moments
CROSS JOIN LATERAL (SELECT * FROM servers_call LIMIT 1) call
"""
INSERT_BODIES = """
INSERT INTO servers_attemptbody (attempt_id, started, request, answer)
SELECT id, started, convert_to(text, 'UTF8'), convert_to(reverse(text), 'UTF8') FROM servers_attempt
CROSS JOIN LATERAL (
    SELECT string_agg(md5(id::text || part), ' ') AS text FROM generate_series(1, %s / 64) part
) texts
"""
SIZES = """
SELECT sum(pg_total_relation_size(relid))::float FROM pg_partition_tree(%s)
"""


def read_bytes(table):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(SIZES, [table])
        return cursor.fetchone()[0]


def make_call():
    from annotations.articles.models import Article
    from annotations.results.models import Result
    from servers.calls.models import Call
    from servers.calls.queues import contents
    from servers.calls.states import QueueMode
    from servers.registry.models import Server
    from servers.teams.models import Team

    article = Article.objects.create(pmid=1, passages=[], text="", content_hash="0" * 64)
    team = Team.objects.create(name="T", slug="t")
    server = Server.objects.create(review="accepted", team=team, name="S", slug="s", url="http://a/", kinds=["mention"])
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Call.objects.update(state="answered")
    Result.objects.create(
        article=article, text_version=1, kind="mention", producer=queue.producer, call=Call.objects.get().pk
    )


def watch_attempts(stop, waits):
    from django.db import connection

    while not stop.is_set():
        waits.append(measure_seconds(lambda: execute("SELECT max(id) FROM servers_attempt WHERE started > now()")))
        time.sleep(0.002)
    connection.close()


def main(attempts: int = 200_000, body_bytes: int = 1500) -> None:
    with set_up_empty_site():
        from django.utils import timezone

        from bcms.database.partitions import list_partitions
        from bcms.operations.old_attempts import ATTEMPTS, BODIES, drop_old_partitions

        empty = [read_bytes(each.table.name) for each in (ATTEMPTS, BODIES)]
        month = list_partitions(ATTEMPTS.table)[1].start
        make_call()
        execute(INSERT_ATTEMPTS, attempts, month, attempts)
        execute(INSERT_BODIES, body_bytes)
        execute("ANALYZE servers_attempt")
        sizes = [read_bytes(each.table.name) - size for each, size in zip((ATTEMPTS, BODIES), empty, strict=True)]
        stop, waits = threading.Event(), []
        reader = threading.Thread(target=watch_attempts, args=(stop, waits))
        reader.start()
        later = timezone.now() + timedelta(days=700)
        seconds = [measure_seconds(lambda each=each: drop_old_partitions(each, later)) for each in (BODIES, ATTEMPTS)]
        stop.set()
        reader.join()
    print(f"{attempts} attempts: {sizes[0] / attempts:.0f} bytes each, and {sizes[1] / attempts:.0f} for each body")
    print(f"dropped: bodies in {seconds[0]:.2f} s, attempts in {seconds[1]:.2f} s")
    print(f"readers waited {1000 * max(waits):.0f} ms at most")
    print_ratio("bytes of a body / of an attempt", sizes[1], sizes[0])


if __name__ == "__main__":
    run_main(main)
