"""A real HTTP server on loopback that answers each request as a test says: (status, headers, JSON or bytes)."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class TaskRequest:
    method: str
    path: str
    type: str
    body: bytes

    @property
    def json(self) -> dict:
        return json.loads(self.body)


TaskReply = tuple[int, dict[str, str], object]


class TaskServer:
    """behave gets each request in turn; what was asked is kept in order."""

    def __init__(self, behave: Callable[[TaskRequest], TaskReply]) -> None:
        self.asked: list[TaskRequest] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                asked = TaskRequest(self.command, self.path, self.headers.get("Content-Type", ""), body)
                outer.asked.append(asked)
                status, headers, said = behave(asked)
                content = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(content))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

            def log_message(self, *_: object) -> None:
                """Nothing to the terminal."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/"

    def __enter__(self) -> "TaskServer":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
