"""A real receiver of webhooks on loopback: what came to it, and the statuses with which it answers."""

import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Message:
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """Answers each message with the next of statuses, the last one for ever; a redirect leads to location."""

    def __init__(self, *statuses: int, answer: bytes = b"thanks", location: str = "") -> None:
        self.statuses = list(statuses or [204])
        self.answer = answer
        self.location = location
        self.came: list[Message] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), make_receiver_handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/bcms"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def make_receiver_handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.came.append(Message(self.path, headers, body))
            status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
            answer = b"" if status == 204 else receiver.answer
            self.send_response(status)
            if receiver.location:
                self.send_header("Location", receiver.location)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        do_PUT = do_POST

        def log_message(self, *_: object) -> None:
            pass

    return Handler
