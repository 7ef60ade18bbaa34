"""The migration that introduces reviews of challenges."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = [
    ("servers", "0011_servers_of_producers"),
    ("evaluation", "0011_phase_event_resent"),
    ("annotations", "0008_producer_server"),
]
AFTER = [
    ("servers", "0011_servers_of_producers"),
    ("evaluation", "0012_reviewed_challenges"),
    ("annotations", "0009_producer_published"),
]


def make_challenge(apps, slug, producers, *, published):
    """A challenge with a run of each producer."""
    challenge = apps.get_model("evaluation", "Challenge").objects.create(name=slug, slug=slug)
    corpus = apps.get_model("annotations", "Corpus").objects.create(name=slug, slug=slug)
    phase = apps.get_model("evaluation", "Phase").objects.create(
        challenge=challenge, sort="training", corpus=corpus, published="2026-01-01T00:00Z" if published else None
    )
    task = apps.get_model("evaluation", "Task").objects.create(
        challenge=challenge, name="TX", title="TX", kind="taxon", primary="f1"
    )
    for producer in producers:
        apps.get_model("evaluation", "Run").objects.create(
            task=task, phase=phase, producer=producer, name="run", sort="upload"
        )


@pytest.mark.long
def test_published_challenges_are_accepted_and_results_of_servers_follow_their_reviews(own_database):
    old = MigrationExecutor(connection)
    old.migrate(BEFORE)
    apps = old.loader.project_state(BEFORE).apps
    create_producer = apps.get_model("annotations", "Producer").objects.create
    team = apps.get_model("servers", "Team").objects.create(name="Alpha", slug="alpha")
    of_servers = {}
    for review in ("accepted", "declined"):
        server = apps.get_model("servers", "Server").objects.create(
            team=team, name=review, slug=review, url="http://x", kinds=["taxon"], review=review
        )
        of_servers[review] = create_producer(name=review, sort="server", public=True)
        live = create_producer(name=f"live {review}", sort="server", public=review == "accepted")
        for mode, producer in (("training", of_servers[review]), ("live", live)):
            apps.get_model("servers", "Queue").objects.create(server=server, mode=mode, producer=producer)
    upload = create_producer(name="upload", sort="run", public=True)
    hidden = create_producer(name="hidden", sort="run")
    create_producer(name="author", sort="author", public=True)
    make_challenge(apps, "done", [upload, *of_servers.values()], published=True)
    make_challenge(apps, "new", [hidden], published=False)
    new = MigrationExecutor(connection)
    new.migrate(AFTER)
    apps = new.loader.project_state(AFTER).apps
    challenges = apps.get_model("evaluation", "Challenge").objects.order_by("slug")
    assert list(challenges.values_list("slug", "review")) == [("done", "accepted"), ("new", "unreviewed")]
    rows = apps.get_model("annotations", "Producer").objects.values_list("name", "published", "public", "raised_to")
    assert set(rows) == {
        ("accepted", True, True, None),
        ("declined", True, False, 0),
        ("live accepted", False, True, None),
        ("live declined", False, False, None),
        ("upload", True, True, None),
        ("hidden", False, False, None),
        ("author", False, True, None),
    }
