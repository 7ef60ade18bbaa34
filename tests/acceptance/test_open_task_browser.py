"""A task of any types in a real browser: defined, given a gold standard, answered, and compared in the text."""

import pytest
from playwright.sync_api import expect

from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import create_listed_challenge
from tests.integration.open_task_cast import GOLD, RUN, make_open_corpus

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PAGE = "/challenges/open/"


@pytest.fixture
def challenge(transactional_db, olga, team):
    challenge = create_listed_challenge("Open", "open", "Which diseases?", olga)
    creation.create_phase_claiming_blind_corpus(challenge, "training", make_open_corpus())
    return challenge


def log_in(page, live_server, name, path):
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/login/?next={path}")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()


def choose_file(page, label, content):
    file = {"name": "file.txt", "mimeType": "text/plain", "buffer": content}
    page.get_by_label(label, exact=True).set_input_files(file)


def test_a_task_offers_the_settings_and_measures_of_its_kind(browser, live_server, challenge):
    """Without scripts; what was ticked for another kind stays in sight."""
    page = browser.new_context(java_script_enabled=False).new_page()
    log_in(page, live_server, "olga", PAGE + "add-task/")
    page.get_by_text("Measures of the leaderboard").click()
    kind, settings = page.get_by_label("Kind of annotation"), page.get_by_text("Settings of tasks of any types")
    columns = page.get_by_role("group", name="Further measures")
    kind.select_option("classification")
    expect(settings).to_be_hidden()
    expect(columns.get_by_role("checkbox")).to_have_count(9)
    columns.locator("[value=mcc]").check()
    kind.select_option("relations")
    expect(settings).to_be_visible()
    settings.click()
    expect(page.get_by_label("Roles")).to_be_visible()
    expect(page.get_by_label("Name of the set")).to_be_hidden()
    expect(columns.locator("[value=sensitivity]")).to_be_hidden()
    expect(columns.locator("[value=micro_f1]")).to_be_visible()
    expect(columns.locator("[value=mcc]")).to_be_visible()
    columns.locator("[value=mcc]").uncheck()
    expect(columns.locator("[value=mcc]")).to_be_hidden()
    page.context.close()


def test_an_organizer_asks_for_diseases_and_a_team_answers(page, live_server, challenge):
    log_in(page, live_server, "olga", PAGE + "add-task/")
    page.get_by_label("Name", exact=True).fill("NER")
    page.get_by_label("Title").fill("Diseases")
    kind = page.get_by_label("Kind of annotation")
    kind.select_option("nel")
    page.get_by_text("Settings of tasks of any types").click()
    page.get_by_label("Entity types").fill("Disease")
    page.get_by_label("Namespaces").fill("mesh")
    kind.select_option("ner")
    expect(page.get_by_label("Namespaces")).to_be_hidden()
    page.get_by_role("button", name="Add a task").click()
    expect(page.get_by_text("This does not apply to tasks of mentions. Omit it.")).to_be_visible()
    page.get_by_label("Namespaces").fill("")
    spellings = page.get_by_label("Spellings of types")
    spellings.fill("Disease")
    page.get_by_role("button", name="Add a task").click()
    expect(page.get_by_text("has no spellings. Give at least one")).to_be_visible()
    expect(spellings).to_have_value("Disease")
    spellings.fill("Disease: medical problem, illness")
    page.get_by_role("button", name="Add a task").click()
    expect(page.get_by_text("Task NER added.")).to_be_visible()
    page.goto(live_server.url + PAGE + "tasks/NER/")
    expect(page.get_by_label("Spellings of types")).to_have_value("Disease: medical problem, illness")
    page.goto(live_server.url + PAGE + "gold/")
    choose_file(page, "Gold standard", GOLD)
    page.get_by_role("button", name="Upload a gold standard").click()
    expect(page.get_by_text("The gold standard of NER in the training phase is stored.")).to_be_visible()
    log_in(page, live_server, "alice", PAGE + "training/NER/runs/")
    choose_file(page, "File", RUN.replace(b"\tDisease\t", b"\tMedical_Problem\t"))
    page.get_by_role("button", name="Upload run").click()
    expect(page.get_by_text("stored as a run")).to_be_visible()
    compute_and_store_run_scores(Run.objects.get())
    expect(page.get_by_role("row", name="Micro F1 0.6667")).to_be_visible()
    page.get_by_role("link", name="All articles").click()
    expect(page.locator("mark.tp", has_text="asthma")).to_be_visible()
    expect(page.locator("mark.fp", has_text="Nothing")).to_be_visible()
