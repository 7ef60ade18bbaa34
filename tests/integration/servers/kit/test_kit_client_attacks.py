"""The client for participants against servers that break off, lie, or send what steers a terminal."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakeserver import FakeServer

CLIENT = Path(__file__).resolve().parents[4] / "servers/kit/bcms.py"
ESCAPE = "\x1b]0;owned\x07\u202e"
TEXT = "Content-Type: text/plain"


def build_reply(status, body, *headers):
    """The bytes of an answer that ends the connection; a body that is not bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    lengths = [] if any(each.startswith(("Content-Length", "Transfer")) for each in headers) else [len(content)]
    head = [
        f"HTTP/1.1 {status} Status",
        "Connection: close",
        *(f"Content-Length: {each}" for each in lengths),
        *headers,
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + content


def build_problem(detail, errors=()):
    return build_reply(400, {"detail": detail, "code": "invalid", "errors": list(errors)})


@pytest.fixture
def run(tmp_path):
    """Runs the client with these arguments and variables of the environment; the finished process."""
    folder = tmp_path / "here"
    folder.mkdir()

    def begin(*arguments, **environment):
        environment = {"BCMS_CONFIG": str(tmp_path / "kept" / "bcms.json"), "PYTHONUTF8": "1", **environment}
        command = [sys.executable, str(CLIENT), *map(str, arguments)]
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, encoding="utf-8", timeout=60, check=False
        )
        assert "Traceback" not in done.stderr
        assert all(letter.isprintable() or letter in "\r\n" for letter in done.stdout + done.stderr)
        return done

    begin.folder = folder
    return begin


@pytest.fixture
def ask(run):
    """Runs the client against a server with these answers, the last one for ever: (process, requests)."""
    servers = []

    def begin(replies, *arguments, **environment):
        waiting = list(replies)
        server = FakeServer(lambda peer, _: peer.sendall(waiting.pop(0) if len(waiting) > 1 else waiting[0]))
        servers.append(server.__enter__())
        return run(*arguments, **{"BCMS_URL": server.url, "BCMS_TOKEN": "bcms_secret", **environment}), server.requests

    yield begin
    for server in servers:
        server.__exit__()


@pytest.mark.parametrize(
    "reply",
    [
        build_problem(f"No {ESCAPE}", [{"loc": ESCAPE, "code": ESCAPE, "message": ESCAPE}, {"line": ESCAPE}]),
        build_problem({"a": 1}, [1]),
        build_reply(500, f"<h1>{ESCAPE}".encode()),
        build_reply(302, b"", "Location: https://elsewhere.example/\x1b[2J"),
        build_reply(302, b"", "Location: http://["),
        build_reply(302, b""),
        build_reply(200, b"{"),
        build_reply(200, b"\xff"),
        build_reply(200, b"[" * 100_000),
        build_reply(200, b"null"),
        build_reply(200, {"results": 1, "next": None}),
        build_reply(200, {"results": ["x"], "next": None}),
        build_reply(200, {"results": [], "next": "http://["}),
        build_reply(200, {"results": [], "next": 5}),
        build_reply(200, b"half", "Content-Length: 800"),
        b"nonsense \x1b[2J\r\n\r\n",
        b"",
    ],
    ids=range(17),
)
def test_it_says_what_is_wrong_without_a_traceback(ask, reply):
    done, requests = ask([reply], "challenges", "list")
    assert (done.returncode, done.stdout, bool(done.stderr), len(requests)) == (1, "", True, 1)


def test_no_name_of_the_site_steers_the_terminal(ask):
    entry = {
        "slug": ESCAPE,
        "name": f"thin\u2009space {ESCAPE}",
        "team": {"slug": "a"},
        "state": "b",
        "kinds": [ESCAPE],
    }
    answer = build_reply(200, {"results": [entry], "next": None})
    assert "thin space \ufffd]0;owned" in ask([answer], "servers", "list")[0].stdout
    assert "thin space" in ask([answer], "servers", "list", "--csv")[0].stdout
    board = build_reply(200, {"measures": [{"name": ESCAPE}], "rows": []})
    assert "figures.\ufffd]0;" in ask([board], "leaderboard", "show", "a", "b", "c")[0].stdout
    run = {"score": {"figures": {ESCAPE: 0.5}}}
    assert "0.5000" in ask([build_reply(200, run)], "submissions", "show", "1")[0].stdout


CUT = {
    "length": build_reply(200, b"half", TEXT, "Content-Length: 8"),
    "chunk": build_reply(200, b"8\r\nhalf", TEXT, "Transfer-Encoding: chunked"),
    "last-chunk": build_reply(200, b"4\r\nhalf\r\n", TEXT, "Transfer-Encoding: chunked"),
    "page": build_reply(200, b"<title>Welcome to nginx</title>", "Content-Type: text/html; charset=utf-8"),
    "accepted": build_reply(202, b"{}"),
    "redirect": build_reply(302, b"", "Location: https://elsewhere.example/"),
    "nothing": b"",
}


@pytest.mark.parametrize("reply", CUT.values(), ids=CUT)
def test_a_download_is_whole_or_not_there(ask, run, reply):
    target = run.folder / "articles.tsv"
    target.write_text("those of yesterday")
    done, _ = ask([reply], "data", "download", "a", "b", "-o", "articles.tsv")
    assert (done.returncode, bool(done.stderr)) == (1, True)
    assert [(each.name, each.read_text()) for each in run.folder.iterdir()] == [("articles.tsv", "those of yesterday")]
    assert ask([reply], "data", "download", "a", "b")[0].returncode == 1


def test_a_whole_download_is_there(ask, run):
    for reply in (
        build_reply(200, b"fresh", TEXT),
        build_reply(200, b"5\r\nfresh\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
    ):
        ask([reply], "data", "download", "a", "b", "-o", "articles.tsv")
        assert [(each.name, each.read_text()) for each in run.folder.iterdir()] == [("articles.tsv", "fresh")]


def test_a_file_that_cannot_be_written_is_named(ask, run):
    done, _ = ask([build_reply(200, b"fresh", TEXT)], "data", "download", "a", "b", "-o", "none/articles.tsv")
    assert (done.returncode, "none/articles.tsv" in done.stderr) == (1, True)
    assert list(run.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["../out.tsv", ".profile", "bcms.py", "a/b.tsv", "..", "", "a\\b.tsv", 5])
def test_the_server_chooses_no_name_of_another_file(ask, run, name):
    scores = build_reply(200, {"files": [{"file": "gold.tsv", "name": name}], "current": []})
    done, requests = ask([scores, build_reply(200, b"bad", TEXT)], "leaderboard", "files", "a", "b", "c", "1")
    assert (done.returncode, len(requests), list(run.folder.parent.rglob("*.*"))) == (1, 1, [])


@pytest.mark.parametrize("name", ["..", ".", ""])
def test_it_sends_no_name_that_leads_elsewhere(ask, name):
    done, requests = ask([build_reply(200, {})], "phases", "list", name)
    assert (done.returncode, requests) == (1, [])


def test_names_are_escaped(ask):
    _, requests = ask([build_problem("No.")], "phases", "list", "a/../b?c#d")
    assert requests[0].startswith(b"GET /api/v1/challenges/a%2F..%2Fb%3Fc%23d/ ")


@pytest.mark.parametrize(
    "url",
    [
        "http://bcms.example.org",
        "ftp://127.0.0.1",
        "https://a:b@x",
        "https://x/?a",
        "bcms",
        "http://127.0.0.1.example.org",
    ],
)
def test_it_refuses_addresses_that_would_show_the_token(run, url):
    done = run("servers", "list", BCMS_URL=url, BCMS_TOKEN="bcms_secret")
    assert (done.returncode, "secret" in done.stderr, "cannot be reached" in done.stderr) == (1, False, False)


@pytest.mark.parametrize("token", ["two words", "a\nb", "é"])
def test_a_token_that_cannot_be_one_is_not_repeated(run, token):
    done = run("servers", "list", BCMS_URL="https://bcms.example.org", BCMS_TOKEN=token)
    assert (done.returncode, token in done.stderr) == (1, False)


def test_what_is_not_encrypted_goes_to_no_proxy(ask):
    proxy = FakeServer(lambda *_: None)
    with proxy:
        done, requests = ask(
            [build_reply(200, {"results": [], "next": None})],
            "servers",
            "list",
            HTTP_PROXY=proxy.url,
            http_proxy=proxy.url,
        )
    assert (done.returncode, len(requests), proxy.requests) == (0, 1, [])


def store_login(run, url, mode=0o600):
    file = run.folder.parent / "kept" / "bcms.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"url": url, "token": "bcms_stored"}))
    file.chmod(mode)


def list_sent_tokens(requests):
    return [line.split()[-1] for sent in requests for line in sent.split(b"\r\n") if line.startswith(b"Authorization")]


def test_the_token_of_the_login_goes_to_its_site_only(ask, run):
    answer = build_reply(200, {"results": [], "next": None})
    with FakeServer(lambda peer, _: peer.sendall(answer)) as site:
        store_login(run, site.url.rstrip("/"))
        run("servers", "list")
        run("servers", "list", BCMS_URL=site.url)
        run("servers", "list", BCMS_TOKEN="bcms_other")
        run("servers", "list", BCMS_TOKEN="")
        assert list_sent_tokens(site.requests) == [b"bcms_stored", b"bcms_stored", b"bcms_other"]
    with FakeServer(lambda peer, _: peer.sendall(answer)) as other:
        run("servers", "list", BCMS_URL=other.url)
        assert (len(other.requests), list_sent_tokens(other.requests)) == (1, [])


def test_a_login_that_others_can_read_is_not_used(run):
    store_login(run, "https://bcms.example.org", 0o644)
    assert "chmod 600" in run("servers", "list").stderr


def test_a_login_replaces_the_file(ask, run):
    store_login(run, "https://bcms.example.org", 0o644)
    file = run.folder.parent / "kept" / "bcms.json"
    other = run.folder / "other"
    other.write_text("mine")
    file.unlink()
    file.symlink_to(other)
    with FakeServer(lambda peer, _: peer.sendall(build_reply(200, {"results": [], "next": None}))) as site:
        assert run("login", site.url, "--token", "bcms_new").returncode == 0
        assert json.loads(file.read_text()) == {"url": site.url.rstrip("/"), "token": "bcms_new"}
    assert (other.read_text(), file.is_symlink(), file.stat().st_mode & 0o777) == ("mine", False, 0o600)
    assert [each.name for each in file.parent.iterdir()] == ["bcms.json"]
