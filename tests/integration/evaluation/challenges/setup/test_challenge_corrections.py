"""What an organizer set up wrongly is changed and removed, until a team has built on it."""

import json

import pytest

from annotations.results.models import Producer
from annotations.schema import Kind
from evaluation.challenges.models import Phase, Task
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus, make_server

pytestmark = pytest.mark.django_db

PAGE = "/challenges/example/"
API = "/api/v1/challenges/example/"


@pytest.fixture
def organizer(client, olga, challenge):
    client.force_login(olga)
    return client


@pytest.fixture
def entered(challenge, team):
    return enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get())


def list_task_fields(task, **changed):
    names = ("name", "title", "kind", "primary", "further", "note")
    return {name: getattr(task, name) for name in names} | changed


def put(client, address, data):
    return client.put(API + address, json.dumps(data), content_type="application/json")


def test_a_task_gets_other_words_and_measures(organizer, challenge, entered):
    act = challenge.tasks.get(name="ACT")
    page = organizer.get(PAGE + "tasks/ACT/").content.decode()
    assert 'value="ACT"' in page
    sent = list_task_fields(act, title="Relevant articles", primary="auc_pr", further=["mcc"])
    assert organizer.post(PAGE + "tasks/ACT/", sent).url == PAGE + "organize/"
    act.refresh_from_db()
    assert (act.title, act.primary, act.further) == ("Relevant articles", "auc_pr", ["mcc"])
    refused = organizer.post(PAGE + "tasks/ACT/", {**sent, "name": "ACT-2"})
    assert (refused.status_code, "so its name and kind cannot change" in refused.content.decode()) == (422, True)
    assert put(organizer, "tasks/ACT/", {**sent, "kind": "taxon", "primary": "", "further": []}).status_code == 409
    assert "already has a task tx" in str(put(organizer, "tasks/ACT/", {**sent, "name": "tx"}).json())
    assert put(organizer, "tasks/ACT/", {**sent, "primary": "", "further": []}).status_code == 200
    publish_phase_or_request_if_sealed(challenge.phases.get())
    assert "its measures cannot change" in put(organizer, "tasks/ACT/", {**sent, "further": []}).json()["detail"]
    assert (
        put(
            organizer, "tasks/ACT/", {**list_task_fields(Task.objects.get(pk=act.pk)), "note": "Two experts."}
        ).status_code
        == 200
    )


def test_a_new_task_gets_another_name_and_kind(organizer, challenge):
    organizer.post(PAGE + "add-task/", {"name": "GM", "title": "Genes", "kind": "normalization"})
    assert put(organizer, "tasks/GM/", {"name": "GN", "title": "Genes", "kind": "normalization"}).status_code == 200
    assert organizer.delete(API + "tasks/GN/").status_code == 204
    assert organizer.delete(API + "tasks/GN/").status_code == 404


def test_a_phase_without_runs_is_removed_with_its_gold_standards(organizer, challenge):
    assert "Remove the training phase" in organizer.get(PAGE + "organize/").content.decode()
    assert organizer.post(PAGE + "phases/training/remove/", {"confirm": "on"}).url == PAGE + "organize/"
    assert [model.objects.exists() for model in (Phase, GoldStandard, Producer)] == [False] * 3
    assert creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("other", pmids=(7,))).pk


def test_a_task_is_removed_with_its_gold_standards(organizer, challenge):
    organizer.post(PAGE + "tasks/TX/remove/", {"confirm": "on"})
    assert [task.name for task in challenge.tasks.all()] == ["ACT"]
    assert GoldStandard.objects.count() == Producer.objects.count() == 1


def test_what_was_made_this_very_moment_is_told_as_a_fault_of_the_form(organizer, challenge, olga):
    """As when a form or a request is sent twice at once, and both found nothing of that name."""
    corpus = make_corpus("other", pmids=(7,))
    for make in (
        lambda: create_listed_challenge("Example", "example", "", olga),
        lambda: creation.create_task(challenge, "TX", Kind.TAXON, "Organisms"),
        lambda: create_challenge_corpus(challenge, "Other", "other", "", [], blind=False),
        lambda: creation.create_phase_claiming_blind_corpus(challenge, "training", corpus),
    ):
        with pytest.raises(ChallengeError, match=r"already|is taken"):
            make()


def test_a_phase_that_is_over_is_not_set_up(organizer, challenge):
    make_corpus("other", pmids=(7,))
    past = {"sort": "test", "corpus": "other", "closes": "2001-01-01T00:00:00Z"}
    refused = organizer.post(API + "phases/", past, content_type="application/json")
    assert (refused.status_code, "Enter a later end" in refused.json()["detail"]) == (409, True)
    opens, page = {"opens": "2001-01-01T00:00"}, PAGE + "add-phase/"
    sent = {"sort": "test", "corpus": challenge.phases.get().corpus.pk, "closes": "2001-02-01T00:00", **opens}
    assert "The end of the phase is in the past" in organizer.post(page, sent).content.decode()
    assert challenge.phases.count() == 1


def test_what_has_runs_stays(organizer, challenge, entered):
    assert "Remove the training phase" not in organizer.get(PAGE + "organize/").content.decode()
    for address in ("phases/training/remove/", "tasks/ACT/remove/"):
        organizer.post(PAGE + address, {"confirm": "on"})
    assert [organizer.delete(API + address).status_code for address in ("phases/training/", "tasks/ACT/")] == [409] * 2
    assert (challenge.phases.count(), challenge.tasks.count(), GoldStandard.objects.count()) == (1, 2, 2)
