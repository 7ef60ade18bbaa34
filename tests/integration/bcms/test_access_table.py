"""Every address of the site and every operation of the API, walked as everybody who may come.

Access is compared with the table of bcms/access_table.py; a refused request has written nothing; and nobody reads what
a phase hides before it is published.
"""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, get_resolver

from bcms.access_audiences import AccessRole
from bcms.access_table import iter_access_rows
from bcms.accounts.providers.configuration import LoginProvider
from tests.integration.role_cast import (
    CURATED,
    GOLD,
    HIDDEN_IDENTIFIERS,
    build_sent_fields,
    log_in_all,
    make_cast,
    map_opaque_ids,
)

pytestmark = pytest.mark.django_db

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
WRITES = ("INSERT", "UPDATE", "DELETE")
PARTS = 6
# Buttons that whoever is logged in may press, and that say on the next page why they did nothing.
SAYING_SO = {
    *("api-challenge-join", "api-servers", "challenge-join", "invitation", "phase-enter", "phase-load"),
    *("api-phase-enter", "api-phase-load", "token-revoke", "account_confirm_email"),
}
# Of what is said in phases that are not published, their own team and the organizers read.
READERS = {AccessRole.MEMBER, AccessRole.MANAGER, AccessRole.ORGANIZER, AccessRole.STAFF}


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    to: str
    written: list[str]

    def lets_in(self, method: str, name: str) -> bool:
        """A conflict while reading is how the API says that a phase does not give out its articles yet."""
        if name in SAYING_SO and method == "POST":
            return bool(self.written)
        refused = self.status in (401, 403, 404) or (self.status == 302 and self.to.startswith("/login/"))
        return not refused and not (method == "GET" and self.status == 409)


def views(resolver=None, namespace="") -> Iterator[tuple[str, object]]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from views(pattern, f"{pattern.namespace}:" if pattern.namespace else namespace)
        elif pattern.name:
            yield namespace + pattern.name, getattr(pattern.callback, "cls", None)


def list_view_methods(view) -> list[str]:
    """Those that a class of the API has; of a page it shows when it is asked for."""
    return [method for method in METHODS if hasattr(view, method.lower())] if view else ["GET", "POST"]


@contextmanager
def writes() -> Iterator[list[str]]:
    """What is written within, but for sessions."""
    seen: list[str] = []

    def note(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if sql.startswith(WRITES) and context["cursor"].rowcount and '"django_session"' not in sql:
            seen.append(sql)
        return result

    with connection.execute_wrapper(note):
        yield seen


def answer(cookie: str, method: str, address: str, sent: dict[str, object]) -> Answer:
    """As if nothing had been asked before, and nothing is kept of it."""
    client = Client()
    client.cookies["sessionid"] = cookie
    with transaction.atomic(), writes() as written:
        ask = getattr(client, method.lower())
        reply = ask(address, sent) if method == "POST" else ask(address)
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        transaction.set_rollback(True)
    text = f"{body.decode('utf-8', 'replace')} {reply.headers}"
    return Answer(reply.status_code, text, reply.headers.get("Location", ""), written)


@pytest.fixture
def words(django_user_model, alice, carol, olga, server, settings):
    """Without limits: the walk asks for more than anybody may."""
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    settings.ACCOUNT_RATE_LIMITS = False
    # Nobody listens there: the pages before and after it are for everybody all the same.
    settings.LOGIN_PROVIDERS = (LoginProvider("stand-in", "Stand-in", "http://127.0.0.1:9", "site", "secret"),)
    settings.NANOPUB_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    logging.disable(logging.CRITICAL)
    yield make_cast(django_user_model.objects.create_user, alice, olga, server)
    logging.disable(logging.NOTSET)


def list_names(part: int) -> list[str]:
    """The names of one part of the addresses; the parts can be walked by different processes."""
    return sorted(dict(views()))[part::PARTS]


def walk(words, part):
    """(method, name, hidden, {role: answer}) for every address of one part."""
    cookies = log_in_all()
    opaque = map_opaque_ids()
    by_name = dict(views())
    for name, view in ((name, by_name[name]) for name in list_names(part)):
        for hidden in (False, True) if words.of_test(name) else (False,):
            address = words.address(name, test=hidden)
            for method in list_view_methods(view):
                answers: dict[AccessRole, Answer] = {}
                for role in AccessRole:
                    answers[role] = answer(cookies[role], method, address, build_sent_fields(name, opaque))
                    if answers[role].status == 405:
                        break
                else:
                    yield method, name, hidden, answers


@pytest.mark.long
@pytest.mark.usefixtures("site_at_work")
@pytest.mark.parametrize("part", range(PARTS))
def test_it_lets_those_in_who_may_and_tells_nobody_what_is_hidden(words, part):
    table = {(row.method, row.name, row.hidden): row.audience.roles for row in iter_access_rows()}
    found, unknown, wrong, told = set(), [], [], []
    for method, name, hidden, answers in walk(words, part):
        found.add((method, name))
        may = table.get((method, name, hidden), table.get((method, name, False)))
        unknown += [] if may is not None else [(method, name)]
        for role, each in answers.items():
            let_in = each.lets_in(method, name)
            if let_in != (role in (may or ())) or each.status >= 500 or (each.written and not let_in):
                wrong.append((method, name, hidden, role, each.status, each.written[:1]))
            secrets = GOLD if role in READERS else (*GOLD, *HIDDEN_IDENTIFIERS)
            secrets = secrets if role == AccessRole.PERSON else (*secrets, *CURATED)
            told += [(method, name, hidden, role, secret) for secret in secrets if secret in each.text]
    assert unknown == [], "say in bcms/access_table.py who may"
    assert wrong == []
    assert told == []
    expected = {(method, name) for method, name, _ in table if name in list_names(part)}
    assert expected - found == set(), "bcms/access_table.py has rows for what does not exist"


def test_it_has_rows_for_existing_addresses_only():
    assert {row.name for row in iter_access_rows()} - {name for name, _ in views()} == set()


def test_it_has_one_row_for_each():
    assert [
        row
        for row, times in Counter((row.method, row.name, row.hidden) for row in iter_access_rows()).items()
        if times > 1
    ] == []
