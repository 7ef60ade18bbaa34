"""The API may be asked so often a minute, and says when it may be asked again."""

import time
import xmlrpc.client

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from bcms.accounts import tokens
from bcms.lib.rest import limits
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db

AT_HALF_PAST = 1_800_000_030.0


@pytest.fixture(autouse=True)
def clock(monkeypatch, settings):
    """The time that limits go by."""
    settings.API_PER_MINUTE_ADDRESS, settings.API_PER_MINUTE_ACCOUNT, settings.API_FILES_PER_MINUTE = 3, 5, 2
    monkeypatch.setattr(limits, "time", lambda: clock.now)
    clock.now = AT_HALF_PAST
    return clock


def list_request_statuses(client, times, address="/api/v1/measures/", **options):
    answers = [client.get(address, **options) for _ in range(times)]
    for answer in answers:
        b"".join(answer)
    return [answer.status_code for answer in answers]


def test_it_stops_an_address_and_says_until_when(client):
    assert list_request_statuses(client, 3) == [200] * 3
    refused = client.get("/api/v1/measures/")
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert refused["Retry-After"] == "30"
    problem = refused.json()
    assert problem["code"] == "throttled"
    assert problem["detail"] == (
        "An address without a login may send 3 requests per minute to the API. Try again in 30 seconds."
    )


def read_headers(answer):
    return [answer.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset", "Policy")]


def test_it_says_how_much_is_left(client):
    answers = [client.get("/api/v1/measures/") for _ in range(4)]
    assert [read_headers(answer) for answer in answers] == [["3", left, "30", "3;w=60"] for left in "2100"]
    assert "RateLimit-Remaining" in answers[0]["Access-Control-Expose-Headers"]
    assert read_headers(client.get("/servers/")) == [None] * 4


def test_it_names_the_limit_with_the_least_left(client):
    answer = client.get("/api/v1/export/ndjson/")
    b"".join(answer)
    assert read_headers(answer) == ["2", "1", "30", "2;w=60"]
    assert read_headers(client.get("/api/v1/measures/")) == ["3", "1", "30", "3;w=60"]


def test_it_lets_in_again_in_the_next_minute(client, clock):
    assert list_request_statuses(client, 4)[-1] == 429
    clock.now += 30
    assert list_request_statuses(client, 1) == [200]


def test_it_counts_addresses_apart_and_networks_of_ipv6_together(client):
    near = [{"REMOTE_ADDR": f"2001:db8::{number}"} for number in (1, 2, 3, 4)]
    assert [list_request_statuses(client, 1, **each)[0] for each in near] == [200, 200, 200, 429]
    assert list_request_statuses(client, 1, REMOTE_ADDR="2001:db8:0:1::1") == [200]
    assert list_request_statuses(client, 1, REMOTE_ADDR="192.0.2.1") == [200]


def test_it_counts_ipv4_apart_in_whichever_form_it_comes(client):
    assert list_request_statuses(client, 4, REMOTE_ADDR="::ffff:192.0.2.1")[-1] == 429
    assert read_headers(client.get("/api/v1/measures/", REMOTE_ADDR="::ffff:192.0.2.2"))[1] == "2"
    assert list_request_statuses(client, 1, REMOTE_ADDR="192.0.2.1") == [429]


def test_it_counts_all_tokens_of_an_account_together(alice, carol):
    programs = [
        Client(headers={"Authorization": f"Bearer {tokens.create_api_token_including_read_scope(alice, name, [])}"})
        for name in ("one", "two")
    ]
    assert list_request_statuses(programs[0], 5) == [200] * 5
    assert list_request_statuses(programs[1], 1) == [429]
    other = Client(
        headers={"Authorization": f"Bearer {tokens.create_api_token_including_read_scope(carol, 'hers', [])}"}
    )
    assert list_request_statuses(other, 1) == [200]


def test_it_counts_files_once_more(client):
    assert list_request_statuses(client, 2, "/api/v1/export/tsv/") == [200, 200]
    refused = client.get("/api/v1/export/tsv/")
    assert (refused.status_code, refused["Retry-After"]) == (429, "30")
    assert "You may download 2 such files per minute." in refused.json()["detail"]


@pytest.mark.parametrize("form", ["/challenges/none/test/TX/files/{}", "/api/v1/challenges/none/test/TX/files/{}/"])
def test_it_counts_the_files_of_scores(client, form):
    files = ("gold.tsv", "run-1.tsv", "organisms.tsv")
    assert [client.get(form.format(file)).status_code for file in files] == [404, 404, 429]


def test_it_writes_only_a_few_files_at_once(client, settings):
    settings.API_FILES_AT_ONCE, settings.API_FILES_PER_MINUTE = 1, 10
    first = client.get("/api/v1/export/tsv/")
    refused = client.get("/api/v1/export/tsv/")
    assert (refused.status_code, refused["Retry-After"]) == (429, "15")
    b"".join(first)
    assert list_request_statuses(client, 1, "/api/v1/export/tsv/") == [200]


def test_it_answers_while_redis_is_away(client, settings, caplog):
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:9"}}
    assert list_request_statuses(client, 4) == [200] * 4
    assert list_request_statuses(client, 1, "/api/v1/export/tsv/") == [200]
    assert "Redis is unavailable" in caplog.text


def test_it_tells_scripts_of_other_sites_when_to_ask_again(client):
    list_request_statuses(client, 3)
    assert "Retry-After" in client.get("/api/v1/measures/")["Access-Control-Expose-Headers"]


def test_it_counts_method_calls_by_xml_rpc_with_the_others(client):
    call = xmlrpc.client.dumps((), "system.listMethods")
    told = [client.post("/xmlrpc/", call, content_type="text/xml") for _ in range(4)]
    assert [reply.status_code for reply in told] == [200] * 4
    with pytest.raises(xmlrpc.client.Fault) as raised:
        xmlrpc.client.loads(told[3].content)
    assert raised.value.faultCode == 429
    assert "may send 3 requests per minute to the API. Try again in 30 seconds." in raised.value.faultString
    assert list_request_statuses(client, 1) == [429]


def test_it_counts_downloads_from_pages(client, article):
    assert list_request_statuses(client, 4, "/articles/10000001/export/tsv/") == [200, 200, 200, 429]


def test_it_counts_large_files_from_pages_and_by_rest_together(client, olga):
    make_challenge(olga, make_corpus())
    assert list_request_statuses(client, 1, "/api/v1/challenges/example/phases/training/articles/") == [200]
    assert list_request_statuses(client, 1, "/challenges/example/phases/training/articles/tsv/") == [200]
    refused = client.get("/challenges/example/phases/training/articles/tsv/")
    assert (refused.status_code, refused["Retry-After"]) == (429, "30")
    assert "You may download 2 such files per minute. Try again in 30 seconds." in refused.content.decode()


def test_it_counts_large_runs_that_are_sent(client, olga, alice, team, monkeypatch):
    make_challenge(olga, make_corpus())
    monkeypatch.setattr(limits, "LARGE_FILE_BYTES", 2000)
    client.force_login(alice)
    pages, rest = (f"{root}/challenges/example/training/TX/runs/" for root in ("", "/api/v1"))

    def sent(address, size):
        file = SimpleUploadedFile("run.tsv", b"101\t9606\n".ljust(size, b"\n"))
        return client.post(address, {"file": file, "check": "true"})

    assert [sent(address, size).status_code for address in (pages, rest) for size in (100, 3000)] == [
        200,
        200,
        422,
        422,
    ]
    assert [sent(address, 3000).status_code for address in (pages, rest)] == [429, 429]
    assert "or upload 2 large files per minute. Try again in 30 seconds." in sent(pages, 3000).content.decode()
    assert sent(pages, 100).status_code == 200


def test_a_computation_keeps_its_slot_however_long_it_takes(monkeypatch):
    monkeypatch.setattr(limits, "FILE_SLOT_SECONDS", 2)
    with limits.claim_slot("long", 1, "busy"):
        time.sleep(3)
        with pytest.raises(limits.TooManyRequests), limits.claim_slot("long", 1, "busy"):
            pass
    with limits.claim_slot("long", 1, "busy"):
        pass


def test_a_computation_that_has_lost_its_slot_leaves_it_to_the_next_one():
    with limits.claim_slot("lost", 1, "busy"):
        cache.delete("api:lost:0")
        next_one = limits.claim_slot("lost", 1, "busy")
        next_one.__enter__()
    with pytest.raises(limits.TooManyRequests), limits.claim_slot("lost", 1, "busy"):
        pass
    next_one.__exit__(None, None, None)
    assert cache.get("api:lost:0") is None
