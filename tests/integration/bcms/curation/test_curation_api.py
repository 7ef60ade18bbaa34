"""A curator's own work by REST: begin, decide, finish, propose, and what is refused."""

import pytest
from django.urls import reverse

from annotations.articles.models import Corpus, CorpusArticle
from annotations.curation.models import Curation, Decision
from annotations.curation.projects.assignment import assign_article
from annotations.digital_abstract_json import build_interaction_json
from annotations.identifiers.models import Entry
from bcms.accounts.tokens import create_api_token_including_read_scope
from tests.integration.article_cast import make_article_of_three_servers, span
from tests.integration.curation_cast import begin, decide, propose_gene
from tests.integration.project_cast import get_curator, make_project
from tests.integration.published_cast import make_interaction

pytestmark = pytest.mark.django_db
LIST = "/api/v1/curations/"


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


@pytest.fixture
def curation(client, alice, article):
    client.force_login(alice)
    reply = send(client, LIST, article="20000001")
    assert reply.status_code == 201
    return reply.json()


def send(client, address, **body):
    return client.post(address, body, content_type="application/json")


def decide_by_rest(client, curation, action, **body):
    body = {"seen": 0, "token": f"token-{Decision.objects.count()}-x", "action": action} | body
    return send(client, f"{LIST}{curation['id']}/decisions/", **body)


def get_detail(client, curation):
    return client.get(f"{LIST}{curation['id']}/").json()


def test_it_begins_once(client, curation, article):
    assert (curation["article"], curation["state"], curation["revision"]) == ("20000001", "open", 0)
    assert send(client, LIST, article="20000001").status_code == 200
    assert [each["id"] for each in client.get(LIST).json()["results"]] == [curation["id"]]
    assert Curation.objects.get().running is None


def test_it_opens_what_was_assigned(client, alice, olga, article):
    corpus = Corpus.objects.create(slug="read", name="Read")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=1)
    project = make_project(olga, alice, corpus=corpus)
    assigned = {"id": assign_article(project, article, get_curator(project, alice).pk).pk}
    client.force_login(alice)
    refused = decide_by_rest(client, assigned, "accept", kind="entity", keys=["uniprot:P12830"])
    assert (refused.status_code, refused.json()["detail"]) == (409, "This curation is not begun. Open it first.")
    address = f"{LIST}{assigned['id']}/"
    assert client.post(f"{address}open/").json()["state"] == "open"
    assert len(client.get(f"{address}candidates/", {"kind": "entity"}).json()["results"]) == 3
    assert decide_by_rest(client, assigned, "accept", kind="entity", keys=["uniprot:P12830"]).status_code == 201
    assert send(client, f"{address}finish/", seen=1).status_code == 200
    assert client.post(f"{address}open/").status_code == 409


def test_it_begins_only_public_articles(client, curation):
    for body in ({"article": "no-such"}, {}):
        reply = send(client, LIST, **body)
        assert (reply.status_code, reply.json()["errors"][0]["loc"]) == (400, "article")


def test_it_lists_what_servers_propose(client, curation):
    address = f"{LIST}{curation['id']}/candidates/"
    genes = client.get(address, {"kind": "entity"}).json()["results"]
    assert [each["key"] for each in genes] == ["uniprot:P12830", "uniprot:P35222", "uniprot:P09803"]
    assert (genes[0]["confidence"], len(genes[0]["producers"])) == (0.85, 3)
    assert genes[0]["annotation"]["identifier"] == "P12830"
    groups = {each["group"] for each in client.get(address, {"kind": "mention"}).json()["results"]}
    assert "ecadherin\tgene" in groups
    assert client.get(address, {"kind": "words"}).status_code == 400


def test_it_stores_a_decision_as_the_workspace_does(client, curation):
    reply = decide_by_rest(client, curation, "accept", kind="entity", keys=["uniprot:P12830", "uniprot:P35222"])
    assert reply.status_code == 201
    assert (reply.json()["number"], reply.json()["items"]) == (1, 2)
    decide_by_rest(client, curation, "reject", kind="entity", keys=["uniprot:P09803"], reason="wrong organism", seen=1)
    detail = get_detail(client, curation)
    assert {each["key"]: each["state"] for each in detail["items"]} == {
        "uniprot:P12830": "accepted",
        "uniprot:P35222": "accepted",
        "uniprot:P09803": "rejected",
    }
    assert len(detail["items"][0]["producers"]) == 3
    assert [each["identifier"] for each in detail["record"]["annotations"]] == ["P12830", "P35222"]
    assert Decision.objects.get(number=2).reason == "wrong organism"


def test_it_decides_on_a_group_and_takes_it_back(client, curation):
    assert decide_by_rest(client, curation, "accept", kind="mention", group="ecadherin\tgene").json()["items"] == 2
    undone = decide_by_rest(client, curation, "undo", seen=1).json()
    assert (undone["number"], undone["undoes"]) == (2, 1)
    assert get_detail(client, curation)["items"] == []


def test_it_adds_and_corrects(client, curation, article):
    start, end = map(int, span(article, "beta-catenin").split("-"))
    added = decide_by_rest(
        client, curation, "add", kind="mention", start=start, end=end, text="beta-catenin", type="gene", everywhere=True
    )
    assert added.json()["items"] == 2
    corrected = {"kind": "entity", "keys": ["uniprot:P09803"], "identifier": "uniprot:P12830", "seen": 1}
    assert decide_by_rest(client, curation, "edit", **corrected).status_code == 201
    items = {each["key"]: each for each in get_detail(client, curation)["items"]}
    assert items["uniprot:P09803"]["annotation"]["identifier"] == "P12830"


def test_it_records_an_interaction(client, curation):
    interaction = build_interaction_json(make_interaction())
    reply = decide_by_rest(client, curation, "add", kind="interaction", interaction=interaction)
    assert reply.status_code == 201, reply.json()
    (item,) = get_detail(client, curation)["items"]
    assert item["interaction"]["type"] == "MI:0915"
    changed = interaction | {"comment": "Twice."}
    decide_by_rest(client, curation, "edit", kind="interaction", keys=[item["key"]], interaction=changed, seen=1)
    (item,) = get_detail(client, curation)["items"]
    assert item["interaction"]["comment"] == "Twice."


@pytest.mark.parametrize(
    ("change", "loc", "message"),
    [
        ({"type": "MI:0018"}, "interaction.type", "MI:0018"),
        ({"kind": "pair"}, "interaction.kind", "kind"),
        ({"participants": []}, "interaction.participants", "participants"),
        ({"detections": [{"method": "MI:0018", "evidence": [{"span": [0, 4], "text": "Gain"}]}]}, "evidence", "text"),
    ],
)
def test_it_names_the_member_at_fault(client, curation, change, loc, message):
    interaction = build_interaction_json(make_interaction()) | change
    reply = decide_by_rest(client, curation, "add", kind="interaction", interaction=interaction)
    assert reply.status_code == 400
    assert reply.headers["Content-Type"] == "application/problem+json"
    (fault,) = reply.json()["errors"]
    assert loc in fault["loc"]
    assert message in fault["message"]
    assert not Decision.objects.exists()


def test_it_refuses_a_direction_that_the_type_does_not_have(client, curation):
    interaction = build_interaction_json(make_interaction()) | {"directed": True}
    reply = decide_by_rest(client, curation, "add", kind="interaction", interaction=interaction)
    assert reply.status_code == 400
    (fault,) = reply.json()["errors"]
    assert fault["loc"] == "interaction.directed"
    assert "has no direction" in fault["message"]
    reply = decide_by_rest(client, curation, "add", kind="interaction", interaction=interaction | {"type": "MI:0217"})
    assert reply.status_code == 201, reply.json()


def test_it_refuses_withdrawn_identifiers_in_interactions(client, curation):
    Entry.objects.filter(identifier="P35222").update(withdrawn=True)
    interaction = build_interaction_json(make_interaction())
    reply = decide_by_rest(client, curation, "add", kind="interaction", interaction=interaction)
    assert reply.json()["errors"][0]["loc"] == "interaction.participants[1].identifier"


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"action": "guess"}, "action"),
        ({"action": "accept"}, "kind"),
        ({"action": "accept", "kind": "entity"}, "keys"),
        ({"action": "accept", "kind": "entity", "keys": ["uniprot:Q00000"]}, "keys"),
        ({"action": "accept", "kind": "entity", "keys": ["uniprot:P12830"], "token": "x"}, "token"),
        ({"action": "accept", "kind": "entity", "keys": ["uniprot:P12830"], "seen": "1"}, "seen"),
        ({"action": "add", "kind": "interaction"}, "interaction"),
        ({"action": "add", "kind": "entity", "identifier": "uniprot:nonsense"}, "identifier"),
        ({"action": "add", "kind": "mention", "start": 5}, "text"),
    ],
)
def test_it_refuses_invalid_decisions(client, curation, body, loc):
    reply = decide_by_rest(client, curation, **body)
    assert reply.status_code == 400
    assert [fault["loc"] for fault in reply.json()["errors"]] == [loc]
    assert not Decision.objects.exists()


def test_it_stores_a_decision_that_is_sent_again_once(client, curation):
    body = {"kind": "entity", "keys": ["uniprot:P12830"], "token": "the-same-token"}
    assert [decide_by_rest(client, curation, "accept", **body).json()["number"] for _ in range(2)] == [1, 1]


def test_it_stores_nothing_over_a_later_decision(client, curation):
    decide_by_rest(client, curation, "accept", kind="entity", keys=["uniprot:P12830"])
    late = decide_by_rest(client, curation, "reject", kind="entity", keys=["uniprot:P12830"])
    assert late.status_code == 409
    assert "another window" in late.json()["detail"]
    assert get_detail(client, curation)["revision"] == 1


def test_it_finishes_opens_again_and_proposes(client, curation):
    address = f"{LIST}{curation['id']}/"
    assert send(client, f"{address}propose/").status_code == 409
    assert "The record is empty" in send(client, f"{address}finish/", seen=0).json()["detail"]
    decide_by_rest(client, curation, "accept", kind="entity", keys=["uniprot:P12830"])
    assert send(client, f"{address}finish/", seen=0).status_code == 409
    assert send(client, f"{address}finish/", seen=1).json()["state"] == "finished"
    assert decide_by_rest(client, curation, "undo", seen=1).status_code == 409
    assert send(client, f"{address}propose/").json()["proposed"]
    assert send(client, f"{address}reopen/").json()["state"] == "open"
    decide_by_rest(client, curation, "undo", seen=1)
    assert send(client, f"{address}finish/", seen=2, nothing_found=True).json()["nothing_found"] is True


def test_it_is_hidden_from_others(client, curation, carol):
    client.force_login(carol)
    for name in ("api-curation", "api-curation-candidates"):
        assert client.get(reverse(name, args=[curation["id"]])).status_code == 404
    for name in ("decisions", "finish", "reopen", "propose"):
        assert send(client, reverse(f"api-curation-{name}", args=[curation["id"]])).status_code == 404
    assert client.get(LIST).json()["results"] == []


def test_a_token_needs_the_scope(client, alice, article):
    for scopes, status in ((["read"], 403), (["read", "curate"], 201)):
        token = create_api_token_including_read_scope(alice, "program", scopes)
        reply = client.post(
            LIST,
            {"article": "20000001"},
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
        assert reply.status_code == status


def test_it_takes_the_same_queries_however_much_was_decided(client, alice, article, django_assert_num_queries):
    curation = begin(alice, article)
    client.force_login(alice)
    address = f"{LIST}{curation.pk}/"
    decide(curation, "accept", propose_gene("P12830", producers=[article.results.first().producer_id]))
    client.get(address)
    with django_assert_num_queries(7):
        client.get(address)
    decide(curation, "accept", propose_gene("P35222"), propose_gene("P09803"))
    with django_assert_num_queries(7):
        client.get(address)
