"""What is said in phases that are not published changes no answer to others: no list, count or standing, and none of
the counters by which pages and ETags tell that there may be news."""

import re

import pytest
from django.test import Client

from annotations import tasks as standings
from evaluation import tasks
from tests.integration.role_cast import make_people, make_phases, store_hidden_results

pytestmark = pytest.mark.django_db

ADDRESSES = (
    *("/", "/articles/", "/articles/?q=Article", "/articles/101/", "/articles/101/results/", "/articles/101/live/?v=0"),
    *("/servers/", "/servers/reader/", "/teams/team-alpha/", "/challenges/", "/challenges/example/"),
    *("/challenges/example/training/TX/", "/challenges/example/training/TX/leaderboard.json"),
    *("/challenges/example/development/TX/", "/challenges/example/development/TX/leaderboard.json"),
    *("/challenges/example/test/TX/", "/challenges/example/test/TX/leaderboard.csv", "/corpora/four/compare/"),
    *("/api/v1/articles/", "/api/v1/articles/101/", "/api/v1/articles/101/annotations/", "/api/v1/servers/"),
    *("/api/v1/articles/101/entries/", "/api/v1/articles/101/servers/", "/api/v1/articles/?taxon=unicorns"),
    *("/api/v1/articles/101/consensus/?method=union", "/api/v1/servers/reader/", "/api/v1/challenges/example/"),
    *("/api/v1/corpora/", "/api/v1/corpora/four/", "/api/v1/export/tsv/", "/api/v1/export/ndjson/"),
    *("/api/v1/articles/101/export/bioc-json/", "/articles/101/export/tsv/"),
    *("/challenges/example/development/TX/precision-recall.svg", "/challenges/example/test/TX/quality-time.svg"),
)


def fetch_all_answers(user):
    """{address: (status, tag, text)}; what is new in every answer is taken out."""
    client, seen = Client(), {}
    if user:
        client.force_login(user)
    for address in ADDRESSES:
        reply = client.get(address)
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        text = re.sub(r'csrfmiddlewaretoken" value="[^"]+"', "", body.decode("utf-8", "replace"))
        seen[address] = reply.status_code, reply.headers.get("ETag"), text
    return seen


@pytest.mark.long
def test_it_changes_no_answer_to_others(django_user_model, alice, carol, olga, team, settings):
    settings.API_FILES_PER_MINUTE = 100
    users = make_people(django_user_model.objects.create_user)
    make_phases(olga, alice, team)
    others = (None, carol, users["bob"])
    run_background_tasks()
    before, own = [fetch_all_answers(user) for user in others], fetch_all_answers(alice)
    store_hidden_results()
    run_background_tasks()
    for user, was in zip(others, before, strict=True):
        now = fetch_all_answers(user)
        assert [address for address in ADDRESSES if now[address] != was[address]] == [], user
    # So that it is seen to look where there is something.
    now = fetch_all_answers(alice)
    changed = {address for address in ADDRESSES if now[address] != own[address]}
    assert {"/articles/101/", "/api/v1/articles/101/annotations/"} <= changed


def run_background_tasks():
    """What workers do of themselves."""
    standings.update_summaries_flushing_indexes_requeueing_unless_busy()
    tasks.score_due_runs_after_cleaning_unless_busy()
    tasks.rank_stale_boards_unless_busy()
    tasks.calibrate_stale_runs_unless_busy()
