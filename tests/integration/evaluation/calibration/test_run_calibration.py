"""What training teaches of confidences: learned anew when there is more, and shown to whom it concerns."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from annotations.articles.models import Article
from annotations.results.consensus.methods import ListCutoff
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.calibrated_confidences import load_newest_visible_calibrations
from evaluation import tasks
from evaluation.calibration.models import Calibration
from evaluation.calibration.stored_calibrations import (
    learn_and_store_run_calibration,
    list_server_training_runs_to_calibrate,
)
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication import publishing
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.run_page.withdrawal_and_final_tag import withdraw_and_hide_run_if_allowed
from evaluation.visibility import list_visible_calibrations
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus, relevant, species

pytestmark = pytest.mark.django_db

PMIDS = range(301, 361)
EVEN = b"".join(b"%d\t%d\n" % (pmid, pmid % 2 == 0) for pmid in PMIDS)
HUMAN = b"".join(b"%d\t9606\n" % pmid for pmid in PMIDS)
NOBODY = AnonymousUser()


@pytest.fixture
def phase(olga):
    challenge = create_listed_challenge("Example challenge", "example", "What is in an article?", olga)
    act = creation.create_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not")
    tx = creation.create_task(challenge, "TX", Kind.TAXON, "Organisms")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("sixty", PMIDS))
    store_gold_sealed_or_open(act, phase, EVEN, "act.tsv")
    store_gold_sealed_or_open(tx, phase, HUMAN, "tx.tsv")
    return phase


@pytest.fixture
def runs(reader, phase):
    return {run.task.name: run for run in enter_eligible_server_and_enqueue_articles(reader, phase)}


@pytest.fixture
def act(runs):
    """It calls every article relevant and is very sure; every second one is."""
    store_answers(runs["ACT"], lambda pmid: relevant(True, 0.95))
    return runs["ACT"]


@pytest.fixture
def tx(runs):
    """The first organism is right, the others never are."""
    store_answers(runs["TX"], lambda pmid: species("9606", "10090", "10116"))
    return runs["TX"]


def store_answers(run, says):
    for article in Article.objects.filter(pmid__in=PMIDS):
        store_results_superseding_earlier(article, run.producer, {Kind(run.task.kind): says(article.pmid)})


def test_it_learns_what_confidences_are_worth(act, phase):
    found = learn_and_store_run_calibration(act)
    assert (found.way, found.number, found.right, found.why_none) == ("isotonic", 60, 30, "")
    assert found.knots == [[0.95, 0.5]]
    assert (found.brier, found.brier_fitted) == (pytest.approx((0.05**2 + 0.95**2) / 2), pytest.approx(0.25))
    assert found.tenths[9] == [60, pytest.approx(0.95), 0.5]
    assert found.tenths_fitted[4] == [60, pytest.approx(0.5), 0.5]
    assert found.checksum == phase.golds.get(task=act.task).checksum
    assert (found.cut_by, found.cut_value) == ("", None)


def test_it_learns_the_same_wherever_the_articles_lie(act):
    before = learn_and_store_run_calibration(act)
    # What is changed is written anew, after all others.
    Article.objects.filter(pmid__in=PMIDS[::2]).update(journal="Another")
    assert list(list_unexcluded_article_names(act.phase)) == sorted(list_unexcluded_article_names(act.phase))
    after = learn_and_store_run_calibration(act)
    assert (after.way, after.tenths_fitted, after.brier_fitted) == (
        before.way,
        before.tenths_fitted,
        before.brier_fitted,
    )


def test_it_learns_where_lists_are_best_cut(tx):
    found = learn_and_store_run_calibration(tx)
    # All of one confidence: no cut by it is better than none.
    assert (found.cut_by, found.cut_value) == ("confidence", 0)
    store_answers(
        tx, lambda pmid: [AnnotationData(Kind.TAXON, sure, database="ncbitaxon", identifier=i) for i, sure in SURE]
    )
    found = learn_and_store_run_calibration(tx)
    assert (found.cut_by, found.cut_value, found.cut_fap) == ("confidence", 0.31, 1.0)


SURE = (("9606", 0.8), ("10090", 0.3), ("10116", 0.2))


def test_it_cuts_by_rank_what_has_no_confidence(tx):
    store_answers(
        tx, lambda pmid: [AnnotationData(Kind.TAXON, None, r, database="ncbitaxon", identifier=i) for r, i in RANKED]
    )
    found = learn_and_store_run_calibration(tx)
    assert (found.cut_by, found.cut_value, found.way, found.number) == ("rank", 1, "none", 0)
    assert "0 answers" in found.why_none


RANKED = ((1, "9606"), (2, "10090"), (3, "10116"))


def test_it_says_why_nothing_was_learned(runs):
    run = runs["ACT"]
    for article in Article.objects.filter(pmid__in=PMIDS[:40]):
        store_results_superseding_earlier(article, run.producer, {Kind.CLASSIFICATION: relevant(True, 0.9)})
    found = learn_and_store_run_calibration(run)
    assert (found.way, found.knots) == ("none", [])
    assert "40 answers with a confidence, 20 of them correct, are too few" in found.why_none


def test_it_notices_new_answers_and_another_gold_standard(act, phase, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert list_server_training_runs_to_calibrate() == [act]
    assert tasks.calibrate_stale_runs_unless_busy() == "1 of 1 calibrated"
    assert list_server_training_runs_to_calibrate() == []
    store_results_superseding_earlier(
        Article.objects.get(pmid=301), act.producer, {Kind.CLASSIFICATION: relevant(False, 0.5)}
    )
    assert list_server_training_runs_to_calibrate() == [act]
    learn_and_store_run_calibration(act)
    store_gold_sealed_or_open(act.task, phase, EVEN.replace(b"301\t0", b"301\t1"), "act.tsv")
    assert list_server_training_runs_to_calibrate() == [act]
    assert tasks.calibrate_stale_runs_unless_busy() == "1 of 1 calibrated"
    assert Calibration.objects.count() == 1


@pytest.mark.parametrize("sort", ["development", "test"])
def test_it_learns_from_training_only(act, phase, sort):
    Phase.objects.filter(pk=phase.pk).update(sort=sort)
    assert list_server_training_runs_to_calibrate() == []


def test_it_tells_the_team_and_the_organizer_until_the_phase_is_published(act, alice, carol, olga, phase):
    own = learn_and_store_run_calibration(act)
    for user, seen in ((NOBODY, []), (carol, []), (alice, [own]), (olga, [own])):
        assert list(list_visible_calibrations(user)) == seen
    publish_phase_or_request_if_sealed(phase)
    assert list(list_visible_calibrations(NOBODY)) == list(list_visible_calibrations(carol)) == [own]


@pytest.fixture
def live(reader, article):
    """In its LIVE queue the server is as sure as ever."""
    store_results_superseding_earlier(
        article,
        get_or_create_queue_and_producer(reader, QueueMode.LIVE).producer,
        {Kind.CLASSIFICATION: relevant(True, 0.9)},
    )


def confidences(client):
    results = client.get("/api/v1/articles/10000001/annotations/").json()["results"]
    return [(one["confidence"], one["calibrated"]) for each in results for one in each["annotations"]]


def test_the_api_gives_calibrated_confidences(client, live, act, alice, phase):
    learn_and_store_run_calibration(act)
    assert confidences(client) == [(0.9, None)]
    client.force_login(alice)
    assert confidences(client) == [(0.9, 0.5)]
    client.logout()
    publish_phase_or_request_if_sealed(phase)
    assert confidences(client) == [(0.9, 0.5)]


def test_the_article_page_shows_both(client, live, act, alice, phase):
    learn_and_store_run_calibration(act)
    assert "calibrated" not in client.get("/articles/10000001/").content.decode()
    client.force_login(alice)
    assert "confidence 0.90 (calibrated 0.50)" in client.get("/articles/10000001/").content.decode()


def test_an_open_page_is_told_when_the_phase_is_published_and_a_run_withdrawn(client, live, act, phase):
    learn_and_store_run_calibration(act)
    version = client.get("/articles/10000001/").context["page"].version
    publish_phase_or_request_if_sealed(phase)
    shown = client.get("/articles/10000001/live/", {"v": version})
    assert "calibrated 0.50" in shown.content.decode()
    act.phase.may_withdraw = True
    withdraw_and_hide_run_if_allowed(act)
    hidden = client.get("/articles/10000001/live/", {"v": shown.context["page"].version})
    assert "calibrated 0.50" not in hidden.content.decode()
    assert hidden.status_code == 200


def test_an_open_page_is_told_of_what_was_learned_anew(client, live, act, alice, phase):
    def version_shown():
        return client.get("/articles/10000001/").context["page"].version

    own = learn_and_store_run_calibration(act)
    nobodys = version_shown()
    client.force_login(alice)
    hers = version_shown()
    assert hers != nobodys
    assert learn_and_store_run_calibration(act) == own
    assert client.get("/articles/10000001/live/", {"v": hers}).status_code == 200
    assert client.get("/articles/10000001/live/", {"v": version_shown()}).status_code == 204
    client.logout()
    assert client.get("/articles/10000001/live/", {"v": nobodys}).status_code == 204
    publishing.publish_task_gold_and_leaderboard(own.gold, timezone.now())
    shown = client.get("/articles/10000001/live/", {"v": nobodys})
    assert "confidence 0.90 (calibrated 0.50)" in shown.content.decode()
    assert client.get("/articles/10000001/live/", {"v": version_shown()}).status_code == 204


def test_the_consensus_is_cut_where_training_says(reader, tx, phase):
    store_answers(
        tx, lambda pmid: [AnnotationData(Kind.TAXON, sure, database="ncbitaxon", identifier=i) for i, sure in SURE]
    )
    learn_and_store_run_calibration(tx)
    assert load_newest_visible_calibrations(NOBODY, ["reader"]).cuts == {}
    publish_phase_or_request_if_sealed(phase)
    assert load_newest_visible_calibrations(NOBODY, ["reader", ""]).cuts == {
        ("reader", Kind.TAXON): ListCutoff("confidence", 0.31)
    }


def test_the_servers_page_shows_what_its_confidences_are_worth(client, act, alice, phase):
    learn_and_store_run_calibration(act)
    words = "Calibration of confidences"
    assert words not in client.get("/servers/reader/").content.decode()
    client.force_login(alice)
    assert words in client.get("/servers/reader/").content.decode()
    client.logout()
    publish_phase_or_request_if_sealed(phase)
    text = " ".join(client.get("/servers/reader/").content.decode().split())
    assert "Based on 60 annotations with a confidence, of which 30 are correct" in text
    assert "changes from 0.4525 to 0.2500" in text
    assert '<th scope="row">over 0.9 to 1.0</th><td class="num">60</td><td class="num">0.950</td>' in text


def test_the_servers_page_says_why_there_is_no_curve(client, runs, alice):
    store_answers(runs["TX"], lambda pmid: [])
    learn_and_store_run_calibration(runs["TX"])
    client.force_login(alice)
    text = client.get("/servers/reader/").content.decode()
    assert "Not calibrated: 0 answers with a confidence" in text
    assert "<svg" not in text.split("Calibration of confidences")[1].split("</section>")[0]
