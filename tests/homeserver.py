"""A stand-in for a homeserver of Matrix on loopback, with one account in one room, strict about what it accepts.

It refuses with the errors of Synapse 1.163, and stores one event for each transaction ID of a token.
"""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

ROOM = "!kept/Secret:bcms.test"
TOKEN = "syt_Ym90_s3cretS3cretS3cret_1abcde"
PATH = re.compile(r"/_matrix/client/v3/rooms/([^/]+)/send/m\.room\.message/([^/?]+)")


class Homeserver:
    """pauses: the milliseconds that the next answers, which are 429, ask to wait, in a header or in the body."""

    def __init__(self, *pauses: int, pauses_in_header: bool = False) -> None:
        self.pauses = list(pauses)
        self.pauses_in_header = pauses_in_header
        self.token = TOKEN
        self.is_member = True
        self.requests = 0
        self.events: dict[str, dict[str, object]] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), make_homeserver_handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> "Homeserver":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, object]]:
        self.requests += 1
        match = PATH.fullmatch(path)
        if match is None:
            return 404, make_error("M_UNRECOGNIZED", "Unrecognized request")
        if headers.get("authorization") != f"Bearer {self.token}":
            return 401, {**make_error("M_UNKNOWN_TOKEN", "Invalid access token passed."), "soft_logout": False}
        if self.pauses:
            refusal = make_error("M_LIMIT_EXCEEDED", "Too Many Requests")
            return 429, refusal if self.pauses_in_header else {**refusal, "retry_after_ms": self.pauses.pop(0)}
        room, transaction = (unquote(part) for part in match.groups())
        if room != ROOM or not self.is_member:
            return 403, make_error("M_FORBIDDEN", f"User @bot:bcms.test not in room {room}")
        if headers.get("content-type") != "application/json":
            return 400, make_error("M_NOT_JSON", "Content not JSON.")
        content = json.loads(body)
        if not (content.get("msgtype") == "m.text" and isinstance(content.get("body"), str)):
            return 400, make_error("M_BAD_JSON", "No message")
        self.events.setdefault(transaction, content)
        return 200, {"event_id": f"${transaction}"}


def make_error(code: str, text: str) -> dict[str, object]:
    return {"errcode": code, "error": text}


def make_homeserver_handler(homeserver: Homeserver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, content = homeserver.answer(self.path, headers, body)
            answer = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            if status == 429 and homeserver.pauses_in_header:
                self.send_header("Retry-After", str(homeserver.pauses.pop(0) // 1000))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
