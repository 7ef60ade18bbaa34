"""Places are shared among teams: one with many servers does not starve another."""

from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import timedelta
from itertools import islice
from threading import Event

import pytest
from django.db import connection
from django.db.models.functions import Now

from servers.calls import loop
from servers.calls.leases import lease
from servers.calls.leases.fairness import (
    compute_team_slots_up_to_three_quarters,
    has_team_reached_slot_share,
    list_slot_demands_including_server,
)
from servers.calls.models import Queue
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import QueueMode, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Team
from tests.annotator import Annotator
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db(transaction=True)


def make_loaded_server(team: Team, name: str, article_ids: list[int]) -> Server:
    server = Server.objects.create(
        review="accepted",
        team=team,
        name=name,
        slug=name,
        url="http://127.0.0.1:9/",
        kinds=["mention"],
        state=ServerState.ONLINE,
    )
    contents.enqueue_articles_without_open_or_test_call(
        contents.get_or_create_queue_and_producer(server, QueueMode.LIVE), article_ids
    )
    return server


@pytest.fixture
def ids():
    return [article.pk for article in articles(80000001, 2)]


@pytest.fixture
def large(team, ids):
    return [make_loaded_server(team, f"large-{number}", ids) for number in range(8)]


@pytest.fixture
def small(ids):
    return make_loaded_server(Team.objects.create(name="Team Beta", slug="team-beta"), "small", ids)


def test_it_shares_the_places_equally():
    assert [
        compute_team_slots_up_to_three_quarters(200, 2),
        compute_team_slots_up_to_three_quarters(200, 3),
        compute_team_slots_up_to_three_quarters(4, 9),
    ] == [
        100,
        66,
        1,
    ]


def test_it_leaves_a_quarter_free_for_whoever_comes_next():
    assert compute_team_slots_up_to_three_quarters(200, 1) == 150


def test_it_stops_the_large_team_at_its_share_and_lets_the_small_one_in(large, small, settings):
    settings.ASKING_SLOTS = 4
    assert all(
        lease.acquire_free_lease_of_working_server(server.pk)
        for server in large[:2]
        if not has_team_reached_slot_share(server.pk)
    )
    assert Server.objects.filter(lease_until__gt=Now()).count() == 2
    assert loop.run_slices_if_slot_and_lease_free(large[2].pk) == "waits"
    assert not has_team_reached_slot_share(small.pk)


def test_it_gives_the_share_of_an_idle_team_to_the_others(large, settings):
    settings.ASKING_SLOTS = 4
    for server in large[:2]:
        lease.acquire_free_lease_of_working_server(server.pk)
    assert not has_team_reached_slot_share(large[2].pk)


def test_it_sees_the_same_servers_waiting_as_the_sweep(large, small):
    lease.acquire_free_lease_of_working_server(large[0].pk)
    Queue.objects.filter(server=large[1]).update(held=True)
    Queue.objects.filter(server=large[2]).update(state=QueueState.DONE)
    Queue.objects.filter(server=large[3]).update(state=QueueState.RESTING, rest_until=Now() - timedelta(seconds=1))
    Queue.objects.filter(server=large[4]).update(state=QueueState.RESTING, rest_until=Now() + timedelta(hours=1))
    Server.objects.filter(pk=large[5].pk).update(state=ServerState.HALTING)
    waiting = {wish.server for wish in list_slot_demands_including_server(large[0].pk) if not wish.holds_slot}
    assert waiting == set(list_unleased_servers_with_work().values_list("pk", flat=True))
    assert waiting == {large[3].pk, large[6].pk, large[7].pk, small.pk}


def test_it_lets_the_next_one_in_when_a_lease_has_run_out(large, small, settings):
    settings.ASKING_SLOTS = 4
    for server in large[:2]:
        lease.acquire_free_lease_of_working_server(server.pk)
    Server.objects.filter(pk=large[0].pk).update(lease_until=Now() - timedelta(seconds=1))
    assert not has_team_reached_slot_share(large[2].pk)


def test_it_wakes_a_server_that_waits_for_its_share_again(large, small, settings):
    settings.ASKING_SLOTS = 4
    for server in large[:2]:
        lease.acquire_free_lease_of_working_server(server.pk)
    loop.run_slices_if_slot_and_lease_free(large[2].pk)
    assert large[2] in list_unleased_servers_with_work()


def test_it_counts_servers_that_were_woken_at_the_same_moment(large, settings):
    settings.ASKING_SLOTS = 4
    answered = Event()

    def answer(sent):
        answered.wait(60)
        return {}

    def serve(server: Server) -> str:
        try:
            return loop.run_slices_if_slot_and_lease_free(server.pk)
        finally:
            connection.close()

    with Annotator(answer) as annotator, ThreadPoolExecutor(len(large)) as pool:
        Server.objects.update(url=annotator.url)
        serving = [pool.submit(serve, server) for server in large]
        refused = [done.result() for done in islice(as_completed(serving, 60), 5)]
        assert (refused, annotator.most_at_once <= 3) == (["waits"] * 5, True)
        answered.set()


@pytest.mark.parametrize(("slots", "woken"), [(4, False), (10, False), (11, True)])
def test_it_gives_its_place_to_another_server_of_a_team_with_too_few(large, settings, monkeypatch, slots, woken):
    settings.ASKING_SLOTS = slots
    for server in large[1:3]:
        lease.acquire_free_lease_of_working_server(server.pk)
    asked_for = []
    monkeypatch.setattr(loop, "enqueue_server_loop_after_commit", asked_for.append)
    assert loop.run_slices_if_slot_and_lease_free(large[0].pk, should_stop=lambda: True) == "more"
    assert (asked_for == [large[0].pk]) is woken
