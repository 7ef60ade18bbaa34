"""Calls are signed if the team wants it: in every protocol, verifiable by the library of Standard Webhooks."""

import html
import json
import re
import threading
import urllib.error
import urllib.request

import pytest
import standardwebhooks
from django.db import connection

from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.message_signatures import generate_signing_secret
from bcms.lib.http.signed_requests import build_authenticated_headers
from servers.audit.models import AuditEvent
from servers.availability import probe_schedule
from servers.calls.models import Attempt
from servers.calls.states import Outcome
from servers.credentials.models import SigningSecret
from servers.credentials.sealed_values import CredentialsKeyError
from servers.credentials.signing_secrets import open_signing_secret, replace_signing_secret
from servers.kit.__main__ import main as run_kit
from servers.kit.failures import FailureGenerator
from servers.kit.serving import AnnotationServer
from servers.registry import lifecycle, trials
from servers.registry.models import Server, Trial
from servers.teams.models import Membership
from tests.fakeserver import LOOPBACK, FakeServer, answer, redirect
from tests.integration.servers.credentials.test_call_credentials import (
    ANSWERS,
    ask,
    find_header,
    list_tables_with,
    set_url,
)

# Committed, as the heartbeat looks at the leases on a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def as_alice(client, alice, team):
    client.force_login(alice)
    return client


def split_request(request):
    """The headers of a raw request, and its body."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line.partition(b": ") for line in head.split(b"\r\n")[1:]]
    return {name.decode(): value.decode() for name, _, value in lines}, body


def is_signed(request, secret):
    headers, body = split_request(request)
    try:
        standardwebhooks.Webhook(secret).verify(body, headers, json_parse=False)
    except standardwebhooks.WebhookVerificationError:
        return False
    return True


def create_secret(client):
    """The secret that the page shows once."""
    page = client.post("/servers/genedict/credentials/signing-secret/")
    assert page["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    [secret] = re.findall(r'<pre tabindex="0" id="signing-secret">(.*?)</pre>', page.content.decode())
    return html.unescape(secret)


@pytest.mark.parametrize("protocol", [*ANSWERS, "get"])
def test_it_signs_calls_in_every_protocol_and_shows_the_secret_nowhere_again(as_alice, server, article, protocol):
    secret = create_secret(as_alice)
    method = {"pubannotation": "POST", "get": "GET"}.get(protocol, "a.b")
    protocol = "pubannotation" if protocol == "get" else protocol
    with FakeServer(answer(ANSWERS[protocol] + b" " * 9)) as there:
        set_url(server, there.url, protocol=protocol, method=method)
        attempt = ask(server, article)
    [request] = there.requests
    assert is_signed(request, secret)
    assert not is_signed(request, generate_signing_secret())
    attempt.refresh_from_db()
    recorded = split_request(bytes(attempt.body.request))[0]
    assert (recorded["webhook-signature"], recorded["webhook-id"][:5]) == ("[masked]", "call_")
    for address in (
        *("credentials/", "", "edit/", "log/", f"attempts/{attempt.pk}/"),
        *(f"/api/v1/servers/genedict/{rest}" for rest in ("", "signing-secret/", f"attempts/{attempt.pk}/")),
    ):
        reply = as_alice.get(address if address.startswith("/") else f"/servers/genedict/{address}")
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        assert (reply.status_code, secret.encode() in body) == (200, False), address
    assert list_tables_with(secret) == []
    assert secret not in str(list(AuditEvent.objects.values()))


def test_each_request_has_an_id_of_its_own(server):
    made = [build_authenticated_headers({}, b"", {}, generate_signing_secret()).plain["webhook-id"] for _ in range(2)]
    assert len(set(made)) == 2


def test_trials_and_probes_are_signed(as_alice, server, article):
    secret = replace_signing_secret(server)
    with FakeServer(answer(ANSWERS["rest"])) as there:
        set_url(server, there.url, protocol="rest")
        as_alice.post("/servers/genedict/try/")
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        assert probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk) == "up"
    assert [is_signed(request, secret) for request in there.requests] == [True, True]
    signature = find_header(there.requests[0], b"webhook-signature")
    assert signature not in bytes(Trial.objects.get().request)


def test_a_signature_is_not_sent_after_a_redirect():
    signed = build_authenticated_headers({}, b"", {}, generate_signing_secret())
    with FakeServer(answer(b"")) as second, FakeServer(redirect(second.url)) as first:
        request_permitted_url(
            *("GET", first.url),
            headers=signed.plain,
            secret_headers=signed.secret,
            deadline_seconds=20,
            max_bytes=999,
            extra_networks=LOOPBACK,
            max_get_redirects=1,
        )
    assert find_header(first.requests[0], b"webhook-signature") is not None
    assert find_header(second.requests[0], b"webhook-signature") is None


def test_rest_creates_replaces_and_removes_the_secret(as_alice, server, article):
    address = "/api/v1/servers/genedict/signing-secret/"
    assert as_alice.get(address).json() == {"signing": None}
    secrets = [as_alice.post(address).json()["secret"] for _ in range(2)]
    assert open_signing_secret(Server.objects.select_related("signing_secret").get()) == secrets[1] != secrets[0]
    assert list(as_alice.get(address).json()["signing"]) == ["since"]
    assert "Calls are signed since" in as_alice.get("/servers/genedict/credentials/").content.decode()
    assert as_alice.delete(address).status_code == 204
    assert not SigningSecret.objects.exists()
    create_secret(as_alice)
    as_alice.post("/servers/genedict/credentials/signing-secret/remove/")
    assert "Calls are not signed." in as_alice.get("/servers/genedict/credentials/").content.decode()
    with FakeServer(answer(ANSWERS["bcms"])) as there:
        set_url(server, there.url)
        ask(server, article)
    assert find_header(there.requests[0], b"webhook-signature") is None
    changes = AuditEvent.objects.filter(action="server.keys_changed").order_by("pk").values_list("after", flat=True)
    assert [each["signing_secret"] for each in changes] == ["new", "new", "removed", "new", "removed"]


def test_managers_alone_may_change_it(client, carol, server, team):
    Membership.objects.create(team=team, user=carol, role="member")
    client.force_login(carol)
    assert client.post("/servers/genedict/credentials/signing-secret/").status_code == 403
    assert client.post("/api/v1/servers/genedict/signing-secret/").status_code == 403
    assert not SigningSecret.objects.exists()


def test_it_needs_a_key_of_the_site(as_alice, server, settings):
    replace_signing_secret(server)
    settings.CREDENTIALS_PRIVATE_KEY = settings.CREDENTIALS_PUBLIC_KEY = None
    with pytest.raises(CredentialsKeyError, match="Start the asking workers with it"):
        open_signing_secret(Server.objects.select_related("signing_secret").get())
    assert as_alice.post("/api/v1/servers/genedict/signing-secret/").status_code == 409
    assert as_alice.post("/servers/genedict/credentials/signing-secret/").status_code == 404


@pytest.mark.parametrize("protocol", ["bcms", "rest"])
def test_a_server_of_the_kit_answers_signed_calls_only(server, article, protocol):
    with AnnotationServer(
        lambda _: [],
        ("127.0.0.1", 0),
        protocol=protocol,
        method="a.b",
        delay=0.0,
        failures=FailureGenerator(0.0, 0),
        signing_secret=replace_signing_secret(server),
    ) as there:
        threading.Thread(target=there.serve_forever, daemon=True).start()
        set_url(server, there.address, protocol=protocol, method="a.b")
        assert ask(server, article).outcome == Outcome.EMPTY
        Attempt.objects.all().delete()
        server.calls.all().delete()
        replace_signing_secret(server)
        attempt = ask(server, article)
        there.shutdown()
    assert "HTTP status 401" in attempt.message


def test_the_kit_signs_its_check(capsys):
    secret = generate_signing_secret()
    with FakeServer(answer(ANSWERS["rest"])) as there:
        run_kit(["check", there.url, "--protocol", "rest", "--signing-secret", secret, "--json"])
    assert all(is_signed(request, secret) for request in there.requests)
    assert secret not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        run_kit(["check", there.url, "--signing-secret", "sec*ret"])
    assert "sec*ret" not in capsys.readouterr().err


def load_manual_server(client, secret):
    """The handler of the manual's example with this secret."""
    page = client.get("/manual/annotation-servers/").content.decode()
    [source] = re.findall(r'<pre tabindex="0" id="signed-server">(.*?)</pre>', page, re.S)
    program, _, _ = html.unescape(source).replace("whsec_…", secret).rpartition("HTTPServer(")
    names = {}
    exec(compile(program, "manual", "exec"), names)
    return names["HTTPServer"](("127.0.0.1", 0), names["Handler"])


def test_the_example_of_the_manual_answers_signed_calls_only(client, server, article, monkeypatch):
    secret = replace_signing_secret(server)
    with load_manual_server(client, secret) as there:
        there.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=there.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{there.server_address[1]}/"
        set_url(server, url, protocol="rest")
        assert ask(server, article).outcome == Outcome.EMPTY
        with pytest.raises(urllib.error.HTTPError, match="not signed"):
            urllib.request.urlopen(urllib.request.Request(url, data=json.dumps({}).encode()))
        there.shutdown()
    connection.close()
