"""A reader chooses a rule on the article page, and a server's page shows what its confidences are worth."""

import re

import pytest
from playwright.sync_api import expect

from annotations.kinds import Finding, Kind
from annotations.models import Article
from annotations.storing import store_results
from evaluation import challenges
from evaluation.calibrations.fitting import fit
from evaluation.gold import store_gold
from servers.models import Server
from servers.queueing import queue_of
from servers.states import QueueMode
from tests.integration.evaluation_cast import make_corpus, make_server, relevant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PMIDS = range(301, 381)


def mention(article, start, end):
    return Finding(Kind.MENTION, 0.5, start=start, end=end, text=article.text[start:end])


@pytest.fixture
def marked(team, article):
    """Both servers mark CDH1, one of them with the word before it; one marks CTNNB1 besides."""
    said = {"one": [mention(article, 8, 12), mention(article, 22, 28)], "two": [mention(article, 5, 12)]}
    for slug, findings in said.items():
        own = Server.objects.create(
            team=team, name=slug.title(), slug=slug, url="http://127.0.0.1:9/", kinds=["mention"], state="online"
        )
        store_results(article, queue_of(own, QueueMode.LIVE).producer, {Kind.MENTION: findings})


def test_a_reader_sees_what_servers_agree_on(page, live_server, marked):
    page.goto(f"{live_server.url}/articles/10000001/")
    page.locator("#consensus summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Rule").select_option("All servers")
    page.get_by_role("button", name="Agree").press("Enter")
    page.get_by_text("0 of 3 agreed by 2 servers").wait_for()
    page.locator("select[name=spans]").select_option("that overlap")
    page.get_by_role("button", name="Agree").click()
    page.get_by_text("1 of 3 agreed by 2 servers").wait_for()
    expect(page.locator("#consensus")).to_contain_text("2 of 2: One, Two")
    expect(page).to_have_url(re.compile("rule=intersection"))


def test_a_servers_page_plots_its_confidences(page, live_server, team, olga):
    challenge = challenges.create_challenge("Example challenge", "example", "What is in an article?", olga)
    task = challenges.add_task(challenge, "ACT", Kind.CLASSIFICATION, "Relevant or not")
    phase = challenges.add_phase(challenge, "training", make_corpus("eighty", PMIDS))
    store_gold(task, phase, b"".join(b"%d\t%d\n" % (pmid, pmid % 3 == 0) for pmid in PMIDS), "act.tsv")
    [run] = challenges.enter(make_server(team, "reader"), phase)
    for article in Article.objects.filter(pmid__in=PMIDS):
        sure = 0.7 if article.pmid % 4 else 0.95
        store_results(article, run.producer, {Kind.CLASSIFICATION: relevant(article.pmid % 4 < 3, sure)})
    fit(run)
    challenges.publish(phase)
    page.goto(f"{live_server.url}/servers/reader/")
    card = page.get_by_role("region", name="What its confidences are worth")
    assert "Learned from 80 answers with a confidence" in card.inner_text()
    assert card.locator("svg").count() == 1
    assert card.get_by_role("row").count() == 11
