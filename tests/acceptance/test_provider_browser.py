"""Log-in by another site in a real browser, whose policy lets no form lead there: sign up, connect, disconnect."""

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount

from tests.identity_provider import IdentityProvider

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PASSWORD = "a-long-password"


@pytest.fixture
def provider(settings, live_server):
    with IdentityProvider(name="Ada L.", email="ada@example.org", email_verified=True) as provider:
        settings.LOGIN_PROVIDERS = (provider.configure(),)
        settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
        settings.SITE_URL = live_server.url
        yield provider


def press(page, name):
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def go_there_and_back(page):
    page.get_by_role("link", name="Continue to Stand-in").click()
    page.get_by_role("link", name="Yes, it is me").click()


def log_out(page):
    page.get_by_role("banner").get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in").wait_for()


def test_it_signs_up_and_logs_in_by_another_site(page, live_server, provider):
    page.goto(f"{live_server.url}/signup/")
    press(page, "Sign up with Stand-in")
    go_there_and_back(page)
    page.get_by_role("heading", name="Sign up with Stand-in").wait_for()
    assert page.get_by_label("E-mail address").input_value() == "ada@example.org"
    page.get_by_label("Username").fill("ada")
    press(page, "Sign up")
    page.get_by_role("heading", name="Check your email").wait_for()

    EmailAddress.objects.update(verified=True)
    page.goto(f"{live_server.url}/login/?next=/servers/")
    press(page, "Log in with Stand-in")
    page.get_by_role("link", name="Continue to Stand-in").click()
    page.get_by_role("link", name="No").click()
    page.get_by_role("heading", name="Cancelled").wait_for()

    page.goto(f"{live_server.url}/login/?next=/servers/")
    press(page, "Log in with Stand-in")
    go_there_and_back(page)
    page.get_by_role("button", name="Log out ada").wait_for()
    assert page.url == f"{live_server.url}/servers/"

    page.goto(f"{live_server.url}/account/password/set/")
    press(page, "Log in with Stand-in")
    go_there_and_back(page)
    page.get_by_role("heading", name="Choose a password").wait_for()


def test_it_connects_and_disconnects_an_account(page, live_server, provider, alice):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("link", name="Connect", exact=True).click()
    press(page, "Connect Stand-in")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Continue")
    go_there_and_back(page)
    page.get_by_text("You can now log in with Stand-in.").wait_for()
    log_out(page)

    page.goto(f"{live_server.url}/login/")
    press(page, "Log in with Stand-in")
    go_there_and_back(page)
    page.get_by_role("button", name="Log out alice").wait_for()
    page.goto(f"{live_server.url}/account/connections/")
    press(page, "Disconnect Stand-in")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Continue")
    page.get_by_text("Stand-in is disconnected.").wait_for()
    assert not SocialAccount.objects.exists()
