"""Organizers delete challenges without runs and corpora that nothing uses; nothing public is lost."""

import pytest

from annotations.articles.models import Article, Corpus
from annotations.results.models import Producer, Result
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.models import Challenge, CorpusOwner, Phase, Task
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup.corpora import create_challenge_corpus, list_corpora_challenge_may_use
from evaluation.errors import ChallengeError
from evaluation.labelling import curators
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.manual_annotations.file_import import ManualAnnotationFile, import_all_manual_annotations_or_refuse_file
from tests.integration.evaluation_cast import create_listed_challenge, make_challenge, make_corpus, make_server

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/"
API = "/api/v1/challenges/example/"


@pytest.fixture
def challenge(olga):
    challenge = make_challenge(olga, make_corpus())
    phase = challenge.phases.get()
    CorpusOwner.objects.create(corpus=phase.corpus, challenge=challenge)
    return challenge


@pytest.fixture
def full(challenge, carol):
    """It has everything that can be deleted."""
    phase, act = challenge.phases.get(), challenge.tasks.get(name="ACT")
    store_baseline_runs_replacing_earlier(act, phase)
    labelling = curators.begin_labelling_claiming_blind_corpus(challenge, phase.corpus, order="given", again_every=0)
    curators.add_and_mail_or_readmit_curator(labelling, carol)
    authors = ManualAnnotationFile("author", "Authors", b"101\t9606\n", "authors.tsv")
    import_all_manual_annotations_or_refuse_file(challenge.tasks.get(name="TX"), phase.corpus, authors)
    return challenge


@pytest.fixture
def organizer(client, olga):
    client.force_login(olga)
    return client


def test_it_deletes_a_challenge_whose_name_is_typed(full, organizer):
    before = Article.objects.count()
    assert "Delete this challenge" in organizer.get(PAGE + "organize/").content.decode()
    page = organizer.post(PAGE + "delete/")
    text = page.content.decode()
    assert page.status_code == 200
    assert all(part in text for part in ("Task: 2", "Gold standard: 2", "Four", "The articles stay", "Type example"))
    for sent in ({"asked": "1"}, {"asked": "1", "confirm": "on"}, {"asked": "1", "confirm": "on", "name": "other"}):
        assert organizer.post(PAGE + "delete/", sent).status_code == 422
    assert Challenge.objects.exists()
    gone = organizer.post(PAGE + "delete/", {"confirm": "on", "name": "example"}, follow=True)
    assert "Example challenge was deleted." in gone.content.decode()
    models = (Challenge, Task, Phase, Corpus, Producer, Result)
    assert [model.objects.count() for model in models] == [0] * 6
    assert Article.objects.count() == before


def test_it_deletes_one_by_rest(full, organizer):
    assert organizer.delete(API).status_code == 204
    assert organizer.get(API).status_code == 404


def test_it_keeps_what_has_runs_or_is_published(challenge, organizer, team):
    phase = challenge.phases.get()
    publish_phase_or_request_if_sealed(phase)
    with pytest.raises(ChallengeError, match="A phase or task of Example challenge is published"):
        delete_challenge_without_runs(challenge)
    Phase.objects.update(published=None)
    for gold in phase.golds.all():
        gold.published = None
        gold.save()
    enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase)
    answer = organizer.delete(API)
    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "Example challenge has runs of teams and cannot be deleted. Close and archive it instead.",
    )
    assert "has runs of teams" in organizer.post(PAGE + "delete/", follow=True).content.decode()
    assert "Delete this challenge" not in organizer.get(PAGE + "organize/").content.decode()


def test_it_keeps_corpora_that_another_challenge_uses(challenge, olga):
    other = create_listed_challenge("Other", "other", "", olga)
    Phase.objects.create(challenge=other, sort="training", corpus=Corpus.objects.get(slug="four"))
    delete_challenge_without_runs(challenge)
    assert Corpus.objects.filter(slug="four").exists()


def test_it_deletes_an_unused_corpus_only(challenge, organizer, olga):
    spare = create_challenge_corpus(challenge, "Spare", "spare", "", [Article.objects.first().pk], blind=False)
    page = organizer.get(PAGE + "organize/").content.decode()
    assert (f"corpora/{spare.slug}/delete/" in page, "corpora/four/delete/" in page) == (True, False)
    answer = organizer.delete(API + "corpora/four/")
    assert answer.json()["detail"] == "Four is used by the training phase of Example challenge and cannot be deleted."
    sent = {"confirm": "on", "name": "spare"}
    gone = organizer.post(PAGE + "corpora/spare/delete/", sent, follow=True)
    assert "The corpus Spare was deleted." in gone.content.decode()
    other = create_listed_challenge("Other", "other", "", olga)
    create_challenge_corpus(other, "Theirs", "theirs", "", [], blind=False)
    assert organizer.delete(API + "corpora/theirs/").status_code == 404
    assert organizer.delete("/api/v1/challenges/other/corpora/theirs/").status_code == 204
    assert Article.objects.count() == 4


def test_it_offers_open_corpora_of_those_challenges_only_that_the_user_organizes(challenge, olga, alice, admin_user):
    other = create_listed_challenge("Other", "other", "", alice)
    challenge.organizers.add(alice)
    for name, owner, blind in (("own", challenge, True), ("theirs", other, False), ("hidden", other, True)):
        create_challenge_corpus(owner, name, name, "", [], blind=blind)
    Corpus.objects.create(slug="open", name="open")
    Corpus.objects.create(slug="lost", name="lost", blind=True)
    offered = [
        {corpus.slug for corpus in list_corpora_challenge_may_use(challenge, user)}
        for user in (olga, alice, admin_user)
    ]
    assert offered == [
        {"four", "own", "open"},
        {"four", "own", "open", "theirs"},
        {"four", "own", "open", "theirs", "lost"},
    ]
