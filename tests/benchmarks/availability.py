"""What the published figures cost: 200 servers with two million attempts over 90 days.

    python -m tests.benchmarks.availability [--attempts 10000]

Prints the seconds of the first count of everything and of the pass that a worker makes every minute, the median
milliseconds of the public list, of a server's page and of a badge, and each as a ratio to the plain query that they
save: the median time of every server in the last 30 days, computed from the attempts themselves.
"""

import statistics
import time

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_empty_site

INSERT_ATTEMPTS = """
INSERT INTO servers_attempt (call_id, server_id, number, started, finished, outcome, phases, diagnosis, message,
    annotations, document_bytes, broken_rules)
SELECT call.id, call.server_id, 1, moment, moment + interval '2 seconds',
    (ARRAY['answered', 'answered', 'answered', 'answered', 'answered', 'answered', 'empty', 'invalid', 'connection',
        'no answer in time'])[1 + number %% 10],
    jsonb_build_object('connect', 0.01, 'wait', 0.05 * (1 + (number * 7919) %% 97), 'transfer', 0.002), '', '',
    12, 1600, '[]'
FROM generate_series(1, %s) AS number
CROSS JOIN LATERAL (SELECT now() - interval '90 days' * (1 - number::float / %s) AS moment) moments
CROSS JOIN servers_call call
"""
INSERT_DOWNTIMES = """
INSERT INTO servers_downtime (server_id, sort, started, ended)
SELECT id, 'down', now() - interval '1 day' * day, now() - interval '1 day' * day + interval '20 minutes'
FROM servers_server CROSS JOIN generate_series(1, 90, 3) AS day
"""
PLAIN_QUERY = """
SELECT server_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases -> 'wait')::float + (phases -> 'transfer')::float)
FROM servers_attempt WHERE started > now() - interval '30 days' AND outcome IN ('answered', 'empty') GROUP BY server_id
"""


def measure_seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def execute(statement, *values):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def make_attempts(servers, attempts):
    """So many servers with so many attempts each, and with downtimes."""
    from datetime import timedelta

    from django.utils import timezone

    from annotations.articles.models import Article
    from servers.calls.queues import contents
    from servers.registry.models import Server
    from servers.teams.models import Team

    team = Team.objects.create(name="Team", slug="team")
    passages = [{"type": "title", "text": "CDH1"}]
    article = Article.objects.create(pmid=1, passages=passages, text="CDH1", content_hash="0" * 64)
    created = timezone.now() - timedelta(days=100)
    for number in range(servers):
        server = Server.objects.create(
            review="accepted",
            team=team,
            name=f"S{number}",
            slug=f"s{number}",
            url="http://x/",
            kinds=["mention"],
            state="online",
        )
        Server.objects.filter(pk=server.pk).update(created=created)
        contents.enqueue_articles_without_open_or_test_call(
            contents.get_or_create_queue_and_producer(server, "live"), [article.pk]
        )
    execute(INSERT_ATTEMPTS, attempts, attempts)
    execute(INSERT_DOWNTIMES)
    execute("ANALYZE")


def measure_counting(plain):
    """The first count of everything, and the pass of each minute; plain: seconds of the plain query."""
    from django.utils import timezone

    from servers.availability.models import HourTally
    from servers.availability.published_figures import update_rollups_and_figures_of_servers

    first = measure_seconds(lambda: update_rollups_and_figures_of_servers(timezone.now()))
    print(f"everything counted for once       {1000 * first:9.1f} ms   {HourTally.objects.count():,} hours of servers")
    print_ratio("everything counted for once / plain query", first, plain)
    each = statistics.median(
        measure_seconds(lambda: update_rollups_and_figures_of_servers(timezone.now())) for _ in range(3)
    )
    print(f"a worker's pass each minute       {1000 * each:9.1f} ms   {100 * each / 60:.1f} % of the minute")
    print_ratio("a worker's pass each minute / plain query", each, plain)


def measure_pages(plain, repeats):
    from django.test import Client

    client = Client()
    for name, path in (
        ("the public list", "/servers/?sort=p95"),
        ("a server's availability", "/servers/s1/availability/"),
        ("a badge", "/servers/s1/badge.svg"),
    ):
        status = client.get(path).status_code
        assert status == 200, f"{path} answered with {status}"
        times = [measure_seconds(lambda path=path: client.get(path)) for _ in range(repeats)]
        print(f"{name:<33} {1000 * statistics.median(times):9.1f} ms")
        print_ratio(f"{name} / plain query", statistics.median(times), plain)


def main(servers: int = 200, attempts: int = 10_000, repeats: int = 20) -> None:
    """attempts: of each server"""
    with set_up_empty_site():
        from servers.calls.models import Attempt

        make_attempts(servers, attempts)
        print(f"{servers} servers, {Attempt.objects.count():,} attempts")
        plain = statistics.median(measure_seconds(lambda: execute(PLAIN_QUERY)) for _ in range(3))
        print(f"plain query of the attempts       {1000 * plain:9.1f} ms")
        measure_counting(plain)
        measure_pages(plain, repeats)


if __name__ == "__main__":
    run_main(main)
