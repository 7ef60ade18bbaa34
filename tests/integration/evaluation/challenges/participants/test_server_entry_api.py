"""Teams enter their servers by REST."""

import pytest

from bcms.accounts import tokens
from evaluation.runs.models import Run
from servers.calls.models import Call
from tests.integration.evaluation_cast import make_challenge, make_corpus, make_server

pytestmark = pytest.mark.django_db

PHASE = "/api/v1/challenges/example/phases/training/"


@pytest.fixture
def phase(olga, team):
    make_server(team, "reader")
    return make_challenge(olga, make_corpus()).phases.get()


@pytest.fixture
def program(client, phase, alice):
    client.defaults["HTTP_AUTHORIZATION"] = (
        f"Bearer {tokens.create_api_token_including_read_scope(alice, 'script', ['servers'])}"
    )
    return client


def test_it_enters_each_task_whose_kind_the_server_returns(program):
    for _ in range(2):
        reply = program.post(f"{PHASE}enter/", {"server": "reader"})
        assert (reply.status_code, reply.json()["server"], reply.json()["phase"]) == (200, "reader", "training")
        assert reply.json()["closes"] is None
        assert [run["task"] for run in reply.json()["runs"]] == ["ACT", "TX"]
    assert Run.objects.count() == 2
    assert Call.objects.count() == 4


def test_it_loads_the_articles_again(program):
    reply = program.post(f"{PHASE}load/", {"server": "reader"})
    assert (reply.status_code, "is not in the training phase" in reply.json()["detail"]) == (409, True)
    program.post(f"{PHASE}enter/", {"server": "reader"})
    assert program.post(f"{PHASE}load/", {"server": "reader"}).json() == {"added": 0}
    Call.objects.all().delete()
    assert program.post(f"{PHASE}load/", {"server": "reader"}).json() == {"added": 4}


def test_it_says_why_a_server_may_not_enter(program, phase):
    phase.challenge.terms = "Be fair."
    phase.challenge.save()
    assert program.get("/api/v1/challenges/example/").json()["terms"] == "Be fair."
    reply = program.post(f"{PHASE}enter/", {"server": "reader"})
    assert (reply.status_code, "Nobody has accepted the terms" in reply.json()["detail"]) == (409, True)


def test_it_takes_servers_of_the_own_teams_only(program, client, olga):
    assert program.post(f"{PHASE}enter/", {"server": "none"}).status_code == 400
    del client.defaults["HTTP_AUTHORIZATION"]
    assert client.post(f"{PHASE}enter/", {"server": "reader"}).status_code == 401
    client.force_login(olga)
    reply = client.post(f"{PHASE}enter/", {"server": "reader"})
    assert (reply.status_code, reply.json()["errors"][0]["loc"]) == (400, "server")
    assert not Run.objects.exists()
