"""A journal, a manuscript of two sentences that nothing else has, and servers that may or may not receive it."""

from django.contrib.auth.models import Permission
from django.test import Client

from annotations.curation.manuscripts.models import Manuscript
from bcms.accounts.scopes import Scope
from bcms.accounts.tokens import create_api_token_including_read_scope

URL = "/api/v1/manuscripts/"
TITLE = "Zyxin-like protein ZLP9 binds quarkin"
ABSTRACT = "We show that ZLP9 binds quarkin in vitro. Flumoxite was not needed."
SECRET_WORDS = ("ZLP9", "quarkin", "Flumoxite", "flumoxite")
TEXT = {"title": TITLE, "passages": [{"type": "abstract", "text": ABSTRACT}]}


def make_journal(create_user, name="ember"):
    """An account with the right to submit manuscripts."""
    journal = create_user(name, f"{name}@example.org", "a-long-password")
    journal.user_permissions.add(Permission.objects.get(codename="submit_manuscript"))
    return journal


def use_token(user, *scopes):
    """A program of the user's."""
    token = create_api_token_including_read_scope(user, "journal system", scopes or [Scope.MANUSCRIPTS])
    return Client(headers={"Authorization": f"Bearer {token}"})


def submit(program, **fields):
    """Send the manuscript; the stored one, and the answer."""
    response = program.post(URL, TEXT | fields, content_type="application/json")
    assert response.status_code == 201, response.content.decode()
    answer = response.json()
    return Manuscript.objects.select_related("article", "curation").get(pk=answer["id"]), answer


def open_as(url):
    """Somebody without an account who has opened the link."""
    client = Client()
    path = "/" + url.split("/", 3)[3]
    response = client.get(path)
    assert response.status_code == 302, response.content.decode()
    return client
