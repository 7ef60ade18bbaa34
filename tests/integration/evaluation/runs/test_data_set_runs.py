"""Published data sets on leaderboards: as baselines of organizers and as runs of their owners."""

import pytest

from annotations.results.models import Annotation
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.data_sets.publication import withdraw_data_set
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.runs.data_set_runs import store_data_set_as_baseline, upload_data_set_as_run
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.data_set_cast import (
    build_data_set,
    get_live_producer,
    make_annotated_corpus,
    publish_data_set,
)
from tests.integration.evaluation_cast import get_article, make_challenge, relevant

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge(olga, team):
    return make_challenge(olga, make_annotated_corpus(team))


@pytest.fixture
def task(challenge):
    return challenge.tasks.get(name="TX")


@pytest.fixture
def published(challenge, alice, staff):
    data_set = build_data_set(alice, challenge.phases.get().corpus)
    publish_data_set(data_set, staff)
    return data_set


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_user("staff", "staff@example.org", is_staff=True)


def list_run_identifiers(run):
    rows = Annotation.objects.filter(result__producer=run.producer_id, result__superseded__isnull=True)
    return sorted(rows.values_list("result__article__pmid", "identifier"))


def test_an_organizer_enters_it_as_a_baseline_that_is_scored(published, challenge, task):
    phase = challenge.phases.get()
    run = store_data_set_as_baseline(published, task, phase)
    assert run.is_baseline and run.producer_id != published.producer_id
    assert list_run_identifiers(run) == [(101, "9606"), (102, "10090"), (102, "9606")]
    figures = compute_and_store_run_scores(run).figures
    assert figures
    # The copy changes only when it is entered again.
    withdrawn = list_run_identifiers(run)
    assert store_data_set_as_baseline(published, task, phase) == run
    withdraw_data_set(published, published.owner)
    assert list_run_identifiers(run) == withdrawn


def test_its_owner_enters_it_as_a_run_of_a_team(published, challenge, task, team, alice):
    upload = upload_data_set_as_run(published, task, challenge.phases.get(), team, alice)
    assert upload.state == "taken", upload.faults
    assert list_run_identifiers(upload.run) == [(101, "9606"), (102, "10090"), (102, "9606")]
    with pytest.raises(ChallengeError, match="already"):
        upload_data_set_as_run(published, task, challenge.phases.get(), team, alice)


def test_mentions_and_classes_are_entered_too(challenge, team, alice, staff):
    spans = {101: [(0, 7)], 102: [(0, 7), (8, 11)]}
    for slug in ("one", "two"):
        for pmid, found in spans.items():
            mentions = [
                AnnotationData(Kind.MENTION, 0.5, start=a, end=b, text=get_article(pmid).text[a:b], type="gene")
                for a, b in found
            ]
            said = {Kind.MENTION: mentions, Kind.CLASSIFICATION: relevant(pmid == 101)}
            store_results_superseding_earlier(get_article(pmid), get_live_producer(slug), said)
    phase = challenge.phases.get()
    data_set = build_data_set(alice, phase.corpus, kinds=[Kind.MENTION, Kind.CLASSIFICATION])
    publish_data_set(data_set, staff)
    for task in (challenge.tasks.get(name="ACT"), creation.create_task(challenge, "GM", Kind.MENTION, "Genes")):
        upload = upload_data_set_as_run(data_set, task, phase, team, alice)
        assert upload.state == "taken", upload.faults
    rows = Annotation.objects.filter(result__producer=upload.run.producer_id)
    assert sorted(rows.values_list("result__article__pmid", "start", "end")) == [(101, 0, 7), (102, 0, 7), (102, 8, 11)]


def test_what_is_not_published_cannot_be_entered(challenge, task, team, alice):
    data_set = build_data_set(alice, challenge.phases.get().corpus)
    for enter in (
        lambda: store_data_set_as_baseline(data_set, task, challenge.phases.get()),
        lambda: upload_data_set_as_run(data_set, task, challenge.phases.get(), team, alice),
    ):
        with pytest.raises(ChallengeError, match="Only a published data set"):
            enter()
    assert not Run.objects.exists()


def test_pages_enter_it_where_the_reader_may(published, challenge, client, alice, olga, carol):
    board = {"board": "example/training/TX"}
    client.force_login(carol)
    assert client.post(f"/data/{published.pk}/baseline/", board).status_code == 403
    client.force_login(olga)
    assert "Enter as a baseline" in client.get(f"/data/{published.pk}/").content.decode()
    assert client.post(f"/data/{published.pk}/baseline/", board).url == "/challenges/example/training/TX/"
    assert client.post(f"/data/{published.pk}/run/", board).status_code == 403
    run = Run.objects.get()
    assert run.name == f"Baseline: data set {published.pk}, Organisms"


def test_it_needs_the_kind_and_an_article_of_the_phase(published, challenge, olga):
    with pytest.raises(ChallengeError, match="kind"):
        store_data_set_as_baseline(published, challenge.tasks.get(name="ACT"), challenge.phases.get())
    phase = challenge.phases.get()
    phase.corpus.corpusarticle_set.all().delete()
    with pytest.raises(ChallengeError, match="no article"):
        store_data_set_as_baseline(published, challenge.tasks.get(name="TX"), phase)
