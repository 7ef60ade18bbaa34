"""Requests that no well-meaning program sends, to every address: refused in a sentence, never a failure of the site."""

import base64
import logging
from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.test import Client

from bcms.access_audiences import AccessRole
from tests.integration.bcms.test_access_table import list_view_methods, views
from tests.integration.role_cast import build_sent_fields, log_in_all, make_cast, map_opaque_ids

pytestmark = pytest.mark.django_db

DEEP = b"[" * 100_000
HUGE = "9" * 30
# Together they may use nearly every address.
ROLES = (AccessRole.CURATOR, AccessRole.STAFF)
# Fields that pages read from a form or an address without a form of Django.
NAMES_READ = (
    *(
        "article",
        "as",
        "at",
        "average",
        "communicationId",
        "cursor",
        "faulty",
        "from",
        "gold",
        "ident",
        "kind",
        "labeller",
    ),
    *("limit", "offset", "organizer", "producer", "proteins", "q", "remove", "run", "said", "scenario", "server"),
    *("showing", "sort", "team", "to", "v", "window"),
)


@pytest.fixture
def words(django_user_model, alice, carol, olga, server, settings):
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    settings.ACCOUNT_RATE_LIMITS = False
    logging.disable(logging.CRITICAL)
    yield make_cast(django_user_model.objects.create_user, alice, olga, server)
    logging.disable(logging.NOTSET)


def iter_changed_fields(fields: dict[str, object]) -> Iterator[dict[str, object]]:
    """The fields of a form with each of them in turn hostile, and all that pages read without one."""
    for name, value in fields.items():
        if not isinstance(value, UploadedFile):
            yield from ({**fields, name: hostile} for hostile in ("a\0b", HUGE, "x" * 5000))
    for hostile in ("a\0b", HUGE):
        yield dict.fromkeys(NAMES_READ, hostile) | fields


def request_status(cookie: str, method: str, address: str, *sent: object, **how: object) -> int:
    """The status of one request, of which nothing is kept."""
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = cookie
    with transaction.atomic():
        reply = getattr(client, method.lower())(address, *sent, **how)
        transaction.set_rollback(True)
    return reply.status_code


def iter_hostile_requests(words, method: str, name: str, opaque) -> Iterator[tuple[object, ...]]:
    address = words.address(name, test=False)
    if method == "GET":
        for hostile in ("a\0b", HUGE):
            yield address, dict.fromkeys(NAMES_READ, hostile)
    elif method == "POST":
        yield from ((address, fields) for fields in iter_changed_fields(build_sent_fields(name, opaque)))
        yield address, DEEP, "application/json"
        yield address, DEEP, "application/x-www-form-urlencoded"
        yield address, rb'{"name": "\ud800", "slug": "a\u0000b"}', "application/json"
    else:
        yield address, DEEP, "application/json"


@pytest.mark.long
@pytest.mark.usefixtures("site_at_work")
@pytest.mark.parametrize("role", ROLES)
def test_it_fails_at_no_hostile_request(words, role):
    cookie = log_in_all()[role]
    opaque = map_opaque_ids()
    failed = []
    for name, view in sorted(dict(views()).items()):
        for method in list_view_methods(view):
            for address, *sent in iter_hostile_requests(words, method, name, opaque):
                status = request_status(cookie, method, address, *sent)
                if status >= 500:
                    failed.append((method, name, str(sent)[:200], status))
                if status == 405:
                    break
    assert failed == []


@pytest.mark.parametrize(
    "address",
    ["/api/v1/article-requests/", "/api/v1/servers/", "/api/v1/challenges/", "/api/documents/", "/api/v1/articles/"],
)
@pytest.mark.parametrize("body", [DEEP, b'{"a":' * 100_000, b"9" * 5000])
def test_it_refuses_json_that_is_too_deep_or_too_long(api, address, body):
    answer = api.post(address, body, content_type="application/json")
    assert answer.status_code in (400, 403, 415)


def test_it_says_where_the_json_is_wrong(api, team):
    answer = api.post("/api/v1/servers/", rb'{"name": "a\u0000b"}', content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (400, "parse-error")
    assert answer.json()["detail"] == "The string at name contains the character U+0000; remove it."


@pytest.mark.parametrize("credentials", ["\0a:x", "alice:\0", "a\0"])
def test_it_refuses_a_basic_login_with_nul(client, alice, credentials):
    sent = base64.b64encode(credentials.encode()).decode()
    answer = client.get("/api/v1/teams/", headers={"Authorization": f"Basic {sent}"})
    assert (answer.status_code, answer.headers["Content-Type"]) == (401, "application/problem+json")


@pytest.mark.parametrize("credentials", ["\xe9", "=", "////", base64.b64encode(b"\xff:\xff").decode()])
def test_it_refuses_credentials_that_are_no_text(client, db, credentials):
    for address in ("/api/v1/teams/", "/api/saveAnnotations/JSON?communicationId=1"):
        answer = client.post(address, headers={"Authorization": f"Basic {credentials}"})
        assert answer.status_code in (400, 401, 405)


def test_it_refuses_a_form_with_nul_that_no_form_of_the_site_reads(as_alice, server, challenge):
    page = as_alice.post("/challenges/example/join/", {"team": "a\0b", "accept": "on"})
    assert page.status_code in (400, 404)


def xmlrpc_call(client, value: str) -> str:
    call = (
        "<methodCall><methodName>Consensus.getConsensus</methodName><params><param><value>10000001</value></param>"
        f"<param><value><struct><member><name>threshold</name><value>{value}</value></member></struct></value></param>"
        "</params></methodCall>"
    )
    answer = client.post("/xmlrpc/", call, content_type="text/xml")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    "value",
    [
        *(
            f"<{kind}>{digits}</{kind}>"
            for kind in ("int", "i8", "biginteger")
            for digits in ("9" * 400, "-" + "9" * 400)
        ),
        *(f"<double>{number}</double>" for number in ("nan", "inf", "-inf", "1e400")),
        "<bigdecimal>NaN</bigdecimal>",
        f"<bigdecimal>{'9' * 400}</bigdecimal>",
        f"<int>{'9' * 5000}</int>",
    ],
)
def test_xmlrpc_refuses_numbers_that_are_none(client, article, value):
    assert "<name>faultCode</name>" in xmlrpc_call(client, value)
