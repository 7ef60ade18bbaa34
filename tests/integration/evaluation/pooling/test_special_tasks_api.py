"""Special tasks by REST: passages pooled and judged, articles labelled, producers compared, by whom each is for."""

import pytest
from django.test import Client

from annotations.articles.models import Article
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.gold.models import GoldStandard
from evaluation.labelling.models import Labeller
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant
from tests.integration.pooling_cast import VERDICTS, first_run, make_judges, make_phase, second_run

pytestmark = pytest.mark.django_db

POOL = "/api/v1/challenges/pooled/training/ISS/pool/"
LABELLINGS = "/api/v1/challenges/example/labellings/"


def log_in_client(user):
    client = Client()
    client.force_login(user)
    return client


def post_json(client, address, **values):
    reply = client.post(address, values, content_type="application/json")
    assert reply.status_code in (200, 201, 204), reply.content
    return reply.json() if reply.content else None


def name_verdict(verdict):
    return "best" if verdict.best else "relevant" if verdict.relevant else "not relevant"


@pytest.fixture
def organizer(olga):
    return log_in_client(olga)


def test_passages_are_judged_and_the_judging_closed(organizer, olga, team):
    phase = make_phase(olga)
    first_run(team, phase), second_run(team, phase)
    assert organizer.get(POOL).status_code == 409
    assert post_json(organizer, f"{POOL}collect/")["passages"] == len(VERDICTS)
    jane, jim = map(log_in_client, make_judges("jane", "jim"))
    post_json(organizer, f"{POOL}judges/", judge="jane")
    assert post_json(organizer, f"{POOL}judges/", judge="jim@example.org")["judges"][1]["judge"] == "jim"
    for judge in (jane, jim):
        page = judge.get(f"{POOL}judging/").json()
        while any(own["verdict"] is None for own in page["passages"]):
            own = next(own for own in page["passages"] if own["verdict"] is None)
            said = {"passage": own["passage"], "verdict": name_verdict(VERDICTS[own["text"]]), "shown": page["shown"]}
            page = post_json(judge, f"{POOL}judging/", **said)
    assert organizer.get(f"{POOL}adjudicating/").status_code == 204
    state = post_json(organizer, f"{POOL}close/")
    assert (state["unjudged"], state["conflicts"], state["closed"] is None) == (0, 0, False)
    assert organizer.get(f"{POOL}judgements/").content.decode().count("\n") == len(VERDICTS)
    assert "\tjane\t" in organizer.get(f"{POOL}decisions/").content.decode()
    assert jane.get(f"{POOL}judgements/").status_code == 404
    assert post_json(organizer, f"{POOL}reopen/")["closed"] is None
    assert [each["judge"] for each in post_json(organizer, f"{POOL}judges/", judge="jim", remove=True)["judges"]] == [
        "jane"
    ]
    assert jim.get(f"{POOL}judging/").status_code == 403


def test_articles_are_labelled_and_become_a_gold_standard(organizer, olga, carol, alice):
    challenge = make_challenge(olga, make_corpus())
    phase = challenge.phases.get()
    assert post_json(organizer, LABELLINGS, corpus="four", order="given", again_every=0)["corpus"] == "four"
    post_json(organizer, f"{LABELLINGS}four/curators/", curator="carol")
    post_json(organizer, f"{LABELLINGS}four/curators/", curator="alice")
    first, second = map(log_in_client, (carol, alice))
    for client, relevant_ones in ((first, {101, 102}), (second, {101})):
        (own,) = client.get("/api/v1/labels/").json()
        address = f"/api/v1/labels/{own['id']}/"
        before = client.get(address).json()
        assert (before["article"], before["showing"]) == (None, 0)
        shown = post_json(client, f"{address}show/")
        assert client.get(address).json() == shown
        assert post_json(client, f"{address}pause/")["article"] is None
        assert client.get(address).json()["article"] is None
        assert post_json(client, f"{address}resume/")["article"] == shown["article"]
        while shown["article"]:
            pmid = Article.objects.get(opaque=shown["article"]["article"]).pmid
            said = "yes" if pmid in relevant_ones else "no"
            shown = post_json(client, f"{address}answer/", article=shown["article"]["article"], said=said)
        assert (shown["progress"]["labelled"], shown["progress"]["left"]) == (4, 0)
    (conflict,) = organizer.get(f"{LABELLINGS}four/").json()["conflicts"]
    assert (conflict["yes"], conflict["no"], conflict["ruling"]) == (["carol"], ["alice"], None)
    refused = organizer.post(f"{LABELLINGS}four/gold/", {"task": "ACT", "phase": "training"})
    assert refused.status_code == 409 and "1 conflicts are open" in refused.json()["detail"]
    assert post_json(organizer, f"{LABELLINGS}four/rulings/", article=conflict["article"], relevant=True)["complete"]
    post_json(organizer, f"{LABELLINGS}four/gold/", task="ACT", phase="training")
    assert GoldStandard.objects.get(task__name="ACT", phase=phase).source.startswith("Labelling of Four by carol")
    assert organizer.get(f"{LABELLINGS}four/gold/").content.decode() == "101\t1\n102\t1\n103\t0\n104\t0\n"
    post_json(organizer, f"{LABELLINGS}four/curators/", curator="carol", released=True)
    assert first.get("/api/v1/labels/").json() == []
    assert Labeller.objects.get(user=carol).released is not None


def test_producers_are_compared_as_on_the_page(client, olga, team):
    challenge = make_challenge(olga, make_corpus())
    phase = challenge.phases.get()
    (one, _), (two, _) = (
        enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase) for slug in ("one", "two")
    )
    for pmid in (101, 102, 103):
        answer(one, pmid, relevant(True))
        answer(two, pmid, relevant(pmid != 103))
    publish_phase_or_request_if_sealed(phase)
    address = "/api/v1/corpora/four/compare/"
    listed = client.get(address, {"kind": "classification"}).json()
    ids = {own["name"].split(",")[0]: own["id"] for own in listed["candidates"] if own["kind"] == "classification"}
    gold = next(own["id"] for own in listed["candidates"] if own["sort"] == "gold" and own["kind"] == "classification")
    chosen = [pk for pk in ids.values() if pk != gold]
    told = client.get(address, {"kind": "classification", "producer": chosen, "gold": gold}).json()
    (pair,) = told["pairs"]
    assert (told["articles"], pair["instances"], pair["joint"]) == (3, 3, 2 / 3)
    assert sum(own["items"] for own in told["regions"]) == 3
    assert client.get(address, {"producer": 10**6}).json()["lost"] == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        *(({"producer": text}, "producer") for text in ("0", "-1", "x", "")),
        ({"producer": ["1"] * 11}, "producer"),
        ({"gold": "0"}, "gold"),
    ],
)
def test_it_refuses_numbers_that_no_producer_has(client, olga, query, field):
    make_challenge(olga, make_corpus())
    answered = client.get("/api/v1/corpora/four/compare/", query)
    assert (answered.status_code, answered.json()["errors"][0]["loc"].partition(".")[0]) == (400, field)
