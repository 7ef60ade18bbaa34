"""Annotation servers that survive every crash and count their requests, by article and at the same time.

Of four sorts: those that answer at once, those that take several articles in one request, those that accept and give
their result later, and those that call back.
Connections of dead processes do not count as simultaneous.
"""

import json
import threading
import time
import urllib.error
import urllib.request
import xmlrpc.client
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import MSG_DONTWAIT, MSG_PEEK, socket
from typing import Any

FOUND = xmlrpc.client.dumps(
    ({"mentions": [{"section": "title", "offset": 0, "mention": "CDH1", "confidence": 0.5}]},), methodresponse=True
).encode()
FOUND_JSON = {"annotations": {"mention": [{"start": 0, "end": 4, "text": "CDH1"}]}}
CALL_BACK_SECONDS = 60.0


@dataclass
class RequestCounts:
    """requests: by article."""

    requests: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    open: list[socket] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def count_request(self, connection: socket, *articles: str):
        with self.guard:
            self.requests.update(articles)
            self.open = [other for other in self.open if is_alive(other)] + [connection]
            self.most_at_once = max(self.most_at_once, len(self.open))
        try:
            yield
        finally:
            with self.guard:
                self.open = [other for other in self.open if other is not connection]


def is_alive(connection: socket) -> bool:
    """Whether the other side still waits for its answer."""
    try:
        return bool(connection.recv(1, MSG_PEEK | MSG_DONTWAIT))
    except BlockingIOError:
        return True
    except OSError:
        return False


Behaviour = Callable[["Annotator", BaseHTTPRequestHandler, bytes], None]


class Annotator:
    def __init__(self, protocol: str, seconds: float) -> None:
        self.protocol = protocol
        self.seconds = seconds
        self.counts = RequestCounts()
        # Of those that answer later: when each task is done; of those that call back: where, and with which key.
        self.tasks: dict[str, float] = {}
        self.call_back_to = ""
        behaviour = BEHAVIOURS[protocol]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                behaviour(outer, self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                outer.answer_task_request(self)

            def log_message(self, *_: object) -> None:
                """Nothing to the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/"

    def answer_task_request(self, handler: BaseHTTPRequestHandler) -> None:
        if time.monotonic() < self.tasks[handler.path]:
            send_reply(handler, 202, {}, {"Retry-After": "1"})
        else:
            send_reply(handler, 200, FOUND_JSON)


def send_reply(
    handler: BaseHTTPRequestHandler, status: int, content: object, headers: dict[str, str] | None = None
) -> None:
    """A client that has died meanwhile is ignored."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    try:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), "Connection": "close", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
    except OSError:
        handler.close_connection = True


def answer_at_once(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    (sent,), _ = xmlrpc.client.loads(body)
    with annotator.counts.count_request(handler.connection, sent["id"]):
        time.sleep(annotator.seconds)
    send_reply(handler, 200, FOUND)


def answer_several_at_once(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    sent = json.loads(body)
    articles = [each["id"] for each in (sent if isinstance(sent, list) else [sent])]
    with annotator.counts.count_request(handler.connection, *articles):
        time.sleep(annotator.seconds)
    found = [{"id": article, **FOUND_JSON} for article in articles]
    send_reply(handler, 200, found if isinstance(sent, list) else found[0])


def accept_task(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    with annotator.counts.count_request(handler.connection, json.loads(body)["id"]):
        location = f"/tasks/{sum(annotator.counts.requests.values())}"
        annotator.tasks[location] = time.monotonic() + annotator.seconds
    send_reply(handler, 202, {}, {"Location": location, "Retry-After": "1"})


def acknowledge_request(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    parameters = json.loads(body)["parameters"]
    article = parameters["documents"][0]["document_id"]
    with annotator.counts.count_request(handler.connection, article):
        arguments = (annotator, article, parameters["communication_id"])
        threading.Thread(target=call_back, args=arguments, daemon=True).start()
    send_reply(handler, 200, {"status": 200, "success": True, "data": []})


def call_back(annotator: Annotator, article: str, reference: int) -> None:
    """Send the answer until the site has accepted or refused it."""
    time.sleep(annotator.seconds)
    found = {"document_id": article, "section": "T", "init": 0, "end": 4, "score": 0.5, "annotated_text": "CDH1"}
    body = json.dumps([{**found, "type": "GENE", "database_id": "uniprot:P12830"}]).encode()
    request = urllib.request.Request(f"{annotator.call_back_to}&communicationId={reference}", data=body)
    until = time.monotonic() + CALL_BACK_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(request, timeout=10):
                return
        except urllib.error.HTTPError as error:
            if error.code < 500:
                return
        except OSError:
            pass
        time.sleep(0.3)


BEHAVIOURS: dict[str, Any] = {
    "bcms": answer_at_once,
    "batches": answer_several_at_once,
    "rest": accept_task,
    "becalm": acknowledge_request,
}
