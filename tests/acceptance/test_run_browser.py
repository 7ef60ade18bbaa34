"""Uploaded runs in a real browser: a refused file shows its faults, a mended one becomes a run with its figures."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

RUNS = "/challenges/example/training/TX/runs/"
BAD = b"101\thuman\t0.9\n102\t10090\t1.5\n"
GOOD = b"101\t9606\t0.9\n101\t7227\t0.1\n102\t10090\t0.8\n"


@pytest.fixture
def challenge(transactional_db, olga, team):
    return make_challenge(olga, make_corpus())


def log_in(page, live_server):
    page.goto(f"{live_server.url}/login/?next={RUNS}")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()


def choose(page, content):
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "mine.tsv", "mimeType": "text/plain", "buffer": content}
    )


def test_it_mends_a_file_and_reads_what_the_run_did(page, live_server, challenge):
    log_in(page, live_server)
    expect(page.get_by_text("0 of 5 runs used, 0 files uploaded")).to_be_visible()
    choose(page, BAD)
    page.get_by_role("button", name="Upload run").click()
    expect(page.get_by_role("row", name="2 11 R607")).to_be_visible()
    page.get_by_role("link", name="Fix the file and upload it again.").click()
    choose(page, GOOD)
    page.get_by_label("Message").fill("With a lexicon of species")
    page.get_by_role("button", name="Upload run").click()
    expect(page.get_by_text("mine.tsv: stored as a run.")).to_be_visible()
    compute_and_store_run_scores(Run.objects.get())
    expect(page.get_by_role("row", name="Macro F1")).to_be_visible()
    page.get_by_role("link", name="All articles").click()
    expect(page.get_by_role("row", name="101").get_by_text("7227")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Create run with this cut-off").click()
    expect(page.get_by_text(re.compile("stored as a run"))).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Tag as final").click()
    expect(page.get_by_text("mine is tagged as final.")).to_be_visible()
    page.goto(live_server.url + RUNS)
    expect(page.get_by_text("2 of 5 runs used, 3 files uploaded")).to_be_visible()
