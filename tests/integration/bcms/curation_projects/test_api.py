"""Curation projects by REST, with the same operations and checks as the pages."""

import pytest

from annotations.curation.models import Curation
from evaluation.gold.models import GoldStandard
from tests.integration.evaluation_cast import PMIDS
from tests.integration.project_cast import curate, get_curator, make_project

pytestmark = pytest.mark.django_db
BASE = "/api/v1/curation-projects/"


@pytest.fixture
def project(olga, alice, carol, training):
    return make_project(olga, alice, carol, corpus=training.corpus)


@pytest.fixture
def as_olga(client, olga):
    client.force_login(olga)
    return client


def post(client, address, sent=None, expect=200):
    reply = client.post(address, sent or {}, content_type="application/json")
    assert reply.status_code == expect, reply.content
    return reply.json() if reply.content else None


def test_it_runs_a_project_from_creation_to_the_gold_standard(as_olga, alice, carol, training):
    created = post(as_olga, BASE, {"name": "Kinases", "corpus": "four", "help": "none"}, expect=201)
    base = f"{BASE}{created['project']['id']}/"
    for name in ("alice", "carol"):
        post(as_olga, f"{base}curators/", {"person": name})
    state = post(as_olga, f"{base}split/", {"overlap": 100, "seed": 3})
    assert [(each["name"], each["assigned"]) for each in state["progress"]["curators"]] == [("alice", 4), ("carol", 4)]
    project = training.corpus.curation_projects.get()
    for pmid in PMIDS:
        curate(project, alice, pmid, "P12830")
        curate(project, carol, pmid, "P12830", *(["P35222"] if pmid == 101 else []))
    outcome = as_olga.get(f"{base}outcome/").json()
    assert [(each["article"], each["differing"]) for each in outcome["conflicts"]] == [("101", 1)]
    entity = next(each for each in outcome["pairs"][0]["levels"] if each["level"] == "entity")
    assert (entity["articles"], entity["instances"], entity["joint"], entity["kappa"]) == (4, 5, 0.8, None)
    # Each article has an item that both accepted, and 101 has one that only carol did: 4 of 5 to 4 of 4 + 3.
    assert entity["intervals"]["joint"] == [pytest.approx(4 / 7), 1.0]
    assert set(entity["intervals"]) == {"joint", "f1"}
    assert post(as_olga, f"{base}agreed/") == {"accepted": 3, "left": 0}
    compared = as_olga.get(f"{base}articles/101/").json()
    (differing,) = [item for item in compared["items"] if not item["agreed"]]
    assert differing["versions"][0]["curators"] == ["carol"]
    choices = {"shown": compared["shown"], "choices": {str(differing["number"]): "0"}}
    post(as_olga, f"{base}articles/101/", choices)
    place = {"challenge": "example", "phase": "training", "task": "ACT"}
    assert post(as_olga, f"{base}gold/", place, expect=201)["sealed"] is False
    assert GoldStandard.objects.get(task__name="ACT").source.endswith("Kinases")


def test_it_gives_a_curator_the_worklist_and_little_of_the_project(client, project, alice, carol):
    client.force_login(alice)
    curate(project, alice, 101, "P12830", finish=False)
    worklist = client.get(f"/api/v1/curation-worklist/?project={project.pk}&order=likely").json()
    assert [row["article"] for row in worklist["to_curate"]] == ["101"]
    assert [row["article"] for row in worklist["suggestions"]] == ["102", "103", "104"]
    detail = client.get(f"{BASE}{project.pk}/").json()
    assert (detail["progress"], detail["curator"]) == (None, get_curator(project, alice).pk)
    assert client.get(f"{BASE}{project.pk}/outcome/").status_code == 403
    assert client.get("/api/v1/curation-worklist/?order=best").status_code == 400
    taken = post(client, f"{BASE}{project.pk}/take/", {"article": "102"})
    handed = {"curator": get_curator(project, carol).pk}
    post(client, f"/api/v1/curations/{taken['curation']}/hand-over/", handed)
    assert Curation.objects.get(pk=taken["curation"]).curator.user == carol
    post(client, f"{BASE}{project.pk}/leave/", expect=204)
    assert client.get(f"{BASE}{project.pk}/").status_code == 404


def test_it_answers_conflicts_and_invalid_requests(as_olga, project, alice):
    base = f"{BASE}{project.pk}/"
    post(as_olga, f"{base}split/", {"overlap": 200}, expect=400)
    post(as_olga, f"{base}curators/", {"person": "nobody"}, expect=400)
    post(as_olga, f"{base}release/", {"curator": 99}, expect=409)
    post(as_olga, BASE, {"name": "X", "corpus": "none"}, expect=400)
    assert as_olga.get(f"{base}articles/101/").status_code == 409
    post(as_olga, f"{base}close/", {"closed": True})
    post(as_olga, f"{base}split/", {"overlap": 0}, expect=409)
    place = {"challenge": "example", "phase": "training", "task": "TX"}
    post(as_olga, f"{base}gold/", place, expect=409)


def test_it_accepts_a_consensus_by_rule(client, project, alice):
    curation = curate(project, alice, 101, "P12830", finish=False)
    client.force_login(alice)
    sent = {"method": "votes", "threshold": 2, "kinds": ["entity"], "seen": 1, "token": "a"}
    post(client, f"/api/v1/curations/{curation.pk}/accept/", sent, expect=409)
    post(client, f"/api/v1/curations/{curation.pk}/accept/", sent | {"kinds": ["genes"]}, expect=400)
