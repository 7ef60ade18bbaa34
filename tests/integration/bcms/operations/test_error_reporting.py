"""What a Sentry server gets of an error, and what it does not."""

import gzip
import json
import subprocess
import sys

import pytest

from bcms.error_reporting import remove_private_parts
from tests.integration.worker_cast import ROOT, worker_environment
from tests.taskserver import TaskServer

# A site has no brotli, which packages of other tests bring, and with which Sentry packs what it sends.
SCRIPT = """
import sys
sys.modules["brotli"] = None
import django
django.setup()
import sentry_sdk
from django.test import Client
from bcms.article_page import views
def fail(request, ident):
    password = "a local variable"
    raise RuntimeError("a message with a secret")
views.find_visible_article = fail
client = Client(raise_request_exception=False)
client.get("/", headers={"Host": "another.example"})
client.get("/articles/20000001/?" + "a&" * 1001, headers={"Host": "localhost"})
headers = {"Host": "localhost", "Authorization": "Token secret-token", "Cookie": "sessionid=secret-session"}
print(client.get("/articles/secret-key/", headers=headers)["X-Request-ID"])
sentry_sdk.flush(20)
"""


@pytest.mark.django_db(transaction=True)
def test_it_gets_the_error_with_the_id_of_its_request_and_nothing_private():
    received = []
    with TaskServer(lambda asked: received.append(asked) or (200, {}, {})) as there:
        dsn = there.url.replace("http://", "http://public@").rstrip("/") + "/1"
        environment = {**worker_environment(), "SENTRY_DSN": dsn, "DJANGO_SETTINGS_MODULE": "bcms.settings"}
        ran = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    (asked,) = received
    body = asked.body
    envelope = (gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body).decode()
    event = json.loads(envelope.splitlines()[2])
    (exception,) = event["exception"]["values"]
    assert (exception["type"], exception["stacktrace"]["frames"][-1]["function"]) == ("RuntimeError", "fail")
    assert event["tags"]["request_id"] == ran.stdout.strip()
    assert not [word for word in ("secret", "a local variable") if word in envelope]


def test_it_gets_the_form_of_a_log_message_only():
    logged = {
        "message": "Mail to %s failed",
        "params": ["ann@example.org"],
        "formatted": "Mail to ann@example.org failed",
    }
    sent = remove_private_parts({"logentry": logged, "user": {"id": 7}}, {})
    assert sent == {"logentry": {"message": "Mail to %s failed"}, "tags": {"request_id": ""}}


def test_without_a_dsn_nothing_is_sent(settings):
    import sentry_sdk

    assert not sentry_sdk.get_client().is_active()
