"""A web server behind the proxy that says what it gets, and how much of an answer has been taken."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = b"x" * 100_000
PIECES = 1_000


class Backend(ThreadingHTTPServer):
    """requests: what has arrived; pieces_sent: of the answer to /long."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.requests: list[str] = []
        self.pieces_sent = 0
        super().__init__(("127.0.0.1", port), Handler)


class Handler(BaseHTTPRequestHandler):
    """Answers with the headers of the request and the length of its body, or with /long."""

    protocol_version = "HTTP/1.1"
    server: Backend

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        if self.path == "/long":
            self.send_long()
            return
        # A body that is not handed on cannot be read.
        refused = self.headers.get("Content-Length", "").startswith("99")
        body = b"" if refused else self.rfile.read(int(self.headers.get("Content-Length") or 0))
        facts = {"method": self.command, "headers": dict(self.headers), "body": len(body)}
        answer = json.dumps(facts).encode()
        self.send_response(413 if refused else 200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.close_connection = refused

    do_POST = do_GET

    def send_long(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(PIECE) * PIECES))
        self.end_headers()
        for _ in range(PIECES):
            self.wfile.write(PIECE)
            self.server.pieces_sent += 1

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def run_backend(port: int) -> Iterator[Backend]:
    with Backend(port) as backend:
        threading.Thread(target=backend.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield backend
        backend.shutdown()
