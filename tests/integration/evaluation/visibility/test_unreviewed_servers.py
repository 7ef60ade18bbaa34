"""Nobody but its team sees what an unreviewed server annotates, unless a reader includes unreviewed servers."""

import re
import xmlrpc.client
import zlib

import pytest
from django.test import Client

from annotations import tasks
from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.results.models import Reply, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.models import Call
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.review.decisions import apply_review_decision, apply_team_choice
from servers.review.states import ReviewState
from servers.teams.models import Membership, Team

pytestmark = pytest.mark.django_db

NUMBER = 400
GENES = [
    AnnotationData(Kind.NORMALIZATION, 1.0, rank, database="uniprot", identifier=f"Q{90000 + rank}")
    for rank in range(1, NUMBER + 1)
]
PAGES = (
    *(
        "/",
        "/articles/",
        "/articles/?q=CDH1",
        "/articles/?gene=Q90001",
        "/articles/?sort=servers",
        "/articles/?servers=2",
    ),
    *("/articles/?server=junk", "/articles/?sort=disagreement", "/articles/?sort=ppi", "/articles/10000001/"),
    *("/articles/10000001/results/", "/articles/10000001/live/", "/servers/", "/servers/?sort=answers"),
    *("/corpora/open/compare/", "/articles/10000001/export/tsv/", "/servers/junk/badge.svg", "/xmlrpc/"),
)
RESOURCES = (
    *("articles/", "articles/?gene=Q90001", "articles/?server=junk", "articles/10000001/", "servers/"),
    *("articles/10000001/annotations/", "articles/10000001/annotations/?server=genedict", "corpora/open/compare/"),
    *("articles/10000001/servers/", "articles/10000001/entries/", "articles/10000001/consensus/?method=union"),
    *("articles/10000001/export/tsv/", "export/ndjson/", "export/tsv/?gene=Q90001", "export/bioc-xml/?q=CDH1"),
)
CALLS = (
    ("Annotations.getAnnotations", (10000001,)),
    ("Annotations.getAnnotation", (10000001, "genedict")),
    ("Annotations.getAnnotationServerList", (10000001,)),
    ("Consensus.getConsensus", (10000001, {"methods": ["union"]})),
)


@pytest.fixture
def known(article, server):
    """The article is annotated by an accepted server, and in a public corpus."""
    CorpusArticle.objects.create(corpus=Corpus.objects.create(name="Open", slug="open"), article=article, position=1)
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    gene = AnnotationData(Kind.NORMALIZATION, 0.5, 1, database="uniprot", identifier="P12830")
    mention = AnnotationData(Kind.MENTION, 0.5, start=0, end=4, text=article.text[:4])
    store_results_superseding_earlier(article, producer, {Kind.NORMALIZATION: [gene], Kind.MENTION: [mention]})
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()
    return article


@pytest.fixture
def mallory(carol):
    """A stranger who has signed up and founded a team."""
    team = Team.objects.create(name="Strangers", slug="strangers")
    Membership.objects.create(team=team, user=carol, role=Membership.Role.MANAGER)
    return carol


@pytest.fixture
def stranger(mallory):
    client = Client()
    client.force_login(mallory)
    return client


def register_junk(stranger):
    """A server that the stranger registers by REST."""
    fields = {"team": "strangers", "name": "Junk", "url": "http://127.0.0.1:9/", "kinds": ["normalization", "mention"]}
    reply = stranger.post("/api/v1/servers/", fields, content_type="application/json")
    assert reply.status_code == 201 and reply.json()["review"] == "unreviewed", reply.content
    Server.objects.filter(slug="junk").update(state=ServerState.ONLINE)
    return Server.objects.get(slug="junk")


def annotate(server, article):
    mentions = [AnnotationData(Kind.MENTION, 1.0, start=start, end=start + 1) for start in range(len(article.text))]
    producer = server.queues.get().producer
    store_results_superseding_earlier(article, producer, {Kind.NORMALIZATION: GENES, Kind.MENTION: mentions})
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()


@pytest.fixture
def junk(known, stranger):
    server = register_junk(stranger)
    annotate(server, known)
    return server


def read_response(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", body.decode())
    return response.status_code, re.sub(r"data-age=\S+|\d+ s<", "", text), response.headers.get("ETag")


def call_rpc(client, method, parameters):
    body = xmlrpc.client.dumps(parameters, method, allow_none=True)
    return client.post("/xmlrpc/", body, content_type="text/xml").content.decode()


def read_everything(client):
    addresses = [*PAGES, *(f"/api/v1/{resource}" for resource in RESOURCES)]
    return {
        **{address: read_response(client.get(address)) for address in addresses},
        **{str(call): call_rpc(client, *call) for call in CALLS},
    }


def test_a_visitor_sees_no_difference(client, known, stranger):
    before = read_everything(client)
    assert {status for status, *_ in (before[page] for page in PAGES)} <= {200, 302, 404}
    annotate(register_junk(stranger), known)
    after = read_everything(client)
    assert [address for address in before if before[address] != after[address]] == []
    assert "Q90400" not in str(after)


def test_its_team_sees_it_at_once(junk, stranger):
    assert "Junk (unreviewed)" in stranger.get("/articles/10000001/").content.decode()
    for resource in ("annotations/", "servers/", "entries/", "consensus/?method=union"):
        text = stranger.get(f"/api/v1/articles/10000001/{resource}").content.decode()
        assert ("junk" if resource == "servers/" else "Q90400") in text, resource
    assert "Junk" in stranger.get("/servers/").content.decode() and "Junk" in stranger.get("/").content.decode()


SWITCHED = (
    *("/articles/10000001/", "/articles/10000001/results/", "/servers/", "/api/v1/servers/"),
    *("/api/v1/articles/10000001/annotations/", "/api/v1/articles/10000001/consensus/"),
    *("/api/v1/articles/10000001/entries/", "/api/v1/articles/10000001/servers/", "/api/v1/corpora/open/compare/"),
    *("/corpora/open/compare/", "/articles/10000001/export/tsv/", "/api/v1/articles/10000001/export/tsv/"),
    *("/api/v1/export/tsv/", "/teams/strangers/", "/api/v1/articles/10000001/mentions/1-2/"),
)


def test_readers_can_include_unreviewed_servers_but_no_others(client, junk, mallory):
    def list_showing(query):
        texts = {address: read_response(client.get(f"{address}{query}"))[1] for address in SWITCHED}
        return [address for address, text in texts.items() if "Q90400" in text or "junk" in text.lower()]

    assert list_showing("") == []
    assert list_showing("?unreviewed=1") == list(SWITCHED)
    apply_team_choice(junk, ReviewState.PRIVATE, mallory)
    assert list_showing("?unreviewed=1") == []
    apply_team_choice(junk, ReviewState.UNREVIEWED, mallory)
    apply_review_decision(junk, ReviewState.DECLINED)
    assert list_showing("?unreviewed=1") == []


def test_a_single_result_needs_the_switch_too(client, junk, known, stranger):
    result = Result.objects.get(producer__queue__server=junk, kind=Kind.NORMALIZATION)
    reply = Reply.objects.create(body=zlib.compress(b"Q90400"), size=6)
    Result.objects.filter(pk=result.pk).update(reply=reply)
    page = f"/articles/10000001/results/{result.pk}/"
    addresses = (page, f"{page}reply", f"/api/v1{page}")
    for address in addresses:
        assert client.get(address).status_code == 404, address
        assert client.get(f"{address}?unreviewed=1").status_code == 200, address
        assert stranger.get(address).status_code == 200, address
    for start in ("/articles/10000001/?kind=normalization", "/articles/10000001/results/?"):
        assert f'href="{page}?unreviewed=1"' in client.get(f"{start}&unreviewed=1").content.decode()
        assert f'href="{page}"' in stranger.get(start).content.decode()
    assert f'href="{page}reply?unreviewed=1"' in client.get(f"{page}?unreviewed=1").content.decode()
    shown = client.get(f"/api/v1{page}?unreviewed=1").json()
    assert client.get(shown["reply"]).content == b"Q90400"
    apply_review_decision(junk, ReviewState.DECLINED)
    for address in addresses:
        assert client.get(f"{address}?unreviewed=1").status_code == 404, address


def test_its_team_alone_searches_by_it(client, junk, stranger):
    def count_found(reader):
        reply = reader.get("/api/v1/articles/?server=junk")
        return len(reply.json()["results"]) if reply.status_code == 200 else reply.status_code

    assert (count_found(client), count_found(stranger)) == (400, 1)
    page = stranger.get("/articles/?server=junk").content.decode()
    assert "CDH1" in page and "/export/" not in page
    assert "/export/" in stranger.get("/articles/?server=genedict").content.decode()
    visible = client.get("/articles/?server=junk").content.decode()
    assert "There is no server “junk”" in visible and '<option value="junk"' not in visible
    apply_review_decision(junk, ReviewState.DECLINED)
    assert (count_found(client), count_found(stranger)) == (400, 1)
    apply_review_decision(junk, ReviewState.ACCEPTED)
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()
    assert (count_found(client), count_found(stranger)) == (1, 1)
    assert "/export/" in stranger.get("/articles/?server=junk").content.decode()


def test_xmlrpc_includes_unreviewed_servers_on_request(client, junk):
    calls = {
        "Annotations.getAnnotations": (10000001,),
        "Annotations.getAnnotation": (10000001, "junk"),
        "Annotations.getAnnotationServerList": (10000001,),
        "Consensus.getConsensus": (10000001,),
    }
    for method, names in calls.items():
        methods = {"methods": ["union"]} if method == "Consensus.getConsensus" else {}
        reply = call_rpc(client, method, (*names, {"unreviewed": True, **methods}))
        assert "junk" in reply or "Q90400" in reply, method
        assert "Q90400" not in call_rpc(client, method, (*names, {"unreviewed": False}))
        assert "unreviewed must be a boolean" in call_rpc(client, method, (*names, {"unreviewed": 1}))


def test_rest_refuses_another_value_of_the_switch(client, known):
    reply = client.get("/api/v1/articles/10000001/annotations/?unreviewed=perhaps")
    assert reply.status_code == 400 and "unreviewed" in reply.content.decode()


def test_everybody_sees_it_once_it_is_accepted_and_no_more_once_it_is_declined(client, junk, known, stopped_clock):
    before = read_everything(client)
    apply_review_decision(junk, ReviewState.ACCEPTED)
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()
    accepted = read_everything(client)
    unchanged = [address for address in before if before[address] == accepted[address]]
    assert set(unchanged) <= {"/articles/?sort=ppi", "/xmlrpc/"} | {
        "/api/v1/articles/10000001/annotations/?server=genedict",
        str(CALLS[1]),
    }
    assert "annotated by 2 servers" in accepted["/articles/?gene=Q90001"][1]
    apply_review_decision(junk, ReviewState.DECLINED)
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()
    declined = read_everything(client)
    assert "Q90001" not in declined["/articles/10000001/"][1] and "Q90001" not in declined["/api/v1/export/ndjson/"][1]
    assert declined["/articles/"] == before["/articles/"]
    assert declined["/servers/"] == before["/servers/"]


def test_pages_of_hidden_servers_are_for_their_team(client, stranger, junk, mallory):
    for address in ("/servers/junk/", "/servers/junk/availability/", "/api/v1/servers/junk/"):
        assert client.get(address).status_code == 200
    apply_team_choice(junk, ReviewState.PRIVATE, mallory)
    for address in ("/servers/junk/", "/servers/junk/availability/", "/api/v1/servers/junk/"):
        assert client.get(address).status_code == 404
        assert stranger.get(address).status_code == 200
    assert "no server" in call_rpc(client, "Resources.getServer", ("junk",))


def test_polls_of_an_open_page_do_not_tell_that_it_answers(client, junk, known):
    version = re.search(r'data-version="([^"]+)"', client.get("/articles/10000001/").content.decode())[1]
    Call.objects.create(queue=junk.queues.get(), server=junk, article=known, priority=Call.Priority.LIVE)
    annotate(junk, known)
    assert client.get(f"/articles/10000001/live/?v={version}").status_code == 204
    assert client.get(f"/articles/10000001/live/?v={version}&unreviewed=1").status_code == 200


def test_it_is_asked_only_for_members_of_its_team(client, stranger, junk):
    other = Article.objects.create(
        pmid=10000002, passages=[{"type": "title", "text": "CDH1"}], text="CDH1", content_hash="1" * 64
    )
    for reader, expected in ((client, 0), (stranger, 1)):
        reader.post("/articles/10000002/ask/")
        assert Call.objects.filter(article=other, server=junk).count() == expected


def test_nobody_waits_for_a_server_that_is_not_asked(client, stranger, junk):
    Article.objects.create(
        pmid=10000002, passages=[{"type": "title", "text": "CDH1"}], text="CDH1", content_hash="1" * 64
    )
    Server.objects.exclude(pk=junk.pk).update(state="offline")
    assert "Call the remaining servers" not in client.get("/articles/10000002/?unreviewed=1").content.decode()
    assert "Call the remaining servers" in stranger.get("/articles/10000002/").content.decode()


def test_a_swap_of_host_or_kinds_after_acceptance_needs_another_review(client, stranger, junk):
    apply_review_decision(junk, ReviewState.ACCEPTED)
    fields = {"name": "Junk", "url": "http://127.0.0.1:9/", "protocol": "bcms", "method": "Annotator.getAnnotation"}
    fields |= {"send": "struct", "kinds": ["normalization", "mention"], "time_limit": 20}
    assert stranger.post("/servers/junk/edit/", fields).status_code == 302
    assert Server.objects.get(slug="junk").review == ReviewState.ACCEPTED
    stranger.post("/servers/junk/edit/", {**fields, "kinds": ["normalization"]})
    assert Server.objects.get(slug="junk").review == ReviewState.UNREVIEWED
    apply_review_decision(junk, ReviewState.ACCEPTED)
    stranger.post("/servers/junk/edit/", {**fields, "kinds": ["normalization"], "url": "http://localhost:9/"})
    assert Server.objects.get(slug="junk").review == ReviewState.UNREVIEWED
    assert "Junk" not in client.get("/servers/").content.decode()
