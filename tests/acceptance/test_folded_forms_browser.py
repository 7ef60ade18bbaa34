"""Forms show the fields that what is chosen in them needs, without scripts."""

import pytest
from playwright.sync_api import expect

from annotations.schema import Kind
from evaluation.challenges.setup import creation

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def open_page(browser, live_server):
    context = browser.new_context(java_script_enabled=False)

    def open_as(name, path):
        page = context.new_page()
        page.goto(f"{live_server.url}/login/?next={path}")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill("a-long-password")
        page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
        return page

    yield open_as
    context.close()


def test_alternatives_are_for_gene_mentions(open_page, transactional_db, challenge):
    creation.create_task(challenge, "GM", Kind.MENTION, "Gene mentions")
    page = open_page("olga", "/challenges/example/gold/")
    task, alternatives = page.get_by_label("Task"), page.get_by_label("Accepted alternatives")
    task.select_option("GM")
    expect(alternatives).to_be_visible()
    task.select_option("ACT")
    expect(alternatives).to_be_hidden()


def test_the_method_of_a_protocol_is_called_what_it_is(open_page, transactional_db, team):
    page = open_page("alice", "/servers/register/")
    protocol = page.get_by_label("Protocol")
    protocol.select_option("bcms")
    expect(page.get_by_role("textbox", name="Method name", exact=True)).to_be_visible()
    protocol.select_option("pubannotation")
    expect(page.get_by_role("textbox", name="HTTP method (GET or POST)", exact=True)).to_be_visible()
    protocol.select_option("rest")
    expect(page.locator("[name=method]")).to_be_hidden()


@pytest.mark.parametrize(
    ("scheme", "asked"),
    [("", []), ("basic", ["user_name", "secret"]), ("bearer", ["secret"]), ("header", ["header", "secret"])],
)
def test_credentials_ask_for_what_their_kind_has(open_page, transactional_db, team, scheme, asked):
    page = open_page("alice", "/servers/register/")
    page.get_by_text("Credentials for the test call").click()
    page.locator("[name=credentials-scheme]").select_option(scheme)
    for name in ("user_name", "header", "secret"):
        expect(page.locator(f"[name=credentials-{name}]")).to_be_visible(visible=name in asked)


def test_a_webhook_asks_for_what_its_format_needs(open_page, transactional_db, server):
    page = open_page("alice", "/servers/genedict/notifications/")
    page.get_by_text("Add a webhook").click()
    form = page.locator("form", has=page.get_by_role("button", name="Add webhook"))
    url, of_rooms = (
        form.locator("[name=url]"),
        [form.locator(f"[name={name}]") for name in ("homeserver", "room", "token")],
    )
    expect(url).to_be_visible()
    for field in of_rooms:
        expect(field).to_be_hidden()
    form.get_by_label("Matrix: a sentence for a room").check()
    expect(url).to_be_hidden()
    for field in of_rooms:
        expect(field).to_be_visible()
    form.get_by_role("button", name="Add webhook").click()
    expect(page.get_by_text("Enter the URL of the homeserver, for example https://matrix.example.org.")).to_be_visible()
    expect(page.get_by_text("Enter the access token of the account that writes in the room.")).to_be_visible()
    expect(form.locator("[name=url]")).to_be_hidden()
