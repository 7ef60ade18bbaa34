"""Every page, for whoever reads it in whatever way: WCAG 2.2 AA by axe, in both themes and widths, and by keyboard."""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client

from bcms.accounts.providers.configuration import LoginProvider
from tests.acceptance.page_table import NO_PAGES, list_url_names, pages
from tests.acceptance.whole_site import PASSWORD, SECRET, make_site
from tests.authenticator import compute_totp_code
from tests.browser import NARROW, PATIENCE, WIDE
from tests.integration.provider_cast import begin_signup_by_provider, confirm_session

ORCID = LoginProvider("orcid", "ORCID", "https://orcid.org", "APP-1", "secret")
AXE = Axe().axe_script
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
LANDMARK_RULES = ["landmark-unique", "landmark-one-main", "landmark-no-duplicate-main", "landmark-main-is-top-level"]
# What depends on the theme alone is looked at in every combination, everything else in both widths and in both themes.
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
RUN = """async ([by, values]) => {
  const found = await axe.run({runOnly: {type: by, values}, resultTypes: ["violations"]});
  const told = (id, {target, failureSummary}) => `${id}: ${target.join(" ")}: ${failureSummary}`;
  return found.violations.flatMap(({id, nodes}) => nodes.slice(0, 3).map(node => told(id, node)));
}"""
# A tablet, of which there are pictures alone.
MIDDLE = {"width": 820, "height": 1180}
# Of a picture: pixels, more of a long page nobody looks at.
HIGHEST = 3000
COLONS = "[...document.querySelectorAll('label')].map(e => e.innerText.trim()).filter(text => text.endsWith(':'))"
TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
KEYBOARD = Path(__file__).with_name("keyboard.js").read_text(encoding="utf-8")

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(server, alice, olga, django_user_model, settings):
    settings.LOGIN_PROVIDERS = (ORCID,)
    return make_site(server, alice, olga, django_user_model.objects.create_user)


def log_in_session(who, site):
    """The session of who has logged in by the form; half has not said the second factor yet, arriving has
    no account."""
    client = Client()
    if who == "visitor":
        return ""
    if who == "arriving":
        begin_signup_by_provider(client, ORCID.issuer)
        return client.cookies["sessionid"].value
    if who == "finn":
        client.force_login(site.users[who])
        confirm_session(client, site.users[who])
        return client.cookies["sessionid"].value
    client.post("/login/", {"login": "eve" if who == "half" else who, "password": PASSWORD})
    if who == "eve":
        client.post("/account/factor/log-in/", {"code": compute_totp_code(SECRET)})
    if who != "half":
        client.post("/account/again/", {"password": PASSWORD})
    return client.cookies["sessionid"].value


def open_session_page(browser, address, session):
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce", color_scheme="light")
    context.set_default_timeout(PATIENCE)
    if session:
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
    return context.new_page()


def iter_page_faults(page):
    """What is wrong with the page that is shown, in both themes and widths, and by keyboard."""
    page.evaluate(AXE)
    yield from (("wide, light", fault) for fault in page.evaluate(RUN, ["tag", RULES]))
    yield from (("landmarks", fault) for fault in page.evaluate(RUN, ["rule", LANDMARK_RULES]))
    yield from (("label with a colon", label) for label in page.evaluate(COLONS))
    yield from (("by keyboard", fault) for fault in iter_keyboard_faults(page))
    page.emulate_media(color_scheme="dark")
    yield from (("wide, dark", fault) for fault in page.evaluate(RUN, ["rule", COLOUR_RULES]))
    page.set_viewport_size(NARROW)
    yield from (("narrow, dark", fault) for fault in page.evaluate(RUN, ["tag", RULES]))
    page.emulate_media(color_scheme="light")
    yield from (("narrow, light", fault) for fault in page.evaluate(RUN, ["rule", COLOUR_RULES]))
    yield from ((f"{width} px", "scrolls sideways") for width in (390, 320) if is_too_wide(page, width))


def is_too_wide(page, width):
    page.set_viewport_size({"width": width, "height": 844})
    return page.evaluate(TOO_WIDE)


def iter_keyboard_faults(page):
    page.locator("a.skip").focus()
    page.keyboard.press("Enter")
    if page.evaluate("document.activeElement.id") != "main":
        yield "the link past the head does not lead to the content"
    yield from page.evaluate(KEYBOARD)


def check_page_of_visitor(page, site, name, number, who, address):
    """The faults of one page as one person."""
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    reply = page.goto(address)
    assert reply.status < 500, address
    assert page.locator("header.site").count() == 1, f"{address} is no page: move {name} to NO_PAGES"
    keep(page, f"{name}-{number}-{who}")
    return [f"{who} at {address} ({where}): {fault}" for where, fault in iter_page_faults(page)]


def test_every_page_is_for_everybody(browser, live_server, site):
    table, named = pages(site), list_url_names()
    assert named - table.keys() - NO_PAGES == set(), (
        "put each new page into page_table.py, or say there what else it is"
    )
    assert (table.keys() | NO_PAGES) - named == set(), "there are no such addresses any more"
    everybody = sorted({who for visits in table.values() for who, _ in visits})
    shown = {who: open_session_page(browser, live_server.url, log_in_session(who, site)) for who in everybody}
    faults = []
    for name, visits in table.items():
        for number, (who, address) in enumerate(visits):
            faults += check_page_of_visitor(shown[who], site, name, number, who, live_server.url + address)
    for page in shown.values():
        page.context.close()
    assert faults == [], "\n".join(["", *faults])


def keep(page, name):
    """Pictures of the pages, for whoever wants to look at them: PICTURES names a folder."""
    if not (folder := os.environ.get("PICTURES")):
        return
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme)
        for width, size in (("wide", WIDE), ("middle", MIDDLE), ("narrow", NARROW)):
            page.set_viewport_size(size)
            height = max(size["height"], min(page.evaluate("document.documentElement.scrollHeight"), HIGHEST))
            page.set_viewport_size({"width": size["width"], "height": height})
            page.screenshot(path=Path(folder) / f"{name}-{width}-{theme}.png")
    page.set_viewport_size(WIDE)
