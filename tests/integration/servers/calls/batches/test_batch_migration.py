"""The migration that introduces batches, with calls in flight."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor

from servers.calls.leases.lost_calls import (
    return_calls_and_end_open_attempts,
    return_lost_call_and_report_whether_pending,
)
from servers.calls.states import Outcome

BEFORE = ("servers", "0011_servers_of_producers")
AFTER = ("servers", "0012_batches")
STATES = ["waiting", "asking", "pending", "answered"]


def migrate(target):
    """The models after the migration."""
    executor = MigrationExecutor(connection)
    executor.migrate([target])
    return executor.loader.project_state([target]).apps


def list_states(apps):
    return list(apps.get_model("servers", "Call").objects.order_by("pk").values_list("state", flat=True))


@pytest.mark.long
def test_calls_in_flight_have_batches_until_it_is_reversed(own_database):
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    apps = migrate(BEFORE)
    ids = make_calls_in_every_state(apps)
    apps = migrate(AFTER)
    call = apps.get_model("servers", "Call")
    in_flight = call.objects.filter(state__in=["asking", "pending"]).order_by("pk")
    assert list(in_flight.values_list("batch__server", flat=True)) == ids[1:3]
    assert not call.objects.exclude(pk__in=in_flight.values("pk")).filter(batch__isnull=False).exists()
    assert apps.get_model("servers", "Batch").objects.count() == 2
    apps = migrate(BEFORE)
    assert list_states(apps) == STATES
    with pytest.raises(IntegrityError, match="one_call_in_flight"), transaction.atomic():
        apps.get_model("servers", "Call").objects.update(server=ids[1], state="asking")
    MigrationExecutor(connection).migrate(leaves)
    assert not return_lost_call_and_report_whether_pending(ids[1])
    assert return_lost_call_and_report_whether_pending(ids[2])
    assert return_calls_and_end_open_attempts(ids[2], Outcome.HALTED, "", ["pending"]) == 1


def make_calls_in_every_state(apps):
    """A server with one call for each state; the ids of the servers."""
    team = apps.get_model("servers", "Team").objects.create(name="Alpha", slug="alpha")
    article = apps.get_model("annotations", "Article").objects.create(
        passages=[{"type": "title", "text": "CDH1"}], text="CDH1", content_hash="0" * 64
    )
    ids = []
    for state in STATES:
        fields = {"name": state, "slug": state, "url": "http://x", "kinds": ["mention"]}
        server = apps.get_model("servers", "Server").objects.create(team=team, **fields)
        producer = apps.get_model("annotations", "Producer").objects.create(sort="server", name=state)
        queue = apps.get_model("servers", "Queue").objects.create(server=server, mode="live", producer=producer)
        queue.calls.create(server=server, article=article, priority=3, state=state)
        ids.append(server.pk)
    return ids
