"""Uploaded runs by REST: what a program may do for its team, and what it is told."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.results.models import Annotation
from bcms.accounts import tokens
from evaluation.challenges.models import Phase
from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db

RUNS = "/api/v1/challenges/example/training/TX/runs/"
GOOD = b"101\t9606\t0.9\n102\t10090\t0.8\n999\t9606\t0.7\n"


@pytest.fixture
def program(client, challenge, team, alice):
    """Alice's, with a token."""
    client.defaults["HTTP_AUTHORIZATION"] = (
        f"Bearer {tokens.create_api_token_including_read_scope(alice, 'script', ['runs'])}"
    )
    return client


def put(client, content=GOOD, name="mine.tsv", address=RUNS, **fields):
    return client.post(address, {"file": SimpleUploadedFile(name, content), **fields})


def test_it_takes_a_run_in(program):
    reply = put(program, message="First.")
    told = reply.json()
    assert (reply.status_code, told["state"], told["name"], told["message"]) == (201, "taken", "mine", "First.")
    assert (told["unknown"], told["unknown_names"], told["final"], told["withdrawn"]) == (1, ["999"], False, None)
    assert program.get(f"/api/v1/uploads/{told['id']}/").json() == told
    run = Run.objects.get(pk=told["run"])
    compute_and_store_run_scores(run)
    shown = program.get(f"/api/v1/runs/{run.pk}/").json()
    assert (shown["challenge"], shown["phase"], shown["task"], shown["team"]) == (
        *("example", "training", "TX"),
        "team-alpha",
    )
    assert shown["score"]["answered"] == 2
    assert shown["upload"]["sha256"] == told["sha256"]


def test_it_tells_all_faults_with_line_and_column(program):
    reply = put(program, b"101\thuman\t0.9\n102\tmouse\t0.8\n")
    assert (reply.status_code, reply["Content-Type"]) == (422, "application/problem+json")
    problem = reply.json()
    assert (problem["code"], problem["detail"]) == (
        "refused-file",
        "The file is invalid: it has 2 faults; see errors.",
    )
    assert [(own["line"], own["column"], own["code"]) for own in problem["errors"]] == [(1, 5, "R712"), (2, 5, "R712")]
    listed = program.get(RUNS).json()
    assert (listed["used"], listed["most"], listed["tries"]) == (0, 5, 1)
    assert [own["state"] for own in listed["uploads"]] == ["refused"]


def test_it_checks_a_file_only(program):
    reply = put(program, check="true")
    assert (reply.status_code, reply.json()["results"], reply.json()["unknown"]) == (200, 3, 1)
    assert put(program, b"101\t9606\t7.5\n", check="true").status_code == 422
    assert not Upload.objects.exists()


def test_it_says_why_a_file_is_not_looked_at(program):
    put(program)
    reply = put(program)
    assert (reply.status_code, reply.json()["code"]) == (409, "wrong-state")
    assert "You uploaded this file already, as run mine" in reply.json()["detail"]


def test_it_tags_and_withdraws(program, challenge):
    run = put(program).json()["run"]
    assert program.post(f"/api/v1/runs/{run}/final/").json()["final"] is True
    assert program.delete(f"/api/v1/runs/{run}/final/").json()["final"] is False
    reply = program.post(f"/api/v1/runs/{run}/withdraw/")
    assert (reply.status_code, "Runs cannot be withdrawn in this phase" in reply.json()["detail"]) == (409, True)
    Phase.objects.update(may_withdraw=True)
    assert program.post(f"/api/v1/runs/{run}/withdraw/").json()["withdrawn"]
    assert program.get(RUNS).json()["used"] == 0


def test_it_asks_for_the_team_of_who_is_on_several(program, alice):
    other = Team.objects.create(name="Team Two", slug="team-two")
    Membership.objects.create(team=other, user=alice, role="member")
    assert put(program).json()["errors"][0]["loc"] == "team"
    assert put(program, team="team-two").json()["team"] == "team-two"
    assert put(program, team="team-none").status_code == 403


def test_it_is_for_the_team_organizers_and_staff(program, client, alice, carol, olga, admin_user):
    told = put(program).json()
    seen = [f"/api/v1/runs/{told['run']}/", f"/api/v1/uploads/{told['id']}/"]
    pressed = [f"/api/v1/runs/{told['run']}/{verb}/" for verb in ("final", "withdraw")]
    del client.defaults["HTTP_AUTHORIZATION"]
    assert {client.get(address).status_code for address in (*seen, RUNS)} == {401}
    assert put(client).status_code == 401
    for user, read, pushed in ((carol, 404, 404), (olga, 200, 403), (admin_user, 200, 403)):
        client.force_login(user)
        assert {client.get(address).status_code for address in seen} == {read}
        assert {client.post(address).status_code for address in pressed} == {pushed}


def test_it_hides_the_figures_of_a_test_until_it_is_published(program, challenge):
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("open", pmids=(201, 202)))
    told = put(program, b"201\t9606\n", address="/api/v1/challenges/example/test/TX/runs/").json()
    assert program.get(f"/api/v1/runs/{told['run']}/").json()["score"] is None
    assert phase.published is None


def test_it_says_what_is_wrong_with_a_run(program):
    run = put(program, b"101\t9606\t0.9\n101\t7227\t0.1\n102\t10090\t0.8\n").json()["run"]
    address = f"/api/v1/runs/{run}/"
    reply = program.get(f"{address}analysis/")
    assert (reply.status_code, "no gold standard that you may compare this run with" in reply.json()["detail"]) == (
        404,
        True,
    )
    compute_and_store_run_scores(Run.objects.get())
    told = program.get(f"{address}analysis/").json()
    assert told["causes"][0] == {"miss": True, "cause": "document unanswered", "number": 1, "share": 0.5}
    assert [(cut["by"], cut["value"]) for cut in told["cuts"]] == [("confidence", 0.11), ("rank", 1.0)]
    assert told["faulty"] == 3
    assert told["groups_by"] == "Organism"
    assert [tuple(each.values()) for each in told["groups"]] == [
        ("9606", 1, 1, 0),
        ("10090", 1, 0, 0),
        ("10116", 0, 1, 0),
        ("7227", 0, 0, 1),
    ]
    for side, is_miss in (("missed", True), ("false", False)):
        of_causes = sum(row["number"] for row in told["causes"] if row["miss"] is is_miss)
        assert sum(group[side] for group in told["groups"]) == of_causes
    compared = program.get(f"{address}articles/?limit=1").json()
    assert (compared["count"], len(compared["results"])) == (4, 1)
    assert compared["results"][0] == {
        **{"article": "101", "title": "Article 101", "answered": True},
        **{"found": ["9606"], "missed": [], "false": ["7227"], "said": "", "right": ""},
    }
    assert program.get(f"{address}articles/?faulty=true").json()["count"] == 3


def test_it_tells_what_a_run_missed_in_the_order_of_the_gold_standard(program):
    run = put(program, b"101\t9606\n").json()["run"]
    compute_and_store_run_scores(Run.objects.get())
    # What is changed is written anew, after all others.
    Annotation.objects.filter(result__producer__sort="gold", identifier="10090").update(identifier="10092")
    compared = program.get(f"/api/v1/runs/{run}/articles/").json()["results"]
    assert [own["missed"] for own in compared] == [[], ["10092", "9606"], ["10116"], []]


def test_it_cuts_a_run(program):
    run = put(program, b"101\t9606\t0.9\n101\t7227\t0.1\n").json()["run"]
    address = f"/api/v1/runs/{run}/cut/"
    told = program.post(address, {"by": "confidence", "value": 0.11})
    assert (told.status_code, told.json()["name"], told.json()["state"]) == (201, "mine, confidence 0.11", "taken")
    refused = program.post(address, {"by": "confidence", "value": 3})
    assert (refused.status_code, refused.json()["errors"][0]["loc"]) == (400, "value")
    assert "Nothing of mine would be left" in program.post(address, {"by": "confidence", "value": 1}).json()["detail"]


def test_it_gives_the_articles_of_a_phase(program, client, challenge, carol):
    make = make_corpus("blind", pmids=(201, 202), blind=True)
    creation.create_phase_claiming_blind_corpus(challenge, "test", make)
    address = "/api/v1/challenges/example/phases/{}/articles/"
    text = program.get(address.format("training") + "?as=tsv").getvalue().decode()
    assert text.startswith("101\tArticle 101\t\n")
    assert program.get(address.format("test")).status_code == 200
    assert program.get(address.format("test") + "?as=docx").status_code == 400
    del client.defaults["HTTP_AUTHORIZATION"]
    client.force_login(carol)
    reply = client.get(address.format("test"))
    assert (reply.status_code, "for teams that can take part" in reply.json()["detail"]) == (409, True)
