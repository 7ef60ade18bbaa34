"""A provider that the settings of the site name, and the steps of a log-in by it."""

import re
from html import unescape
from time import time

from allauth.socialaccount.models import SocialAccount

START, CALLBACK = "/login/with/stand-in/", "/login/with/stand-in/callback/"


def find_link(response):
    """The link to the provider on the page before it."""
    assert response.status_code == 200, response
    (url,) = re.findall(r'href="([^"]+/authorize\?[^"]+)"', response.content.decode())
    return unescape(url)


def come_back(client, provider, response):
    """Log in at the provider to which the page leads, and follow it back."""
    return client.get(CALLBACK, provider.authorize(find_link(response)))


def log_in_by(client, provider, **data):
    return come_back(client, provider, client.post(START, data))


def connect(user, provider, subject="subject-1"):
    return SocialAccount.objects.create(user=user, provider=provider.issuer, uid=subject)


def find_logged_in_name(client):
    return client.get("/manual/").context["user"].get_username()


def begin_signup_by_provider(client, issuer):
    """Let the client come from a provider as somebody without an account."""
    session = client.session
    session["socialaccount_sociallogin"] = {
        "provider": {"id": issuer},
        "account": {"provider": issuer, "uid": "0000-0001-2345-6789", "extra_data": {"name": "Ada L."}},
        "user": {"email": "ada@example.org"},
        "state": {},
    }
    session.save()
    client.cookies["sessionid"] = session.session_key


def confirm_session(client, user):
    """Let the client have confirmed just now who they are."""
    session = client.session
    session["account_authentication_methods"] = [{"method": "socialaccount", "at": time(), "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()
