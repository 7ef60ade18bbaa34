"""Until a phase is published what servers and runs say in it is told to their own team and the organizers alone."""

import xmlrpc.client

import pytest
from django.test import Client

from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from tests.integration.evaluation_cast import answer, make_corpus, make_server, relevant, species
from tests.integration.every_address import iter_all_responses

pytestmark = pytest.mark.django_db

IN_TRAINING, IN_TEST = "80808081", "80808082"


@pytest.fixture
def run(challenge, team, alice):
    """A server in training, on articles that everybody sees, and in a blind test."""
    server = make_server(team, "reader")
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training"), alice):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species(IN_TRAINING))
    blind = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    (own,) = [
        each for each in enter_eligible_server_and_enqueue_articles(server, blind, alice) if each.task.name == "TX"
    ]
    answer(own, 201, species(IN_TEST))
    return own


def list_leaked_phases(text):
    return [secret for secret in (IN_TRAINING, IN_TEST) if secret in text]


@pytest.mark.long
@pytest.mark.parametrize("name", ["nobody", "carol"])
@pytest.mark.parametrize("article", ["101", "201"])
def test_it_is_at_no_address_for_others(name, article, run, request, monkeypatch):
    monkeypatch.setitem(iter_all_responses.__globals__["SLUGS"], "articles", article)
    client = Client()
    if name != "nobody":
        client.force_login(request.getfixturevalue(name))
    found = list(iter_all_responses(client, run))
    assert sum(status == 200 for _, status, _ in found) >= 20
    assert [form for form, _, body in found if list_leaked_phases(body.decode("utf-8", "replace"))] == []


@pytest.mark.parametrize("query", [IN_TRAINING, f"taxon:{IN_TRAINING}", "Article"])
def test_it_is_not_found_by_searching_and_not_exported(client, run, query):
    for address in ("/articles/", "/api/v1/articles/", "/api/v1/export/tsv/", "/api/v1/export/ndjson/"):
        reply = client.get(address, {"q": query})
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        # A page says once more what was looked for.
        assert list_leaked_phases(body.decode().replace(query, "")) == [], address


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("Annotations.getAnnotations", ["101"]),
        ("Annotations.getAnnotation", ["101", "reader"]),
        ("Annotations.getAnnotationServerList", ["101"]),
        ("Annotations.getAnnotations", ["201"]),
        ("Consensus.getConsensus", ["101", {"method": "union"}]),
    ],
)
def test_it_is_not_told_by_xmlrpc(client, run, method, parameters):
    body = xmlrpc.client.dumps(tuple(parameters), method)
    reply = client.post("/xmlrpc/", body, content_type="text/xml").content.decode()
    assert list_leaked_phases(reply) == []
    assert "Article 201" not in reply


def test_its_own_team_and_the_organizers_see_it(client, run, alice, olga):
    for user in (alice, olga):
        client.force_login(user)
        assert IN_TRAINING in client.get("/articles/101/").content.decode()


def test_everybody_sees_it_once_the_phase_is_published(client, run, challenge):
    publish_phase_or_request_if_sealed(challenge.phases.get(sort="training"))
    assert IN_TRAINING in client.get("/articles/101/").content.decode()
    assert IN_TEST not in client.get("/articles/201/").content.decode()
    producers = Run.objects.filter(pk=run.pk).values("producer")
    assert not type(run.producer).objects.filter(pk__in=producers, public=True).exists()
