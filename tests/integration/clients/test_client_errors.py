"""Servers that redirect, are busy, answer with something else, or break off: nothing is lost, and the token stays."""

import json

import pytest

from bcms_client import (
    ConfigurationError,
    RateLimitError,
    RedirectError,
    ServerFailureError,
    StillWorkingError,
    UnavailableError,
    UnexpectedAnswerError,
    UnreachableError,
    connection,
    conversation,
)
from tests.fakeserver import FakeServer

TOKEN = "bcms_secret"
EMPTY_LIST = {"count": 0, "next": None, "previous": None, "results": []}
PROBLEM = {"detail": "Too many.", "code": "throttled", "errors": []}


def build_reply(status, body=b"", *headers):
    """The bytes of an answer that ends the connection; a body that is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {each.partition(":")[0] for each in headers}
    lengths = [] if "Content-Length" in names else [f"Content-Length: {len(content)}"]
    head = [f"HTTP/1.1 {status} Status", "Connection: close", *lengths, *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content


@pytest.fixture
def answers(side):
    """A server with these answers, the last one for ever: (the server, a client of it)."""
    servers = []

    def begin(*replies, **options):
        waiting = list(replies)
        server = FakeServer(lambda peer, _: peer.sendall(waiting.pop(0) if len(waiting) > 1 else waiting[0]))
        servers.append(server.__enter__())
        return server, side(server.url, TOKEN, **options)

    yield begin
    for server in servers:
        server.__exit__()


@pytest.fixture
def no_pauses(monkeypatch):
    """The pauses that were asked for; none is made."""
    pauses = []

    class Recorded(conversation.Pause):
        def __init__(self, seconds):
            pauses.append(seconds)
            super().__init__(0)

    monkeypatch.setattr(conversation, "Pause", Recorded)
    return pauses


def test_it_follows_no_redirect(answers):
    elsewhere, _ = answers(build_reply(200, EMPTY_LIST))
    server, api = answers(build_reply(302, b"", f"Location: {elsewhere.url}api/v1/servers/"))
    with pytest.raises(RedirectError, match=f"redirects to http://127.0.0.1:{elsewhere.port}"):
        api.call("list_servers")
    assert f"Authorization: Bearer {TOKEN}".encode().lower() in server.requests[0].lower()
    assert elsewhere.requests == []


def test_it_follows_no_redirect_to_what_is_no_url(answers):
    _, api = answers(build_reply(302, b"", "Location: http://["))
    with pytest.raises(UnexpectedAnswerError):
        api.call("list_servers")


def test_the_next_page_is_on_the_same_host(answers):
    elsewhere, _ = answers(build_reply(200, EMPTY_LIST))
    first = {**EMPTY_LIST, "next": f"{elsewhere.url}api/v1/servers/?limit=100&offset=100"}
    server, api = answers(build_reply(200, first), build_reply(200, EMPTY_LIST))
    assert api.call("list_servers") == []
    assert b"GET /api/v1/servers/?limit=100&offset=100 " in server.requests[1]
    assert elsewhere.requests == []


@pytest.mark.parametrize(
    "body",
    [
        b"<!doctype html><title>Welcome to nginx</title>",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b"null",
        b"[]",
        {"results": None, "next": None},
        {"results": [{"slug": 1}], "next": None},
        {"results": [], "next": 5},
        {"results": [], "next": "http://["},
        {"results": ["x"]},
    ],
    ids=repr,
)
def test_it_refuses_what_is_no_answer_of_the_api(answers, body):
    _, api = answers(build_reply(200, body))
    with pytest.raises(UnexpectedAnswerError):
        api.call("list_servers")


def test_it_names_the_field_that_is_wrong(answers):
    corpus = {"slug": "x", "name": "X", "number_of_articles": 1}
    _, api = answers(build_reply(200, {"results": [corpus, {**corpus, "name": 1}], "next": None, "new": "ignored"}))
    with pytest.raises(UnexpectedAnswerError, match=r"Corpus\[1\].name"):
        api.call("list_corpora")


def test_it_reads_no_endless_answer(answers, monkeypatch):
    monkeypatch.setattr(connection, "LARGEST_ANSWER", 1000)
    _, api = answers(build_reply(200, b" " * 2000))
    with pytest.raises(UnexpectedAnswerError, match="too large"):
        api.call("list_servers")


@pytest.mark.parametrize(
    "reply",
    [
        build_reply(200, b"half", "Content-Disposition: attachment", "Content-Length: 8"),
        build_reply(200, b"4\r\nhalf\r\n", "Content-Disposition: attachment", "Transfer-Encoding: chunked").replace(
            b"Content-Length: 9\r\n", b""
        ),
        build_reply(200, b"half", "Content-Disposition: attachment", "Content-Encoding: gzip"),
        build_reply(200, b"<html>", "Content-Type: text/html"),
        build_reply(302, b"", "Location: https://elsewhere.example/"),
        build_reply(202, b"{}"),
        b"",
        b"nonsense\r\n\r\n",
    ],
    ids=["cut", "cut-chunk", "gzip", "html", "redirect", "accepted", "nothing", "nonsense"],
)
def test_a_download_is_whole_or_not_there(answers, tmp_path, reply):
    _, api = answers(reply)
    target = tmp_path / "articles.xml"
    target.write_text("those of yesterday")
    with pytest.raises((UnexpectedAnswerError, UnreachableError)):
        api.call("export_articles", "bioc-xml", target)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("articles.xml", "those of yesterday")]


def test_a_download_touches_no_other_file(answers, tmp_path):
    _, api = answers(build_reply(200, b"fresh", "Content-Disposition: attachment"))
    target, other, partial = tmp_path / "articles.xml", tmp_path / "other", tmp_path / "articles.xml.part"
    other.write_text("mine")
    partial.symlink_to(other)
    api.call("export_articles", "bioc-xml", target)
    assert (target.read_text(), other.read_text(), partial.is_symlink()) == ("fresh", "mine", True)


@pytest.mark.parametrize("target", ["/", ".", ""])
def test_a_folder_is_no_file_to_write(answers, target):
    server, api = answers(build_reply(200, b"fresh", "Content-Disposition: attachment"))
    with pytest.raises(IsADirectoryError):
        api.call("export_articles", "bioc-xml", target)
    assert server.requests == []


def test_a_download_takes_no_more_memory_than_a_piece(answers, tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "LARGEST_ANSWER", 1000)
    largest = []
    add_piece = connection.AnswerCollector.add_piece

    def measure(collector, piece):
        largest.append(len(piece) + len(collector.body))
        add_piece(collector, piece)

    monkeypatch.setattr(connection.AnswerCollector, "add_piece", measure)
    _, api = answers(build_reply(200, b"x" * 5_000_000, "Content-Disposition: attachment; filename=x"))
    assert api.call("export_articles", "ndjson", tmp_path / "all").stat().st_size == 5_000_000
    assert max(largest) <= connection.PIECE_BYTES


@pytest.mark.parametrize("status", [429, 503])
def test_reading_waits_as_the_server_asks(answers, no_pauses, status):
    busy = build_reply(status, PROBLEM, "Retry-After: 7")
    server, api = answers(busy, busy, build_reply(200, EMPTY_LIST))
    assert api.call("list_servers") == []
    assert (len(server.requests), no_pauses) == (3, [7, 7])


def test_it_waits_no_longer_than_allowed(answers, no_pauses):
    server, api = answers(build_reply(429, PROBLEM, "Retry-After: 7"), max_wait=5)
    with pytest.raises(RateLimitError, match=r"Too many\.") as raised:
        api.call("list_servers")
    assert (raised.value.retry_after, raised.value.code, len(server.requests)) == (7, "throttled", 1)


@pytest.mark.parametrize("wait", ["soon", "-1", "9" * 400, "", "²"])
def test_it_repeats_nothing_without_a_time_to_wait(answers, wait):
    server, api = answers(build_reply(503, PROBLEM, f"Retry-After: {wait}".encode().decode("latin-1")))
    with pytest.raises(UnavailableError):
        api.call("list_servers")
    assert len(server.requests) == 1


def test_what_changes_something_is_sent_once(answers):
    server, api = answers(build_reply(503, PROBLEM, "Retry-After: 1"))
    with pytest.raises(UnavailableError) as raised:
        api.call("start_server", "genedict")
    assert (raised.value.retry_after, len(server.requests)) == (1, 1)


@pytest.mark.parametrize(
    "body",
    [
        b"<h1>Server Error</h1>",
        {"detail": 5},
        {"detail": "x", "code": "y", "errors": [1]},
        {"detail": "x", "code": "y", "errors": [{"line": float("inf")}]},
    ],
)
def test_a_failure_without_a_problem_is_told_by_its_status(answers, body):
    _, api = answers(build_reply(500, body))
    with pytest.raises(ServerFailureError, match="answered 500"):
        api.call("list_servers")


def test_waiting_for_an_upload_ends(answers, no_pauses):
    upload = {
        **dict.fromkeys(("team", "name", "source", "sha256"), "x"),
        **{"id": 1, "size": 1, "state": "waiting", "received": "2026-03-02T12:00:00Z"},
        **{"run": None, "faults": [], "warnings": []},
    }
    _, api = answers(build_reply(200, upload), build_reply(200, {**upload, "state": "taken", "run": 3}))
    assert api.call("wait_for_upload", 1).run == 3
    _, api = answers(build_reply(200, upload))
    with pytest.raises(StillWorkingError):
        api.call("wait_for_upload", 1, within=0.5)


def test_it_says_when_nobody_answers(side):
    with pytest.raises(UnreachableError, match="cannot be reached"):
        side("http://127.0.0.1:9", TOKEN).call("list_servers")


def test_it_says_when_no_host_can_have_the_name(side):
    with pytest.raises(UnreachableError, match="cannot be reached"):
        side(f"https://{'a' * 70}.example", TOKEN).call("list_servers")


def test_what_is_not_encrypted_goes_to_no_proxy(answers, monkeypatch):
    proxy, _ = answers(build_reply(200, EMPTY_LIST))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    server, api = answers(build_reply(200, EMPTY_LIST))
    api.call("list_servers")
    assert (len(proxy.requests), len(server.requests)) == (0, 1)


def test_it_gives_up_a_server_that_stays_silent(side):
    with (
        FakeServer(lambda _, closing: closing.wait(30)) as server,
        pytest.raises(UnreachableError, match="did not answer in time"),
    ):
        side(server.url, TOKEN, timeout=0.2).call("list_servers")


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_it_sends_no_name_that_leads_elsewhere(side, name):
    with pytest.raises(ConfigurationError, match="not a name"):
        side("https://bcms.example.org", TOKEN).call("get_server", name)


def test_names_are_escaped(answers):
    server, api = answers(build_reply(404, PROBLEM))
    with pytest.raises(Exception, match=r"Too many\."):
        api.call("get_server", "a/../b?c#d é")
    assert server.requests[0].startswith(b"GET /api/v1/servers/a%2F..%2Fb%3Fc%23d%20%C3%A9/ ")
