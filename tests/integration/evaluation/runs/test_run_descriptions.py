"""A team describes its run; leaderboards, REST and archives show it where they name the team."""

import csv
import json
from io import StringIO

import pytest
from django.utils import timezone

from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.runs.descriptions.description import DESCRIPTION_FIELDS
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.audit.models import AuditEvent
from tests.integration.evaluation_cast import answer, make_server, relevant

pytestmark = pytest.mark.django_db
BOARD = "/challenges/example/training/ACT/"
SAID = {
    "method_name": "Forests & trees",
    "abstract": "Words of the abstract\nas features.",
    "paper": "https://example.org/paper",
    "code": "https://example.org/code",
    "environment": "2 cores, Python 3.13",
}


@pytest.fixture
def run(team, phase):
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "forests"), phase)[0]
    for pmid in (101, 102, 103, 104):
        answer(run, pmid, relevant(True))
    compute_and_store_run_scores(run)
    return run


@pytest.fixture
def address(run):
    return f"/runs/{run.pk}/description/"


@pytest.fixture
def described(run):
    Run.objects.filter(pk=run.pk).update(**SAID)
    run.refresh_from_db()
    return run


def read_description(run):
    run.refresh_from_db()
    return {name: getattr(run, name) for name in DESCRIPTION_FIELDS}


def test_its_team_describes_it_and_the_board_shows_it(client, alice, run, phase, address):
    client.force_login(alice)
    assert b"Describe this run" in client.get(f"/runs/{run.pk}/").content
    assert client.get(address).status_code == 200
    page = client.post(address, SAID, follow=True).content.decode()
    assert "The description of" in page and "Words of the abstract<br>as features." in page
    assert read_description(run) == SAID
    event = AuditEvent.objects.get(action="run.described")
    assert (event.team_id, event.after["method_name"]) == (run.team_id, SAID["method_name"])
    publish_phase_or_request_if_sealed(phase)
    client.logout()
    board = client.get(BOARD).content.decode()
    assert f'<a href="#method-{run.pk}"' in board and 'href="https://example.org/code" rel="nofollow ugc' in board
    methods = board[board.index(f'id="method-{run.pk}"') :]
    for text in ("Forests &amp; trees", "Words of the abstract<br>as features.", "2 cores, Python 3.13"):
        assert text in methods
    scores = client.get(f"{BOARD}scores/{run.pk}/").content.decode()
    assert "2 cores, Python 3.13" in scores
    assert json.loads(client.get(f"{BOARD}leaderboard.json").content)["runs"][0]["description"] == SAID
    assert client.get("/api/v1" + BOARD).json()["rows"][0]["description"] == SAID
    (row,) = csv.DictReader(StringIO(client.get(f"{BOARD}leaderboard.csv").content.decode()))
    assert {name: row[name] for name in SAID} == SAID
    table = client.get(f"{BOARD}leaderboard.tex").content.decode()
    assert r"\begin{tabular}{rrlll" in table and "Run & Team & Method &" in table
    assert rf"& Team Alpha & {SAID['method_name']} &".replace("s & t", r"s \& t") in table


def test_a_run_without_abstract_and_environment_has_no_entry_in_the_list_of_methods(client, described, phase):
    Run.objects.filter(pk=described.pk).update(abstract="", environment="")
    publish_phase_or_request_if_sealed(phase)
    board = client.get(BOARD).content.decode()
    assert "Forests &amp; trees" in board and "#method-" not in board and "Methods: " not in board


def test_only_its_team_changes_it_and_organizers_remove_it(client, alice, olga, carol, described, address):
    for user, status in ((carol, 404), (olga, 403)):
        client.force_login(user)
        assert client.get(address).status_code == client.post(address, {}).status_code == status
    client.force_login(alice)
    refused = client.post(f"{address}remove/", {"confirm": "on"})
    assert refused.status_code == 403 and "Only organizers of the challenge may do this" in refused.content.decode()
    client.force_login(olga)
    assert b"no longer shows it" in client.post(f"{address}remove/").content
    assert read_description(described) == SAID
    client.post(f"{address}remove/", {"confirm": "on"})
    assert not any(read_description(described).values())
    event = AuditEvent.objects.get(action="run.description_removed")
    assert (event.actor_id, event.team_id, event.before["code"]) == (olga.pk, described.team_id, SAID["code"])


def test_a_team_without_a_name_has_no_description(client, described, phase, address, alice, olga):
    publish_phase_or_request_if_sealed(phase)
    Phase.objects.filter(pk=phase.pk).update(names_shown=timezone.now() + timezone.timedelta(days=1))
    pages = (BOARD, f"{BOARD}scores/{described.pk}/", f"{BOARD}leaderboard.json", f"/api/v1{BOARD}")
    pages += (f"{BOARD}leaderboard.csv",)
    for page in pages:
        assert "example.org/code" not in client.get(page).content.decode(), page
    assert "Method" not in client.get(f"{BOARD}leaderboard.tex").content.decode()
    for user in (alice, olga):
        client.force_login(user)
        for page in pages:
            assert "example.org/code" in client.get(page).content.decode(), (user, page)


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("code", "javascript:alert(1)", "Give a URL that begins with https://"),
        ("code", "ftp://example.org/code", "Give a URL that begins with https://"),
        ("code", "https://example.org/\u202ecode", "invisible character"),
        ("code", "https://me:token@example.org/code", "without a user name and password"),
        ("paper", "https://github.com@evil.example/", "without a user name and password"),
        ("paper", "my paper", "Give a URL that begins with https://"),
        ("paper", "https://example.org/" + "x" * 500, "at most 500 characters"),
        ("method_name", "Tre\u200bes", "invisible character"),
        ("abstract", "x" * 4001, "at most 4000 characters"),
        ("environment", "\x07", "control character"),
    ],
)
def test_a_wrong_text_is_refused_and_nothing_is_stored(client, alice, described, address, field, text, words):
    client.force_login(alice)
    page = client.post(address, SAID | {"method_name": "Another", field: text})
    assert (page.status_code, [words in str(page.context["form"].errors[field])]) == (422, [True])
    assert read_description(described) == SAID


@pytest.mark.parametrize("paper", ["10.1093/database/baw032", "doi: 10.1093/database/baw032"])
def test_a_doi_becomes_a_url(client, alice, run, address, paper):
    client.force_login(alice)
    client.post(address, {"paper": paper})
    assert read_description(run)["paper"] == "https://doi.org/10.1093/database/baw032"


def test_the_form_of_a_run_starts_with_what_the_team_said_last(client, alice, described, phase):
    other = enter_eligible_server_and_enqueue_articles(make_server(described.team, "other"), phase)[0]
    client.force_login(alice)
    assert b"Forests &amp; trees" in client.get(f"/runs/{other.pk}/description/").content
    assert not any(read_description(other).values())
    client.post(f"/runs/{other.pk}/description/", SAID)
    assert read_description(other) == SAID


def test_programs_describe_it(client, alice, olga, run):
    address = f"/api/v1/runs/{run.pk}/description/"
    client.force_login(alice)
    assert client.put(address, SAID, content_type="application/json").json() == SAID
    assert client.get(f"/api/v1/runs/{run.pk}/").json()["description"] == SAID
    wrong = client.put(address, {"code": "x"}, content_type="application/json")
    assert wrong.status_code == 400 and "https://" in str(wrong.json())
    assert client.put(address, {"code": SAID["code"]}, content_type="application/json").json()["abstract"] == ""
    assert client.delete(address).status_code == 403
    client.force_login(olga)
    assert client.put(address, SAID, content_type="application/json").status_code == 403
    assert client.delete(address).status_code == 204
    assert not any(read_description(run).values())
