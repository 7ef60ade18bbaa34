"""A change that fails in the middle leaves nothing behind."""

import pytest

from annotations.articles.models import Corpus
from annotations.schema import Kind
from evaluation.challenges.models import CorpusOwner, Phase
from evaluation.challenges.setup import api, creation, views
from evaluation.labelling.curators import begin_labelling_claiming_blind_corpus
from evaluation.labelling.models import Labelling
from evaluation.runs.models import Run
from evaluation.runs.run_page import withdrawal_and_final_tag
from tests.integration.evaluation.runs.test_run_pages import put

pytestmark = pytest.mark.django_db
RULES = {"opens": "2026-01-01T00:00", "online_runs": 2, "offline_runs": 3, "minutes": 4, "tries": 1}


def fail(*_, **__):
    raise RuntimeError("broken on purpose")


def test_a_run_is_not_withdrawn_while_its_annotations_are_public(client, challenge, team, alice, monkeypatch):
    client.force_login(alice)
    put(client)
    Phase.objects.update(may_withdraw=True)
    monkeypatch.setattr(withdrawal_and_final_tag, "mark_producers_to_reload_calibration_pages", fail)
    with pytest.raises(RuntimeError):
        withdrawal_and_final_tag.withdraw_and_hide_run_if_allowed(Run.objects.get())
    assert Run.objects.get().withdrawn is None


def test_a_task_is_created_with_its_audit_event(phase, monkeypatch):
    before = phase.challenge.tasks.count()
    monkeypatch.setattr(creation, "record_audit_event", fail)
    with pytest.raises(RuntimeError):
        creation.create_task(phase.challenge, "another", Kind.TAXON, "Another")
    assert phase.challenge.tasks.count() == before


@pytest.mark.parametrize("by", ["page", "REST"])
def test_rules_of_a_phase_are_stored_with_those_of_its_queues(phase, organizer, monkeypatch, by):
    stored = (phase.minutes, phase.tries)
    for module in (views, api):
        monkeypatch.setattr(module, "copy_time_limit_and_attempts_to_queues", fail)
    organizer.raise_request_exception = False
    if by == "page":
        answer = organizer.post(f"/challenges/example/phases/{phase.sort}/rules/", RULES)
    else:
        address = f"/api/v1/challenges/example/phases/{phase.sort}/"
        answer = organizer.put(address, RULES, content_type="application/json")
    assert answer.status_code == 500
    assert Phase.objects.values_list("minutes", "tries").get() == stored


def test_a_corpus_is_claimed_with_its_labelling(phase, monkeypatch):
    corpus = Corpus.objects.create(name="Blind", slug="blind", blind=True)
    monkeypatch.setattr(Labelling.objects, "create", fail)
    with pytest.raises(RuntimeError):
        begin_labelling_claiming_blind_corpus(phase.challenge, corpus, order="random", again_every=0)
    assert not CorpusOwner.objects.filter(corpus=corpus).exists()
