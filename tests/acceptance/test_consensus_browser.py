"""A reader chooses a rule on the article page, and a server's page shows what its confidences are worth."""

import re

import pytest
from playwright.sync_api import expect

from annotations.articles.models import Article
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.calibration.stored_calibrations import learn_and_store_run_calibration
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus, make_server, relevant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PMIDS = range(301, 381)


def mention(article, start, end):
    return AnnotationData(Kind.MENTION, 0.5, start=start, end=end, text=article.text[start:end])


@pytest.fixture
def marked(team, article):
    """Both servers mark CDH1, one of them with the word before it; one marks CTNNB1 besides."""
    said = {"one": [mention(article, 8, 12), mention(article, 22, 28)], "two": [mention(article, 5, 12)]}
    for slug, findings in said.items():
        own = Server.objects.create(
            review="accepted",
            team=team,
            name=slug.title(),
            slug=slug,
            url="http://127.0.0.1:9/",
            kinds=["mention"],
            state="online",
        )
        store_results_superseding_earlier(
            article, get_or_create_queue_and_producer(own, QueueMode.LIVE).producer, {Kind.MENTION: findings}
        )


def test_a_reader_sees_what_servers_agree_on(page, live_server, marked):
    page.goto(f"{live_server.url}/articles/10000001/")
    page.locator("#consensus summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Rule").select_option("All servers")
    page.get_by_role("button", name="Show consensus").press("Enter")
    page.get_by_text("0 of 3 annotations in the consensus of 2 servers").wait_for()
    page.locator("select[name=spans]").select_option("that overlap")
    page.get_by_role("button", name="Show consensus").click()
    page.get_by_text("1 of 3 annotations in the consensus of 2 servers").wait_for()
    expect(page.locator("#consensus")).to_contain_text("2 of 2: One, Two")
    expect(page).to_have_url(re.compile("rule=intersection"))


def test_a_servers_page_plots_its_confidences(page, live_server, team, olga):
    challenge = create_listed_challenge("Example challenge", "example", "What is in an article?", olga)
    task = creation.create_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", make_corpus("eighty", PMIDS))
    store_gold_sealed_or_open(task, phase, b"".join(b"%d\t%d\n" % (pmid, pmid % 3 == 0) for pmid in PMIDS), "act.tsv")
    [run] = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase)
    for article in Article.objects.filter(pmid__in=PMIDS):
        sure = 0.7 if article.pmid % 4 else 0.95
        store_results_superseding_earlier(
            article, run.producer, {Kind.CLASSIFICATION: relevant(article.pmid % 4 < 3, sure)}
        )
    learn_and_store_run_calibration(run)
    publish_phase_or_request_if_sealed(phase)
    page.goto(f"{live_server.url}/servers/reader/")
    card = page.get_by_role("region", name="Calibration of confidences")
    assert "Based on 80 annotations with a confidence" in card.inner_text()
    assert card.locator("svg").count() == 1
    assert card.get_by_role("row").count() == 11
