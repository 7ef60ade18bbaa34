"""A passkey in a real browser, whose device is Chromium's virtual one: added, then used to log in."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a-long-password"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def press(page, name):
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def plug_in(page):
    """Give the page's browser a device with passkeys; the session of the protocol, and the device's name there."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    added = session.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    return session, added["authenticatorId"]


def log_out(page):
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in").wait_for()


def add_passkey(page):
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Set up").click()
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Continue")
    page.get_by_label("Name", exact=True).fill("laptop")
    press(page, "Add")
    page.get_by_role("heading", name="Recovery codes").wait_for()


def test_it_logs_in_with_a_passkey_that_was_added(page, live_server, alice):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")
    page.get_by_role("button", name="Log out alice").wait_for()
    session, device = plug_in(page)
    add_passkey(page)
    log_out(page)

    page.goto(f"{live_server.url}/login/?next=/servers/")
    press(page, "Log in with a passkey")
    page.get_by_role("button", name="Log out alice").wait_for()
    assert page.url == f"{live_server.url}/servers/"
    log_out(page)

    page.goto(f"{live_server.url}/login/?next=/servers/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")
    page.get_by_role("heading", name="Two-factor authentication").wait_for()
    press(page, "Use a passkey")
    page.get_by_role("button", name="Log out alice").wait_for()
    assert page.url == f"{live_server.url}/servers/"
    log_out(page)

    session.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    page.goto(f"{live_server.url}/login/")
    press(page, "Log in with a passkey")
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("try again")
