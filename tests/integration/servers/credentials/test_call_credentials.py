"""The credentials of calls: sent to the server they are for, readable by asking workers alone, and shown nowhere."""

import json
import re

import pytest
from django.db import connection

from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError
from bcms.lib.http.exchange import KEPT_BYTES, Exchange
from servers.audit.models import AuditEvent
from servers.availability import probe_schedule
from servers.calls import loop
from servers.calls.models import Attempt
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.credentials.models import CallCredentials
from servers.credentials.sealed_headers import open_secret_headers_for_url
from servers.credentials.sealed_values import CredentialsKeyError
from servers.credentials.storage import replace_credentials
from servers.kit.__main__ import main as run_kit
from servers.registry import lifecycle, trials
from servers.registry.models import Server, Trial
from servers.teams.models import Membership
from tests.fakeserver import LOOPBACK, FakeServer, answer, raw, redirect

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "s3cret-of-the-team"
ANSWERS = {
    "bcms": b"<methodResponse><params><param><value><struct/></value></param></params></methodResponse>",
    "rest": b'{"annotations": {}}',
    "pubannotation": b'{"denotations": []}',
    "becalm": b'{"status": 200, "success": true, "key": ""}',
}
SENT = {
    "basic": ({"scheme": "basic", "user_name": "bcms", "secret": SECRET}, b"Basic YmNtczpzM2NyZXQtb2YtdGhlLXRlYW0="),
    "bearer": ({"scheme": "bearer", "secret": SECRET}, b"Bearer " + SECRET.encode()),
    "header": ({"scheme": "header", "header": "X-Our-Door", "secret": SECRET}, SECRET.encode()),
}


def find_header(request, name=b"Authorization"):
    found = re.search(rb"^" + name + rb": (.*?)\r$", request, re.M)
    return found[1] if found else None


def set_url(server, url, **fields):
    Server.objects.filter(pk=server.pk).update(url=url, **fields)
    server.refresh_from_db()


def ask(server, article):
    """One call of the queue; its attempt."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    return Attempt.objects.latest("pk")


@pytest.fixture
def as_alice(client, alice, team):
    client.force_login(alice)
    return client


def list_tables_with(text):
    """The tables of which a row has the text in any column."""
    with connection.cursor() as cursor:
        names = [name for name in connection.introspection.table_names(cursor) if not name.startswith("pg_")]
        found = []
        for name in names:
            cursor.execute(f'SELECT count(*) FROM "{name}" row WHERE row::text LIKE %s', [f"%{text}%"])
            hexadecimal = text.encode().hex()
            count = cursor.fetchone()[0]
            cursor.execute(f'SELECT count(*) FROM "{name}" row WHERE row::text LIKE %s', [f"%{hexadecimal}%"])
            found += [name] * bool(count + cursor.fetchone()[0])
    return found


@pytest.mark.parametrize("protocol", ANSWERS)
def test_it_sends_them_with_calls_in_every_protocol_and_shows_them_nowhere(as_alice, server, article, protocol):
    fields, header = SENT["bearer"]
    with FakeServer(answer(ANSWERS[protocol] + b" " * 9)) as there:
        set_url(server, there.url, protocol=protocol, method="POST" if protocol == "pubannotation" else "a.b")
        saved = as_alice.post("/servers/genedict/credentials/", fields)
        assert saved.status_code == 302
        attempt = ask(server, article)
    assert find_header(there.requests[0]) == header
    attempt.refresh_from_db()
    assert find_header(bytes(attempt.body.request) + b"\r\n") in (b"[masked]", None)
    for address in (
        *("credentials/", "", "edit/", "log/", "attempts/", f"attempts/{attempt.pk}/"),
        *(f"/api/v1/servers/genedict/{rest}" for rest in ("", "credentials/", f"attempts/{attempt.pk}/")),
    ):
        reply = as_alice.get(address if address.startswith("/") else f"/servers/genedict/{address}")
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        assert (reply.status_code, SECRET.encode() in body) == (200, False), address
    assert list_tables_with(SECRET) == []


@pytest.mark.parametrize("scheme", SENT)
def test_it_builds_the_header_of_each_kind(as_alice, server, scheme):
    fields, header = SENT[scheme]
    reply = as_alice.put("/api/v1/servers/genedict/credentials/", json.dumps(fields), content_type="application/json")
    assert reply.status_code == 200, reply.content
    name = fields.get("header", "Authorization")
    assert reply.json()["credentials"].items() >= {"scheme": scheme, "header": name}.items()
    server = Server.objects.select_related("call_credentials").get()
    assert open_secret_headers_for_url(server, server.url) == {name: header.decode()}
    assert SECRET not in str(list(AuditEvent.objects.values()))
    assert "secret" not in reply.json()["credentials"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"scheme": "basic", "user_name": "a:b", "secret": "x"}, "user_name"),
        ({"scheme": "basic", "secret": "x"}, "user_name"),
        ({"scheme": "header", "secret": "x"}, "header"),
        ({"scheme": "header", "header": "Host", "secret": "x"}, "header"),
        ({"scheme": "header", "header": "X A", "secret": "x"}, "header"),
        ({"scheme": "bearer", "secret": "a\r\nX-Other: b"}, "secret"),
        ({"scheme": "bearer", "secret": "é"}, "secret"),
        ({"scheme": "bearer", "secret": ""}, "secret"),
        ({"scheme": "digest", "secret": "x"}, "scheme"),
    ],
)
def test_it_refuses_what_is_no_header(as_alice, server, fields, field):
    reply = as_alice.post("/servers/genedict/credentials/", fields)
    assert (reply.status_code, list(reply.context["form"].errors)) == (422, [field])
    sent = json.dumps(fields)
    reply = as_alice.put("/api/v1/servers/genedict/credentials/", sent, content_type="application/json")
    assert (reply.status_code, CallCredentials.objects.count()) == (400, 0), reply.content


def test_it_replaces_and_removes_them(as_alice, server):
    for scheme in ("basic", "bearer"):
        as_alice.post("/servers/genedict/credentials/", SENT[scheme][0])
        page = as_alice.get("/servers/genedict/credentials/").content.decode()
        assert "Authorization: [masked]" in page
    assert CallCredentials.objects.get().scheme == "bearer"
    as_alice.post("/servers/genedict/credentials/remove/")
    assert not CallCredentials.objects.exists()
    as_alice.post("/servers/genedict/credentials/", SENT["basic"][0])
    assert as_alice.delete("/api/v1/servers/genedict/credentials/").status_code == 204
    assert as_alice.get("/api/v1/servers/genedict/credentials/").json() == {"credentials": None}


def test_it_lets_managers_alone_set_them(client, carol, server, team):
    Membership.objects.create(team=team, user=carol, role="member")
    client.force_login(carol)
    assert client.post("/servers/genedict/credentials/", SENT["bearer"][0]).status_code == 403
    assert client.get("/api/v1/servers/genedict/credentials/").status_code == 403


def test_it_does_not_send_them_to_another_host(server, article):
    """Neither after a change of the URL, nor to the task or the redirect of another host."""
    set_url(server, "http://127.0.0.1:9/")
    replace_credentials(server, "bearer", "Authorization", f"Bearer {SECRET}")
    with FakeServer(answer(ANSWERS["bcms"])) as there:
        set_url(server, there.url)
        attempt = ask(server, article)
    assert there.requests == []
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.COMMUNICATION, "credentials-elsewhere")
    assert "are for http://127.0.0.1:9, but" in attempt.message


def test_it_does_not_send_them_after_a_redirect_or_record_what_a_server_echoes():
    exchange = Exchange()
    headers = {"Authorization": f"Bearer {SECRET}"}
    with (
        FakeServer(answer(b"You sent Bearer %s." % SECRET.encode())) as second,
        FakeServer(redirect(second.url)) as first,
    ):
        for url in (first.url, second.url):
            reply = request_permitted_url(
                *("GET", url),
                secret_headers=headers,
                deadline_seconds=20,
                max_bytes=999,
                extra_networks=LOOPBACK,
                max_get_redirects=1,
                exchange=exchange,
            )
    assert find_header(first.requests[0]) == headers["Authorization"].encode()
    assert [find_header(request) for request in second.requests] == [None, headers["Authorization"].encode()]
    assert reply.body == exchange.received == b"You sent [masked]."
    assert find_header(exchange.request) == b"[masked]"


@pytest.mark.parametrize("kind", SENT)
def test_it_masks_them_in_what_errors_quote(kind):
    _, value = SENT[kind]
    secret = value.rpartition(b" ")[2].decode()
    compressed = answer(b"x", headers=f"Content-Encoding: {'x' * 20}{secret}\r\n")
    for echo in (redirect(f"/elsewhere/{secret}"), raw(b"%s\r\n\r\n" % value), compressed):
        with FakeServer(echo) as there, pytest.raises(HttpError) as refused:
            request_permitted_url(
                *("POST", there.url),
                secret_headers={"Authorization": value.decode()},
                deadline_seconds=20,
                max_bytes=999,
                extra_networks=LOOPBACK,
            )
        assert secret not in str(refused.value)
        assert "[masked]" in str(refused.value)


def post_with_secret(url, value, exchange, body=b""):
    return request_permitted_url(
        *("POST", url),
        body=body,
        secret_headers={"Authorization": value.decode()},
        deadline_seconds=20,
        max_bytes=2 * KEPT_BYTES,
        extra_networks=LOOPBACK,
        exchange=exchange,
    )


@pytest.mark.parametrize("kind", SENT)
@pytest.mark.parametrize("part", [1, 7, 17])
def test_it_keeps_no_part_of_them_where_kept_bytes_end(kind, part):
    value = SENT[kind][1]
    for echo in (value, SECRET.encode()):
        # The first echo becomes shorter when it is masked.
        filler = b"=" * (KEPT_BYTES - part - len(value))
        exchange = Exchange()
        with FakeServer(answer(value + filler + echo)) as there:
            reply = post_with_secret(there.url, value, exchange)
        assert reply.body == b"[masked]" + filler + b"[masked]"
        assert exchange.received == b"[masked]" + filler
        head, _, _ = exchange.request.partition(b"\r\n\r\n")
        filler = b"=" * (KEPT_BYTES - part - len(head) - len("65000") + len("0") - 4)
        with FakeServer(answer(b"")) as there:
            post_with_secret(there.url, value, exchange, filler + echo)
        assert len(exchange.request) == KEPT_BYTES - part
        assert exchange.request.endswith(b"\r\n\r\n" + filler)


@pytest.mark.parametrize("kind", SENT)
def test_it_keeps_no_part_of_them_where_a_broken_answer_ends(kind):
    value = SENT[kind][1]
    exchange = Exchange()
    broken = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nYou sent " + value[:-1])
    with FakeServer(broken) as there, pytest.raises(HttpError):
        post_with_secret(there.url, value, exchange)
    assert exchange.received == b"You sent "


def test_it_masks_the_password_that_basic_encodes():
    exchange = Exchange()
    with FakeServer(answer(f"Wrong password: {SECRET}.".encode())) as there:
        reply = request_permitted_url(
            *("POST", there.url),
            secret_headers={"Authorization": SENT["basic"][1].decode()},
            deadline_seconds=20,
            max_bytes=999,
            extra_networks=LOOPBACK,
            exchange=exchange,
        )
    assert reply.body == exchange.received == b"Wrong password: [masked]."


def test_a_trial_uses_them(as_alice, server, article):
    with FakeServer(answer(ANSWERS["rest"])) as there:
        set_url(server, there.url, protocol="rest")
        as_alice.post("/servers/genedict/credentials/", SENT["basic"][0])
        as_alice.post("/servers/genedict/try/")
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
        assert find_header(there.requests[0]) == SENT["basic"][1]
        set_url(server, "http://127.0.0.2:9/")
        as_alice.post("/servers/genedict/try/")
        trials.run_open_trial_and_store_report(Trial.objects.latest("pk").pk)
    assert Trial.objects.latest("pk").report["failure"]["code"] == "credentials-elsewhere"
    assert b"YmNtczpzM2NyZXQ" not in b"".join(bytes(trial.request) for trial in Trial.objects.all())


def test_a_probe_uses_them(server):
    with FakeServer(answer(b"")) as there:
        set_url(server, there.url)
        replace_credentials(server, "bearer", "Authorization", f"Bearer {SECRET}")
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        assert probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk) == "up"
    assert find_header(there.requests[0]) == f"Bearer {SECRET}".encode()


def test_the_kit_sends_a_header(capsys):
    with FakeServer(answer(ANSWERS["rest"])) as there:
        run_kit(["check", there.url, "--protocol", "rest", "--header", f"X-Our-Door: {SECRET}", "--json"])
    assert find_header(there.requests[0], b"X-Our-Door") == SECRET.encode()
    assert SECRET not in capsys.readouterr().out


def test_a_process_without_the_private_key_cannot_open_them(server, settings):
    credentials = replace_credentials(server, "bearer", "Authorization", f"Bearer {SECRET}")
    assert SECRET.encode() not in bytes(credentials.sealed)
    settings.CREDENTIALS_PRIVATE_KEY = None
    with pytest.raises(CredentialsKeyError, match="Start the asking workers with it"):
        open_secret_headers_for_url(Server.objects.select_related("call_credentials").get(), server.url)


def test_it_says_that_a_site_without_a_key_cannot_store_them(as_alice, server, settings):
    settings.CREDENTIALS_PUBLIC_KEY = None
    assert "make_credentials_key" in as_alice.get("/servers/genedict/credentials/").content.decode()
    as_alice.post("/servers/genedict/credentials/", SENT["basic"][0])
    sent = json.dumps(SENT["basic"][0])
    reply = as_alice.put("/api/v1/servers/genedict/credentials/", sent, content_type="application/json")
    assert (reply.status_code, CallCredentials.objects.count()) == (409, 0)
