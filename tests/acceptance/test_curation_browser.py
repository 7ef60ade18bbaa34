"""A curator decides by single keys, completes an interaction with few of them, and loses nothing."""

import pytest
from playwright.sync_api import expect

from annotations.curation.models import Curation
from annotations.identifiers.models import Entry
from tests.browser import NARROW
from tests.integration.curation_cast import list_states, make_article_with_proposals

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MOST_KEYS_FOR_AN_INTERACTION = 12
MOST_STOPS = 100


@pytest.fixture
def article(team):
    return make_article_with_proposals(team)


@pytest.fixture
def curation(page, live_server, client, alice, article):
    client.force_login(alice)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(f"{live_server.url}{client.post(f'/articles/{article.pmid}/curate/').url}")
    return Curation.objects.get()


def open_step(page, name):
    page.get_by_role("link", name=name).click()
    # The keys work when the page is loaded with its script, later than its heading is there.
    page.wait_for_url(f"**step={name.lower()}*")
    page.get_by_role("heading", name=name).wait_for()


def press(page, *keys):
    for key in keys:
        with page.expect_response(lambda response: "/decide/" in response.url):
            page.keyboard.press(key)
        page.wait_for_load_state("networkidle")


def test_it_decides_by_single_keys_and_goes_on_to_the_next_item(page, curation):
    press(page, "a")
    open_step(page, "Entities")
    press(page, "a", "r", "s")
    assert list_states(curation) == {
        "ncbitaxon:9606": "accepted",
        "uniprot:P12830": "accepted",
        "uniprot:P35222": "rejected",
        "uniprot:P09803": "skipped",
    }
    press(page, "u", "u")
    assert list(list_states(curation)) == ["ncbitaxon:9606", "uniprot:P12830"]


# What the fixed buttons hide of the element that has the focus.
COVERS_FOCUS = """() => {
  const bar = document.querySelector("[data-item][aria-current] .item-buttons");
  const { top, height } = document.activeElement.getBoundingClientRect();
  return !bar.contains(document.activeElement) && top + Math.min(height, 24) > bar.getBoundingClientRect().top;
}"""


def test_on_phones_the_buttons_of_a_decision_stay_in_sight(page, curation):
    page.set_viewport_size(NARROW)
    open_step(page, "Entities")
    accept = page.locator("[data-item][aria-current]").get_by_role("button", name="Accept")
    expect(page.locator("[data-details] h2")).to_have_text("CDH1")
    expect(accept).to_be_in_viewport(ratio=1)
    expect(page.locator("[data-item][aria-current]")).not_to_be_in_viewport(ratio=1)
    with page.expect_response(lambda response: "/decide/" in response.url):
        accept.click()
    expect(page.locator("[data-item][aria-current] [data-item-name]")).to_have_attribute("data-item-name", "CTNNB1")
    expect(page.locator("[data-details] h2")).to_have_text("CTNNB1")
    expect(accept).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0, "the text stays in sight"
    assert list_states(curation) == {"uniprot:P12830": "accepted"}


def test_on_phones_the_buttons_cover_nothing_that_has_the_focus(page, curation):
    page.set_viewport_size({"width": 320, "height": 640})
    open_step(page, "Entities")
    page.locator("[data-details] h2").wait_for()
    stops = 0
    page.locator("a.skip").focus()
    while page.evaluate("document.activeElement !== document.body") and stops < MOST_STOPS:
        assert not page.evaluate(COVERS_FOCUS), page.evaluate("document.activeElement.outerHTML")
        page.keyboard.press("Tab")
        stops += 1
    assert page.evaluate("scrollY") > 0 and stops < MOST_STOPS


def test_it_completes_a_proposed_interaction_with_few_keys(page, curation):
    open_step(page, "Interactions")
    page.keyboard.press("e")
    expect(page.get_by_label("Interaction type")).to_be_focused()
    keys = ["p", "h", "y", "Tab", "ArrowDown", "Tab", "Space", "Enter"]
    for key in keys[:-1]:
        page.keyboard.press(key)
    press(page, keys[-1])
    assert 1 + len(keys) <= MOST_KEYS_FOR_AN_INTERACTION
    interaction = curation.items.get(superseded_by=None).content["interaction"]
    assert interaction["type"] == "MI:0915"
    (detection,) = interaction["detections"]
    assert detection["method"] == "MI:0018"
    assert [each["text"] for each in detection["evidence"]] == ["E-cadherin (CDH1) binds beta-catenin."]


def test_it_takes_nothing_typed_for_a_form_that_still_loads_as_a_decision(page, curation):
    open_step(page, "Entities")
    expect(page.locator("[data-details] h2")).to_contain_text("CDH1")
    held = []
    page.route("**/item/?*", lambda route: held.append(route))
    with page.expect_request("**/item/?*"):
        page.keyboard.press("j")
    for key in ("e", "r"):
        page.keyboard.press(key)
    for route in held:
        route.continue_()
    expect(page.get_by_label("Identifier", exact=True)).to_be_focused()
    assert list_states(curation) == {}


def test_it_keeps_what_was_typed_when_an_identifier_is_wrong(page, curation):
    open_step(page, "Entities")
    page.keyboard.press("e")
    field = page.get_by_label("Identifier", exact=True)
    field.fill("uniprot:P1")
    page.get_by_role("button", name="Correct and accept").click()
    page.get_by_role("alert").filter(has_text="does not have the form").wait_for()
    assert field.input_value() == "uniprot:P1"
    assert list_states(curation) == {}


def test_it_keeps_what_was_typed_when_the_site_is_away_or_the_curator_is_logged_out(page, curation):
    open_step(page, "Entities")
    page.keyboard.press("e")
    field = page.get_by_label("Identifier", exact=True)
    field.fill("uniprot:P09803")
    save = page.get_by_role("button", name="Correct and accept")
    page.route("**/decide/*", lambda route: route.fulfill(status=502, body="Bad gateway"))
    save.click()
    expect(page.get_by_role("alert").filter(has_text="the site is busy or away")).to_be_visible()
    page.unroute("**/decide/*")
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    save.click()
    expect(page.get_by_role("alert").filter(has_text="you are logged out")).to_be_visible()
    assert field.input_value() == "uniprot:P09803"
    assert list_states(curation) == {}
    page.get_by_label("Notes").evaluate("field => { field.closest('details')?.setAttribute('open', ''); }")
    page.get_by_label("Notes").fill("Look at figure 2.")
    page.get_by_role("button", name="Save notes").click()
    expect(page.get_by_text("The notes could not be saved.")).to_have_count(1)
    page.context.add_cookies(cookies)
    save.click()
    expect(page.locator("[data-item].accepted")).to_have_count(1)
    assert list_states(curation) == {"uniprot:P12830": "accepted"}


def test_it_opens_the_folded_part_of_a_form_that_has_the_error(page, curation):
    open_step(page, "Interactions")
    page.keyboard.press("e")
    expect(page.get_by_label("Interaction type")).to_be_focused()
    third = page.locator("#participant-3")
    third.evaluate("field => { field.value = 'uniprot:P1' }")
    expect(third).to_be_hidden()
    page.get_by_role("button", name="Save and accept").click()
    expect(third).to_be_focused()


def test_it_suggests_entries_of_the_chosen_organisms_first(page, curation):
    Entry.objects.update(listed=True)
    press(page, "a")
    open_step(page, "Entities")
    page.keyboard.press("e")
    field = page.get_by_role("combobox", name="Identifier", exact=True)
    field.fill("cadehrin")
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.locator(".title")).to_have_text(["Similar: CDH1, Cadherin-1", "Similar: Cdh1, Cadherin-1"])
    expect(options.first).to_contain_text("Homo sapiens (chosen)")
    expect(page.get_by_role("listbox", name="Suggestions")).to_have_css("position", "absolute")
    field.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_be_focused()
    field.fill("cadherin-1")
    expect(options).to_have_count(2)
    field.press("ArrowDown")
    field.press("Enter")
    expect(field).to_have_value("UniProt:P12830")
    added = page.get_by_role("combobox", name="Add by name or identifier")
    added.fill("cadherin-1")
    expect(options.first).to_contain_text("Homo sapiens (chosen)")
    added.press("ArrowDown")
    added.press("Enter")
    press(page, "Enter")
    assert list_states(curation)["uniprot:P12830"] == "accepted"


def test_it_says_when_another_window_has_decided(page, curation, client):
    open_step(page, "Entities")
    page.get_by_role("listitem", name="CDH1", exact=True).wait_for()
    fields = {"action": "reject", "kind": "entity", "key": "uniprot:P12830", "seen": 0, "token": "other-window"}
    client.post(f"/curation/{curation.pk}/decide/", fields)
    press(page, "a")
    page.get_by_role("alert").filter(has_text="decided in another window").wait_for()
    assert list_states(curation) == {"uniprot:P12830": "rejected"}


def test_it_adds_a_relation_and_a_label_by_keys(page, curation):
    open_step(page, "Interactions")
    open_list(page, "Other relations")
    page.keyboard.press("n")
    expect(page.get_by_label("Type of the relation")).to_be_focused()
    page.keyboard.type("Association")
    page.get_by_role("group", name="Member 1").get_by_label("Identifier").fill("uniprot:P12830")
    second = page.get_by_role("group", name="Member 2").get_by_label("Identifier")
    second.fill("uniprot:P1")
    press(page, "Enter")
    expect(page.get_by_role("alert").filter(has_text="does not have the form")).to_be_visible()
    expect(second).to_be_focused()
    second.fill("uniprot:P35222")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    press(page, "Enter")
    expect(page.get_by_role("listitem", name="CDH1 – CTNNB1, accepted")).to_be_visible()
    open_list(page, "Labels")
    page.keyboard.press("n")
    expect(page.get_by_label("Name of the label")).to_be_focused()
    page.keyboard.type("study")
    page.keyboard.press("Tab")
    page.keyboard.type("in vitro")
    press(page, "Enter")
    assert list_states(curation) == {
        "Association:uniprot:P12830|uniprot:P35222": "accepted",
        "study=in vitro": "accepted",
    }


def open_list(page, name):
    link = page.get_by_role("navigation", name="Kinds").get_by_role("link", name=name)
    with page.expect_navigation(wait_until="load"):
        link.click()


def hide(page, hidden):
    """Let the page believe that its tab is hidden, or shown again."""
    script = """hidden => {
        Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    with page.expect_response(lambda response: "/sight/" in response.url):
        page.evaluate(script, hidden)


def test_it_shows_the_time_on_the_article_which_stops_while_the_curator_is_away(page, curation):
    Curation.objects.update(seconds=90)
    page.clock.install()
    page.reload()
    page.wait_for_load_state("networkidle")
    timer, paused = page.get_by_role("timer", name="Time on this article"), page.get_by_text("Timer paused.")
    expect(timer).to_have_text("1 min")
    page.clock.fast_forward(120_000)
    expect(timer).to_have_text("3 min")
    hide(page, hidden=True)
    page.clock.fast_forward(240_000)
    hide(page, hidden=False)
    expect(timer).to_have_text("3 min")
    expect(paused).to_be_hidden()
    page.clock.fast_forward(900_000)
    expect(timer).to_have_text("13 min")
    expect(paused).to_be_visible()
    press(page, "a")
    expect(paused).to_be_hidden()
    assert page.get_by_role("timer").get_attribute("aria-live") is None


def test_it_offers_the_direction_for_types_that_have_one(page, curation):
    open_step(page, "Interactions")
    page.keyboard.press("e")
    kind = page.get_by_label("Interaction type")
    expect(kind).to_be_focused()
    direction = page.get_by_label("The first participant acts on the others")
    expect(direction).to_be_hidden()
    kind.select_option("phosphorylation reaction")
    direction.check()
    kind.select_option("physical association")
    expect(direction).to_be_visible()
    page.get_by_role("button", name="Save and accept").click()
    expect(direction).to_be_focused()
    page.get_by_role("alert").filter(has_text="has no direction").wait_for()
    kind.select_option("phosphorylation reaction")
    with page.expect_response(lambda response: "/decide/" in response.url):
        page.get_by_role("button", name="Save and accept").click()
    assert curation.items.get(superseded_by=None).content["interaction"]["directed"] is True
