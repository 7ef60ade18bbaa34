"""The client for participants waits when the server says that it was asked too often, and not for ever."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

CLIENT = Path(__file__).resolve().parents[4] / "servers/kit/bcms.py"
TOO_OFTEN = {"detail": "An address without a login may send 300 requests per minute to the API.", "errors": []}
SERVERS = {"results": [], "next": None}


class BusyHandler(BaseHTTPRequestHandler):
    """Answers with the headers of each refusal in turn, and then with what it was asked for."""

    def do_GET(self):
        self.server.asked += 1
        refusal = next(self.server.refusals, None)
        self.send_response(200 if refusal is None else 429)
        for name, value in (refusal or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(json.dumps(SERVERS if refusal is None else TOO_OFTEN).encode())

    def log_message(self, *_):
        """The test needs no log."""


@pytest.fixture
def busy(tmp_path) -> Iterator:
    """Runs the client against a server that refuses so often: how it ended, and how often it asked."""
    server = HTTPServer(("127.0.0.1", 0), BusyHandler)
    Thread(target=server.serve_forever, daemon=True).start()

    def run(*refusals):
        server.refusals, server.asked = iter(refusals), 0
        environment = {"BCMS_CONFIG": str(tmp_path / "none"), "BCMS_URL": f"http://127.0.0.1:{server.server_port}"}
        command = [sys.executable, str(CLIENT), "servers", "list", "--csv"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done, server.asked

    yield run
    server.shutdown()
    server.server_close()


def test_it_asks_again_when_the_server_says_so(busy):
    began = time.monotonic()
    done, asked = busy({"Retry-After": "1"}, {"Retry-After": "1"})
    assert (done.returncode, done.stdout.split()) == (0, ["slug,name,team.slug,state,kinds"])
    assert done.stderr.splitlines() == ["Too many requests; trying again in 1 s, as the server asks."] * 2
    assert (asked, time.monotonic() - began >= 2) == (3, True)


@pytest.mark.parametrize("refusal", [{"Retry-After": "3600"}, {"Retry-After": "soon"}, {"Retry-After": "9" * 5000}, {}])
def test_it_gives_up_at_once_when_that_is_late_or_unsaid(busy, refusal):
    done, asked = busy(refusal)
    assert (done.returncode, done.stderr, asked) == (1, f"{TOO_OFTEN['detail']}\n", 1)
