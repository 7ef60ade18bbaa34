"""What training teaches of confidences: learned anew when there is more, and shown to whom it concerns."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from annotations.consensus_rules import Cut
from annotations.kinds import Finding, Kind
from annotations.models import Article
from annotations.storing import store_results
from bcms.calibrated import learned_of
from bcms.visibility import calibrations_seen_by
from evaluation import challenges, publishing, tasks
from evaluation.articles import articles_of
from evaluation.calibrations.fitting import fit, stale
from evaluation.gold import store_gold
from evaluation.models import Calibration, Phase
from evaluation.runs import withdraw
from servers.queueing import queue_of
from servers.states import QueueMode
from tests.integration.evaluation_cast import make_corpus, make_server, relevant, species

pytestmark = pytest.mark.django_db

PMIDS = range(301, 361)
EVEN = b"".join(b"%d\t%d\n" % (pmid, pmid % 2 == 0) for pmid in PMIDS)
HUMAN = b"".join(b"%d\t9606\n" % pmid for pmid in PMIDS)
NOBODY = AnonymousUser()


@pytest.fixture
def phase(olga):
    challenge = challenges.create_challenge("Example challenge", "example", "What is in an article?", olga)
    act = challenges.add_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not")
    tx = challenges.add_task(challenge, "TX", Kind.TAXON, "Organisms")
    phase = challenges.add_phase(challenge, "training", make_corpus("sixty", PMIDS))
    store_gold(act, phase, EVEN, "act.tsv")
    store_gold(tx, phase, HUMAN, "tx.tsv")
    return phase


@pytest.fixture
def reader(team):
    return make_server(team, "reader")


@pytest.fixture
def runs(reader, phase):
    return {run.task.name: run for run in challenges.enter(reader, phase)}


@pytest.fixture
def act(runs):
    """It calls every article relevant and is very sure; every second one is."""
    answered(runs["ACT"], lambda pmid: relevant(True, 0.95))
    return runs["ACT"]


@pytest.fixture
def tx(runs):
    """The first organism is right, the others never are."""
    answered(runs["TX"], lambda pmid: species("9606", "10090", "10116"))
    return runs["TX"]


def answered(run, says):
    for article in Article.objects.filter(pmid__in=PMIDS):
        store_results(article, run.producer, {Kind(run.task.kind): says(article.pmid)})


def test_it_learns_what_confidences_are_worth(act, phase):
    found = fit(act)
    assert (found.way, found.number, found.right, found.why_none) == ("isotonic", 60, 30, "")
    assert found.knots == [[0.95, 0.5]]
    assert (found.brier, found.brier_fitted) == (pytest.approx((0.05**2 + 0.95**2) / 2), pytest.approx(0.25))
    assert found.tenths[9] == [60, pytest.approx(0.95), 0.5]
    assert found.tenths_fitted[4] == [60, pytest.approx(0.5), 0.5]
    assert found.checksum == phase.golds.get(task=act.task).checksum
    assert (found.cut_by, found.cut_value) == ("", None)


def test_it_learns_the_same_wherever_the_articles_lie(act):
    before = fit(act)
    # What is changed is written anew, after all others.
    Article.objects.filter(pmid__in=PMIDS[::2]).update(journal="Another")
    assert list(articles_of(act.phase)) == sorted(articles_of(act.phase))
    after = fit(act)
    assert (after.way, after.tenths_fitted, after.brier_fitted) == (
        before.way,
        before.tenths_fitted,
        before.brier_fitted,
    )


def test_it_learns_where_lists_are_best_cut(tx):
    found = fit(tx)
    # All of one confidence: no cut by it is better than none.
    assert (found.cut_by, found.cut_value) == ("confidence", 0)
    answered(tx, lambda pmid: [Finding(Kind.TAXON, sure, database="ncbitaxon", identifier=i) for i, sure in SURE])
    found = fit(tx)
    assert (found.cut_by, found.cut_value, found.cut_fap) == ("confidence", 0.31, 1.0)


SURE = (("9606", 0.8), ("10090", 0.3), ("10116", 0.2))


def test_it_cuts_by_rank_what_has_no_confidence(tx):
    answered(tx, lambda pmid: [Finding(Kind.TAXON, None, r, database="ncbitaxon", identifier=i) for r, i in RANKED])
    found = fit(tx)
    assert (found.cut_by, found.cut_value, found.way, found.number) == ("rank", 1, "none", 0)
    assert "0 answers" in found.why_none


RANKED = ((1, "9606"), (2, "10090"), (3, "10116"))


def test_it_says_why_nothing_was_learned(runs):
    run = runs["ACT"]
    for article in Article.objects.filter(pmid__in=PMIDS[:40]):
        store_results(article, run.producer, {Kind.CLASSIFICATION: relevant(True, 0.9)})
    found = fit(run)
    assert (found.way, found.knots) == ("none", [])
    assert "40 answers with a confidence, 20 of them right, are too few" in found.why_none


def test_it_notices_new_answers_and_another_gold_standard(act, phase, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert stale() == [act]
    assert tasks.calibrate_stale_runs() == "1 of 1 learned from"
    assert stale() == []
    store_results(Article.objects.get(pmid=301), act.producer, {Kind.CLASSIFICATION: relevant(False, 0.5)})
    assert stale() == [act]
    fit(act)
    store_gold(act.task, phase, EVEN.replace(b"301\t0", b"301\t1"), "act.tsv")
    assert stale() == [act]
    assert tasks.calibrate_stale_runs() == "1 of 1 learned from"
    assert Calibration.objects.count() == 1


@pytest.mark.parametrize("sort", ["development", "test"])
def test_it_learns_from_training_only(act, phase, sort):
    Phase.objects.filter(pk=phase.pk).update(sort=sort)
    assert stale() == []


def test_it_tells_the_team_and_the_organizer_until_the_phase_is_published(act, alice, carol, olga, phase):
    own = fit(act)
    for user, seen in ((NOBODY, []), (carol, []), (alice, [own]), (olga, [own])):
        assert list(calibrations_seen_by(user)) == seen
    challenges.publish(phase)
    assert list(calibrations_seen_by(NOBODY)) == list(calibrations_seen_by(carol)) == [own]


@pytest.fixture
def live(reader, article):
    """In its LIVE queue the server is as sure as ever."""
    store_results(article, queue_of(reader, QueueMode.LIVE).producer, {Kind.CLASSIFICATION: relevant(True, 0.9)})


def confidences(client):
    results = client.get("/api/v1/articles/10000001/annotations/").json()["results"]
    return [(one["confidence"], one["calibrated"]) for each in results for one in each["annotations"]]


def test_the_api_gives_calibrated_confidences(client, live, act, alice, phase):
    fit(act)
    assert confidences(client) == [(0.9, None)]
    client.force_login(alice)
    assert confidences(client) == [(0.9, 0.5)]
    client.logout()
    challenges.publish(phase)
    assert confidences(client) == [(0.9, 0.5)]


def test_the_article_page_shows_both(client, live, act, alice, phase):
    fit(act)
    assert "calibrated" not in client.get("/articles/10000001/").content.decode()
    client.force_login(alice)
    assert "confidence 0.90 (calibrated 0.50)" in client.get("/articles/10000001/").content.decode()


def test_an_open_page_is_told_when_the_phase_is_published_and_a_run_withdrawn(client, live, act, phase):
    fit(act)
    version = client.get("/articles/10000001/").context["page"].version
    challenges.publish(phase)
    shown = client.get("/articles/10000001/live/", {"v": version})
    assert "calibrated 0.50" in shown.content.decode()
    act.phase.may_withdraw = True
    withdraw(act)
    hidden = client.get("/articles/10000001/live/", {"v": shown.context["page"].version})
    assert "calibrated 0.50" not in hidden.content.decode()
    assert hidden.status_code == 200


def test_an_open_page_is_told_of_what_was_learned_anew(client, live, act, alice, phase):
    def version_shown():
        return client.get("/articles/10000001/").context["page"].version

    own = fit(act)
    nobodys = version_shown()
    client.force_login(alice)
    hers = version_shown()
    assert hers != nobodys
    assert fit(act) == own
    assert client.get("/articles/10000001/live/", {"v": hers}).status_code == 200
    assert client.get("/articles/10000001/live/", {"v": version_shown()}).status_code == 204
    client.logout()
    assert client.get("/articles/10000001/live/", {"v": nobodys}).status_code == 204
    publishing.open_task(own.gold, timezone.now())
    shown = client.get("/articles/10000001/live/", {"v": nobodys})
    assert "confidence 0.90 (calibrated 0.50)" in shown.content.decode()
    assert client.get("/articles/10000001/live/", {"v": version_shown()}).status_code == 204


def test_the_consensus_is_cut_where_training_says(reader, tx, phase):
    answered(tx, lambda pmid: [Finding(Kind.TAXON, sure, database="ncbitaxon", identifier=i) for i, sure in SURE])
    fit(tx)
    assert learned_of(NOBODY, ["reader"]).cuts == {}
    challenges.publish(phase)
    assert learned_of(NOBODY, ["reader", ""]).cuts == {("reader", Kind.TAXON): Cut("confidence", 0.31)}


def test_the_servers_page_shows_what_its_confidences_are_worth(client, act, alice, phase):
    fit(act)
    words = "What its confidences are worth"
    assert words not in client.get("/servers/reader/").content.decode()
    client.force_login(alice)
    assert words in client.get("/servers/reader/").content.decode()
    client.logout()
    challenges.publish(phase)
    text = " ".join(client.get("/servers/reader/").content.decode().split())
    assert "Learned from 60 answers with a confidence, 30 of them right" in text
    assert "goes from 0.4525 to 0.2500" in text
    assert '<th scope="row">over 0.9 to 1.0</th><td class="num">60</td><td class="num">0.950</td>' in text


def test_the_servers_page_says_why_there_is_no_curve(client, runs, alice):
    answered(runs["TX"], lambda pmid: [])
    fit(runs["TX"])
    client.force_login(alice)
    text = client.get("/servers/reader/").content.decode()
    assert "Not calibrated: 0 answers with a confidence" in text
    assert "<svg" not in text.split("What its confidences are worth")[1].split("</section>")[0]
