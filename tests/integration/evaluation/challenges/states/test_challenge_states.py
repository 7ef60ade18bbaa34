"""Draft, listed, closed, archived: which changes there are, and what each state allows."""

import html
from importlib import import_module

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.html import strip_tags

from evaluation.challenges.models import Challenge, ChallengeState, Entrant
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.errors import ChallengeError
from evaluation.runs.run_page.withdrawal_and_final_tag import withdraw_and_hide_run_if_allowed
from servers.audit.models import AuditEvent
from servers.calls.models import Queue
from tests.integration.evaluation_cast import make_challenge, make_corpus, make_server

pytestmark = pytest.mark.django_db


def read_page_text(response):
    return " ".join(html.unescape(strip_tags(response.content.decode())).split())


@pytest.fixture
def challenge(olga):
    return make_challenge(olga, make_corpus())


def set_state(challenge, state):
    Challenge.objects.filter(pk=challenge.pk).update(state=state)
    challenge.refresh_from_db()


@pytest.mark.parametrize(
    ("before", "possible"),
    [
        ("draft", {"listed"}),
        ("listed", {"draft", "closed"}),
        ("closed", {"listed", "archived"}),
        ("archived", {"closed"}),
    ],
)
def test_it_changes_by_one_step(challenge, before, possible):
    reached = set()
    for state in ChallengeState:
        set_state(challenge, before)
        try:
            if change_challenge_state(challenge, state):
                reached.add(state.value)
        except ChallengeError as error:
            assert f"is {before} and cannot become {state}" in str(error)
    assert reached == possible


def test_it_becomes_no_draft_again_once_teams_or_readers_know_of_it(challenge, team):
    Entrant.objects.create(challenge=challenge, team=team, accepted="2026-01-01T00:00Z")
    with pytest.raises(ChallengeError, match="Team Alpha takes part or asked to"):
        change_challenge_state(challenge, ChallengeState.DRAFT)
    Entrant.objects.all().delete()
    enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get())
    with pytest.raises(ChallengeError, match="entered servers or uploaded runs"):
        change_challenge_state(challenge, ChallengeState.DRAFT)


def test_it_becomes_no_draft_again_once_a_phase_is_published(challenge):
    publish_phase_or_request_if_sealed(challenge.phases.get())
    with pytest.raises(ChallengeError, match="A phase is published"):
        change_challenge_state(challenge, ChallengeState.DRAFT)


@pytest.mark.parametrize("state", ["closed", "archived"])
def test_it_lets_nobody_enter_upload_or_ask_once_it_is_closed(challenge, state, client, alice, team):
    phase = challenge.phases.get()
    [run, *_] = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase)
    make_server(team, "second")
    set_state(challenge, state)
    client.force_login(alice)
    for path, sent in (
        ("phases/training/enter/", {"server": "second"}),
        ("phases/training/load/", {"server": "reader"}),
        ("training/TX/runs/", {"team": "team-alpha", "file": SimpleUploadedFile("a.tsv", b"101\t9606\t1\t0.5\n")}),
        ("join/", {"team": "team-alpha"}),
    ):
        page = client.post(f"/challenges/example/{path}", sent, follow=True)
        assert "Example challenge is closed, so nobody can" in read_page_text(page), path
    page = client.get("/challenges/example/")
    assert "Reload articles" not in page.content.decode()
    assert client.get("/challenges/example/training/TX/").status_code == 200
    run.phase.may_withdraw = True
    run.phase.challenge.refresh_from_db()
    with pytest.raises(ChallengeError, match="nobody can withdraw runs"):
        withdraw_and_hide_run_if_allowed(run)


def test_it_holds_the_queues_while_it_is_closed(challenge, team):
    enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get())
    held = [Queue.objects.get(mode="training").held]
    for state in (ChallengeState.CLOSED, ChallengeState.LISTED):
        change_challenge_state(challenge, state)
        held.append(Queue.objects.get(mode="training").held)
    assert held == [False, True, False]
    changes = AuditEvent.objects.filter(action="challenge.state_changed").order_by("-pk")[:2]
    assert [(event.before["state"], event.after["state"]) for event in changes] == [
        ("closed", "listed"),
        ("listed", "closed"),
    ]


def test_organizers_change_it_on_their_page_and_by_rest(challenge, client, olga):
    client.force_login(olga)
    page = read_page_text(client.get("/challenges/example/organize/"))
    assert "Everybody sees this challenge" in page
    assert "Close the challenge Nobody can enter servers or upload runs any more." in page
    page = client.post("/challenges/example/state/", {"state": "closed"}, follow=True)
    assert "Example challenge is closed." in read_page_text(page)
    sent = {"state": "archived"}
    answer = client.put("/api/v1/challenges/example/state/", sent, content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (200, "archived")
    answer = client.put("/api/v1/challenges/example/state/", {"state": "draft"}, content_type="application/json")
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "Example challenge is archived and cannot become draft at once. Change it to closed first.",
    )
    wrong = client.put("/api/v1/challenges/example/state/", {"state": "open"}, content_type="application/json")
    assert wrong.status_code == 400


def test_it_lists_archived_challenges_apart(challenge, client, olga):
    client.force_login(olga)
    assert "Archived" not in client.get("/challenges/").content.decode()
    set_state(challenge, "archived")
    other = Challenge.objects.create(name="Other", slug="other", state="listed")
    text = read_page_text(client.get("/challenges/"))
    assert text.index(other.name) < text.index("Archived") < text.index("Example challenge")
    assert "Example challenge" not in client.get("/").content.decode()


def test_challenges_of_before_are_listed():
    added, changed = import_module("evaluation.migrations.0005_challenge_state").Migration.operations
    assert (added.field.db_default, changed.field.db_default) == ("listed", "draft")
