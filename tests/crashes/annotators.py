"""Annotation servers that outlive every crash and count: what they are asked for, and by how many at once.

Of three sorts: those that answer at once, those that accept and are asked for their result later, and those that call
back. Whoever died has hung up, and does not count among those who ask at once.
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
CALL_BACK_FOR = 60.0


@dataclass
class Count:
    """asked: how often for each article."""

    asked: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    open: list[socket] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def question(self, article: str, connection: socket):
        with self.guard:
            self.asked[article] += 1
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
        self.count = Count()
        # Of those that answer later: when each task is done; of those that call back: where, and with which key.
        self.tasks: dict[str, float] = {}
        self.call_back_to = ""
        behaviour = BEHAVIOURS[protocol]
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                behaviour(outer, self, self.rfile.read(int(self.headers["Content-Length"])))

            def do_GET(self) -> None:
                outer.tell_task(self)

            def log_message(self, *_: object) -> None:
                """Nothing to the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/"

    def tell_task(self, handler: BaseHTTPRequestHandler) -> None:
        if time.monotonic() < self.tasks[handler.path]:
            reply(handler, 202, {}, {"Retry-After": "1"})
        else:
            reply(handler, 200, FOUND_JSON)


def reply(handler: BaseHTTPRequestHandler, status: int, said: object, headers: dict[str, str] | None = None) -> None:
    """Whoever has died meanwhile is not missed."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
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
    with annotator.count.question(sent["id"], handler.connection):
        time.sleep(annotator.seconds)
    reply(handler, 200, FOUND)


def accept(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    with annotator.count.question(json.loads(body)["id"], handler.connection):
        place = f"/tasks/{sum(annotator.count.asked.values())}"
        annotator.tasks[place] = time.monotonic() + annotator.seconds
    reply(handler, 202, {}, {"Location": place, "Retry-After": "1"})


def acknowledge(annotator: Annotator, handler: BaseHTTPRequestHandler, body: bytes) -> None:
    parameters = json.loads(body)["parameters"]
    article = parameters["documents"][0]["document_id"]
    with annotator.count.question(article, handler.connection):
        arguments = (annotator, article, parameters["communication_id"])
        threading.Thread(target=call_back, args=arguments, daemon=True).start()
    reply(handler, 200, {"status": 200, "success": True, "data": []})


def call_back(annotator: Annotator, article: str, reference: int) -> None:
    """Until the site has taken it or refused it, as long as the site is away."""
    time.sleep(annotator.seconds)
    found = {"document_id": article, "section": "T", "init": 0, "end": 4, "score": 0.5, "annotated_text": "CDH1"}
    body = json.dumps([{**found, "type": "GENE", "database_id": "uniprot:P12830"}]).encode()
    request = urllib.request.Request(f"{annotator.call_back_to}&communicationId={reference}", data=body)
    until = time.monotonic() + CALL_BACK_FOR
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


BEHAVIOURS: dict[str, Any] = {"bcms": answer_at_once, "rest": accept, "becalm": acknowledge}
