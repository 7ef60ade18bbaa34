"""A real annotation server on loopback whose behaviour a test writes down."""

import threading
from collections.abc import Callable
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer


class QuietHandler(SimpleXMLRPCRequestHandler):
    rpc_paths = ("/", "/RPC2")


class ThreadingServer(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True


class Annotator:
    """behave gets what was sent and returns the answer's struct; what was asked is kept in order."""

    def __init__(self, behave: Callable[[object], object]) -> None:
        self.behave = behave
        self.asked: list[object] = []
        self.at_once = 0
        self.most_at_once = 0
        self.guard = threading.Lock()
        self.server = ThreadingServer(("127.0.0.1", 0), requestHandler=QuietHandler, logRequests=False, allow_none=True)
        self.server.register_function(self.annotate, "Annotator.getAnnotation")

    def annotate(self, sent: object) -> object:
        with self.guard:
            self.asked.append(sent)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self.behave(sent)
        finally:
            with self.guard:
                self.at_once -= 1

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/"

    def __enter__(self) -> "Annotator":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
