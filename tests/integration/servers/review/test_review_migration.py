"""The migration that introduces reviews."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

BEFORE = [("servers", "0005_notice_attempt"), ("annotations", "0003_article_takedown")]
AFTER = [("servers", "0006_server_review"), ("annotations", "0004_producer_raised_to")]


@pytest.mark.long
def test_registered_servers_are_accepted_and_mail_about_reviews(own_database):
    old = MigrationExecutor(connection)
    old.migrate(BEFORE)
    apps = old.loader.project_state(BEFORE).apps
    team = apps.get_model("servers", "Team").objects.create(name="Alpha", slug="alpha")
    servers = apps.get_model("servers", "Server").objects
    for slug, topics in (("loud", ["fail"]), ("silent", [])):
        servers.create(team=team, name=slug, slug=slug, url="http://x", kinds=["taxon"], mail_topics=topics)
    new = MigrationExecutor(connection)
    new.migrate(AFTER)
    server = new.loader.project_state(AFTER).apps.get_model("servers", "Server")
    rows = server.objects.order_by("slug").values_list("slug", "review", "mail_topics")
    assert list(rows) == [("loud", "accepted", ["fail", "review"]), ("silent", "accepted", [])]
