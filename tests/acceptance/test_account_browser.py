"""A person in a real browser: sign up, confirm by mail, create a team, invite; another accepts; a second factor."""

import pytest
from playwright.sync_api import expect

from servers.teams.models import Membership
from tests.authenticator import compute_totp_code
from tests.postbox import find_message_link

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "correct horse battery"


def press(page, name):
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def sign_up(page, name, email):
    page.get_by_label("Username").fill(name)
    if email:
        page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign up")


def log_out(page):
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in").wait_for()


def log_in(page, address, name):
    page.goto(address)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")


def create_team(page, name):
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Create a team").click()
    page.get_by_label("Name").fill(name)
    press(page, "Create")


def set_up_second_factor(page):
    """The key of the authenticator app."""
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Set up").click()
    page.get_by_role("link", name="Set up").click()
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Continue")
    picture = page.get_by_alt_text("QR code")
    expect(picture).to_have_js_property("complete", True)
    assert picture.evaluate("image => image.naturalWidth > 0")
    secret = page.locator("code.key").inner_text()
    page.get_by_label("Six digits").fill(compute_totp_code(secret))
    press(page, "Turn on")
    page.get_by_role("heading", name="Recovery codes").wait_for()
    return secret


def test_it_takes_two_people_from_signing_up_to_one_team(page, phone, live_server, postbox, settings):
    settings.SITE_URL = live_server.url
    page.goto(f"{live_server.url}/")
    page.get_by_role("link", name="Sign up").click()
    sign_up(page, "eve", "eve@example.org")
    page.get_by_text("We sent you an email").wait_for()
    page.goto(find_message_link(postbox.one()))
    press(page, "Confirm")
    page.get_by_role("button", name="Log out eve").wait_for()
    create_team(page, "Team Echo")
    page.get_by_label("E-mail address").fill("finn@example.org")
    press(page, "Invite")
    page.get_by_text("An invitation was sent to finn@example.org.").wait_for()

    phone.goto(find_message_link(postbox.one()))
    phone.get_by_role("link", name="Sign up and accept").click()
    sign_up(phone, "finn", None)
    press(phone, "Accept")
    phone.get_by_text("You are now on Team Echo.").wait_for()
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert dict(Membership.objects.values_list("user__username", "role")) == {"eve": "manager", "finn": "member"}

    page.reload()
    page.get_by_role("button", name="Make finn a manager").click()
    page.get_by_text("finn is now a manager.").wait_for()
    press(page, "Leave team")
    page.get_by_text("You have left Team Echo.").wait_for()


def test_it_asks_for_the_second_factor(page, live_server, postbox, alice):
    alice.set_password(PASSWORD)
    alice.save()
    log_in(page, f"{live_server.url}/login/?next=/servers/", "alice")
    page.get_by_role("button", name="Log out alice").wait_for()
    secret = set_up_second_factor(page)
    assert "authenticator app" in postbox.one()["Subject"].lower()
    log_out(page)
    log_in(page, f"{live_server.url}/login/?next=/servers/", "alice")
    page.get_by_role("heading", name="Two-factor authentication").wait_for()
    page.get_by_label("Code").fill("000000")
    press(page, "Log in")
    page.get_by_text("This code is wrong").wait_for()
    page.get_by_label("Code").fill(compute_totp_code(secret, later=1))
    press(page, "Log in")
    page.get_by_role("button", name="Log out alice").wait_for()
    assert page.url == f"{live_server.url}/servers/"
