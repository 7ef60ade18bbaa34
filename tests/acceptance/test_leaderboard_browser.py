"""A leaderboard in a real browser: its curves follow the boxes that are ticked."""

import pytest
from playwright.sync_api import expect

from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BOARD = "/challenges/example/training/ACT/"


@pytest.fixture
def published(transactional_db, olga, team):
    """Two runs of servers with curves."""
    phase = make_challenge(olga, make_corpus()).phases.get()
    for slug, said in (("right", "TTFF"), ("half", "TFTF")):
        run = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[0]
        for pmid, letter in zip((101, 102, 103, 104), said, strict=True):
            answer(run, pmid, relevant(letter == "T"), duration=1.0)
        compute_and_store_run_scores(run)
    publish_phase_or_request_if_sealed(phase)


def test_its_curves_are_drawn_again_as_boxes_are_ticked(page, live_server, published):
    page.goto(live_server.url + BOARD)
    right = page.get_by_role("checkbox", name="Plot the curve of Right")
    half = page.get_by_role("checkbox", name="Plot the curve of Half")
    drawn = page.locator("figure[aria-labelledby=plot] tbody tr")
    expect(drawn).to_have_count(2)
    page.evaluate("window.same = true")

    half.uncheck()
    expect(drawn).to_have_count(1)
    expect(half).to_be_focused()
    expect(right).to_be_checked()
    assert "run=" in page.url
    assert page.evaluate("window.same")

    half.check()
    expect(drawn).to_have_count(2)
    page.reload()
    expect(drawn).to_have_count(2)
