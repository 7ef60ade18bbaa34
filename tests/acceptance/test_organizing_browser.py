"""An organizer in a real browser: terms, sealed gold standards, the dry run, a phase frozen, the matrix, publishing."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect

from evaluation import tasks
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from servers.calls.models import Attempt, Call
from servers.registry.models import Server
from tests.integration.evaluation_cast import end, make_corpus, make_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WHOLE = "/challenges/example/"


def log_in(page, live_server, name):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Log out").wait_for()


def is_wide(page):
    """Whether the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


@pytest.fixture
def testing(challenge):
    return creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=range(201, 241), blind=True)
    )


def test_it_takes_a_test_from_its_gold_standard_to_publication(page, live_server, testing, tmp_path, alice):
    log_in(page, live_server, "olga")
    page.goto(live_server.url + WHOLE)
    page.get_by_role("link", name="Organize this challenge").click()
    page.get_by_role("link", name="Description and rules").click()
    page.get_by_text("Terms, checks of runs, organizers, citation and licence").click()
    page.get_by_label("Terms").fill("Cite the paper.")
    page.get_by_role("button", name="Save rules").click()
    expect(page.get_by_text("Rules saved.")).to_be_visible()

    page.get_by_role("link", name="Upload a gold standard").click()
    (tmp_path / "act.tsv").write_text("201\tmaybe\n")
    page.get_by_label("Phase", exact=True).select_option("test")
    page.get_by_label("Gold standard").set_input_files(tmp_path / "act.tsv")
    page.get_by_role("button", name="Upload a gold standard").click()
    expect(page.get_by_text("'maybe' is not a class")).to_be_visible()
    (tmp_path / "act.tsv").write_text("".join(f"{pmid}\t{pmid % 2}\n" for pmid in range(201, 241)))
    page.get_by_label("Phase", exact=True).select_option("test")
    page.get_by_label("Gold standard").set_input_files(tmp_path / "act.tsv")
    page.get_by_role("button", name="Upload a gold standard").click()
    expect(page.get_by_text("in the test phase is sealed")).to_be_visible()
    assert GoldStandard.objects.get(phase=testing).producer is None

    page.get_by_role("link", name="Dry run").click()
    expect(page.get_by_role("cell", name="0.198").first).to_be_visible()
    end(testing)
    page.goto(live_server.url + WHOLE + "organize/")
    test = page.locator("section", has=page.get_by_role("heading", name="Test phase"))
    test.get_by_text("Publish", exact=True).click()
    test.get_by_role("button", name="Publish the test phase").click()
    page.get_by_label("I understand that this cannot be undone").check()
    page.get_by_role("button", name="Publish the test phase").click()
    expect(page.get_by_text("as soon as the scoring worker has opened its gold standards")).to_be_visible()
    tasks.publish_requested_phases_and_tasks_unless_busy()
    page.reload()
    assert Phase.objects.get(pk=testing.pk).published


def test_it_freezes_a_phase_and_everybody_reads_why(page, phone, live_server, challenge, alice):
    log_in(page, live_server, "olga")
    page.goto(live_server.url + WHOLE + "organize/")
    page.get_by_text("Freeze", exact=True).click()
    page.locator("details[open]").get_by_label("Reason").fill("The network is down.")
    page.get_by_role("button", name="Freeze the training phase").click()
    expect(page.get_by_text("is frozen. No server is called")).to_be_visible()
    phone.goto(live_server.url + WHOLE)
    expect(phone.get_by_text("Frozen: The network is down.")).to_be_visible()
    assert not is_wide(phone)


@pytest.fixture
def under_way(challenge, testing, team):
    """Nine servers in all states."""
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "development", make_corpus("dev", pmids=range(1000, 1200))
    )
    Phase.objects.filter(pk=phase.pk).update(online_runs=30)
    phase.refresh_from_db()
    for number in range(9):
        enter_eligible_server_and_enqueue_articles(make_server(team, f"server-{number}"), phase)
    calls = list(Call.objects.filter(queue__name="example-development").order_by("server", "pk"))
    for place, call in enumerate(calls):
        server, article = divmod(place, 200)
        state = (
            "failed"
            if (article * 7 + server) % 23 == 0
            else "empty"
            if (article * 5 + server) % 11 == 0
            else "answered"
        )
        call.state = state if article < 25 * (server + 1) - 1 else "waiting"
    Call.objects.bulk_update(calls, ["state"])
    Server.objects.exclude(slug="server-3").update(state="online")
    last = calls[0]
    Attempt.objects.create(
        call=last, server=last.server, number=1, outcome="connection", message="Nobody answers. Start the server."
    )
    return phase


def test_its_matrix_follows_the_servers_without_a_reload(page, phone, live_server, under_way):
    log_in(page, live_server, "olga")
    page.goto(live_server.url + WHOLE + "phases/development/matrix/")
    row = page.locator("tr", has=page.get_by_role("link", name="Server-1", exact=True))
    before = row.inner_text()
    page.evaluate("window.notReloaded = true")
    expect(page.get_by_text("Not started: its team can start it on the page of the server.")).to_be_visible()
    Call.objects.filter(server__slug="server-1", state="waiting").update(state="answered")
    Server.objects.filter(slug="server-1").update(version=999)
    page.wait_for_function("before => !document.body.innerText.includes(before)", arg=before)
    assert page.evaluate("window.notReloaded")
    log_in(phone, live_server, "olga")
    for address in ("phases/development/matrix/", "organize/", "dry-run/"):
        phone.goto(live_server.url + WHOLE + address)
        assert not is_wide(phone), address
        keep(phone, f"phone-{address.split('/')[-2]}")
        page.goto(live_server.url + WHOLE + address)
        keep(page, f"page-{address.split('/')[-2]}")


def keep(page, name):
    """Pictures of the pages, for whoever wants to look at them: PICTURES names a folder."""
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
