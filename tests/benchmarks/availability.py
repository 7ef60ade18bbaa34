"""What the published figures cost: 200 servers with two million attempts over 90 days, in a database of its own.

    DATABASE_URL=... REDIS_URL=... SECRET_KEY=x python -m tests.benchmarks.availability [ATTEMPTS-PER-SERVER]

Prints the seconds of the first count of everything and of the pass that a worker makes every minute, the median
milliseconds of the public list, of a server's page and of a badge, and each as a ratio to the bare question that they
save: the median time of every server in the last 30 days, asked of the attempts themselves.
"""

import os
import statistics
import sys
import time

import django

SERVERS = 200
FILL = """
INSERT INTO servers_attempt (call_id, server_id, number, started, finished, outcome, phases, diagnosis, message,
    annotations, document_bytes, broken_rules, request, answer)
SELECT call.id, call.server_id, 1, moment, moment + interval '2 seconds',
    (ARRAY['answered', 'answered', 'answered', 'answered', 'answered', 'answered', 'empty', 'invalid', 'connection',
        'no answer in time'])[1 + number %% 10],
    jsonb_build_object('connect', 0.01, 'wait', 0.05 * (1 + (number * 7919) %% 97), 'transfer', 0.002), '', '',
    12, 1600, '[]', '', ''
FROM generate_series(1, %s) AS number
CROSS JOIN LATERAL (SELECT now() - interval '90 days' * (1 - number::float / %s) AS moment) moments
CROSS JOIN servers_call call
"""
DOWN = """
INSERT INTO servers_downtime (server_id, sort, started, ended)
SELECT id, 'down', now() - interval '1 day' * day, now() - interval '1 day' * day + interval '20 minutes'
FROM servers_server CROSS JOIN generate_series(1, 90, 3) AS day
"""
BARE = """
SELECT server_id, percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases -> 'wait')::float + (phases -> 'transfer')::float)
FROM servers_attempt WHERE started > now() - interval '30 days' AND outcome IN ('answered', 'empty') GROUP BY server_id
"""


def seconds(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def ask(statement, *values):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def fill(attempts):
    from datetime import timedelta

    from django.utils import timezone

    from annotations.articles.models import Article
    from servers.calls.queues import contents
    from servers.registry.models import Server
    from servers.teams.models import Team

    team = Team.objects.create(name="Team", slug="team")
    passages = [{"type": "title", "text": "CDH1"}]
    article = Article.objects.create(pmid=1, passages=passages, text="CDH1", content_hash="0" * 64)
    born = timezone.now() - timedelta(days=100)
    for number in range(SERVERS):
        server = Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url="http://x/", kinds=["mention"], state="online"
        )
        Server.objects.filter(pk=server.pk).update(created=born)
        contents.enqueue_articles(contents.get_or_create_queue(server, "live"), [article.pk])
    ask(FILL, attempts, attempts)
    ask(DOWN)
    ask("ANALYZE")


def run(attempts):
    from django.test import Client
    from django.utils import timezone

    from servers.availability.models import HourTally
    from servers.availability.published_figures import update_all_figures
    from servers.calls.models import Attempt

    fill(attempts)
    print(f"{SERVERS} servers, {Attempt.objects.count():,} attempts")
    bare = statistics.median(seconds(lambda: ask(BARE)) for _ in range(3))
    print(f"bare question to the attempts     {1000 * bare:9.1f} ms")
    first = seconds(lambda: update_all_figures(timezone.now()))
    print(f"everything counted for once       {1000 * first:9.1f} ms   {HourTally.objects.count():,} hours of servers")
    each = statistics.median(seconds(lambda: update_all_figures(timezone.now())) for _ in range(3))
    print(f"a worker's pass each minute       {1000 * each:9.1f} ms   {100 * each / 60:.1f} % of the minute")
    client = Client()
    for name, path in (
        ("the public list", "/servers/?sort=p95"),
        ("a server's availability", "/servers/s7/availability/"),
        ("a badge", "/servers/s7/badge.svg"),
    ):
        client.get(path)
        times = [seconds(lambda path=path: client.get(path)) for _ in range(20)]
        median = statistics.median(times)
        print(f"{name:<33} {1000 * median:9.1f} ms   {median / bare:.4f} of the bare question")


def main(attempts=10_000):
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bcms.settings")
    django.setup()
    from django.test.utils import get_runner, setup_test_environment, teardown_test_environment

    setup_test_environment()
    from django.conf import settings

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        run(attempts)
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
