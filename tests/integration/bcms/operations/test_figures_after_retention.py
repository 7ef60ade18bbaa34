"""What the site shows and publishes is the same, byte for byte, before and after old attempts are deleted."""

import re

import pytest
from django.utils import timezone

from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.operations.old_attempts import RECENT_ATTEMPTS
from bcms.operations.retention import delete_due_rows_unless_busy
from servers.availability.models import DayTally, Figures, HourTally
from servers.availability.published_figures import update_rollups_and_figures_of_servers
from servers.calls.models import Attempt, AttemptBody, Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from tests.integration.archive_cast import beta, play_challenge, write_challenge_archive
from tests.integration.partition_cast import make_attempt, make_past_partitions_of_attempts
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db
# Days ago: two months that are dropped, and some that are not.
DAYS = (415, 411, 300, 100, 60, 40, 20, 6, 1)
ALICE = ("servers/genedict/", "servers/genedict/live/", "servers/genedict/attempts/", "servers/online/")
OLGA = ("challenges/example/phases/training/matrix/", "challenges/example/")
EVERYBODY = (
    *("servers/", "servers/genedict/", "api/v1/servers/genedict/availability/", "articles/20000001/"),
    *("articles/20000001/results/", "articles/20000002/", "challenges/example/training/ACT/"),
    "api/v1/challenges/example/training/GN/",
)


@pytest.fixture(autouse=True)
def past():
    make_past_partitions_of_attempts(timezone.now())


@pytest.fixture
def live_calls(server):
    """Live calls of genedict with attempts of the past: answered ones, one that broke rules, and a failed one."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [each.pk for each in articles(20000001, 3)])
    first, failed, last = queue.calls.select_related("server").order_by("pk")
    Call.objects.exclude(pk=failed.pk).update(state="answered")
    Call.objects.filter(pk=failed.pk).update(state="failed", reason="Refused.")
    rules = [{"code": "R101", "where": "mentions[0]", "message": "It is wrong.", "mend": "Count."}]
    for days in DAYS:
        make_attempt(last, days, annotations=3, document_bytes=700)
        make_attempt(last, days, "no answer in time", phases={"wait": 60.0})
    broke = make_attempt(first, 415, broken_rules=rules)
    make_attempt(failed, 411, "connection", diagnosis="refused")
    store_results_superseding_earlier(first.article, queue.producer, {Kind.MENTION: []}, call_id=first.pk)
    Result.objects.filter(call=first.pk).update(received=broke.finished)
    latest = (Attempt(pk=10**9 + n, call=last, server=server, number=1) for n in range(RECENT_ATTEMPTS))
    Attempt.objects.bulk_create(latest)
    return first, failed, last


@pytest.fixture
def site(live_calls, olga, team, alice, django_user_model):
    """A challenge with attempts of the past, too; everything is rolled up."""
    challenge = play_challenge(olga, team, alice, *beta(django_user_model))
    answered, broken, *_ = Call.objects.filter(server__slug="online").select_related("server").order_by("pk")
    Call.objects.filter(pk=answered.pk).update(state="answered")
    make_attempt(answered, 411)
    make_attempt(broken, 411, "our fault", message="Our error.")
    return challenge


def read_pages(client, user, paths):
    client.logout() if user is None else client.force_login(user)
    pages = {}
    for path in paths:
        response = client.get(f"/{path}", follow=True)
        assert response.status_code == 200, path
        pages[path] = re.sub(r'(csrf\w+" value=|nonce=)"[^"]+"', "", response.content.decode())
    return pages


def read_tallies():
    return [list(model.objects.order_by("server", "begins").values()) for model in (HourTally, DayTally)]


def test_pages_figures_boards_and_archives_are_the_same(client, site, alice, olga, tmp_path, stopped_clock):
    now = stopped_clock

    def read_all():
        update_rollups_and_figures_of_servers(now)
        figures = list(Figures.objects.order_by("server", "window").values())
        pages = [read_pages(client, user, paths) for user, paths in ((None, EVERYBODY), (alice, ALICE), (olga, OLGA))]
        archive = write_challenge_archive(site, tmp_path / "a.zip").read_bytes()
        return figures, read_tallies(), pages, archive

    # The second time, it also stores the uptime of the day before.
    update_rollups_and_figures_of_servers(now)
    before = read_all()
    attempts, bodies = Attempt.objects.count(), AttemptBody.objects.count()
    deleted = delete_due_rows_unless_busy(now)
    assert deleted["attempts"] == 4 and attempts - 4 == Attempt.objects.count()
    assert deleted["requests and answers of attempts"] > 0 and bodies > AttemptBody.objects.count()
    after = read_all()
    for old, new in zip(before[2], after[2], strict=True):
        for path, page in old.items():
            assert new[path] == page, path
    assert after == before


def test_days_that_were_counted_are_not_counted_again_from_the_attempts_that_stay(live_calls):
    now = timezone.now()
    update_rollups_and_figures_of_servers(now)
    before = read_tallies()[1]
    delete_due_rows_unless_busy(now)
    HourTally.objects.all().delete()
    update_rollups_and_figures_of_servers(now)
    assert read_tallies()[1] == before
