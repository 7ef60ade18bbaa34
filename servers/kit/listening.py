"""A listener of its own for servers that call back, so that they can be checked without the site."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from servers.client import MOST_BYTES
from servers.protocols.becalm_answers import Code, Refusal, read_predictions

PATH = "/api/saveAnnotations/"


class Listener:
    """Takes saveAnnotations on loopback; wait_for gives what came for a communication id."""

    def __init__(self, port: int = 0) -> None:
        self.came: dict[str, tuple[str, bytes]] = {}
        self.news = threading.Condition()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), handler_for(self.take))

    @property
    def url(self) -> str:
        """What the server to be checked must be told to call, with JSON, TSV or BIOC behind it."""
        return f"http://127.0.0.1:{self.server.server_address[1]}{PATH}"

    def __enter__(self) -> "Listener":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def wait_for(self, reference: int, seconds: float) -> tuple[str, bytes] | None:
        """The form and body that came for this id, None when nothing comes in time."""
        with self.news:
            self.news.wait_for(lambda: str(reference) in self.came, max(seconds, 0.0))
            return self.came.get(str(reference))

    def take(self, form: str, reference: str, body: bytes) -> Refusal | None:
        """Keep what is in form; what is wrong with it else."""
        faults = read_predictions(form, body).faults
        if faults:
            return faults[0]
        with self.news:
            self.came.setdefault(reference, (form, body))
            self.news.notify_all()
        return None


Take = Callable[[str, str, bytes], Refusal | None]


def handler_for(take: Take) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            split = urlsplit(self.path)
            body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MOST_BYTES))
            form = split.path.removeprefix(PATH).strip("/").lower()
            reference = parse_qs(split.query).get("communicationId", [""])[0]
            refused = take(form, reference, body) if form in ("json", "tsv", "bioc") else None
            self.answer(refused.code if refused else None, refused.broken.message if refused else "")

        def answer(self, code: Code | None, message: str) -> None:
            status = 200 if code is None else 400
            said = {"status": status, "success": code is None, "message": message}
            said |= {"errorName": code.name if code else "", "errorCode": str(int(code)) if code else ""}
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The report alone speaks."""

    return Handler
