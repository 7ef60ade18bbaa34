"""An annotation server in ten lines:

    from annotations.kinds import Finding, Kind
    from servers.kit.serving import serve

    def annotate(article):
        at = article.text.find("p53")
        if at >= 0:
            yield Finding(Kind.MENTION, start=at, end=at + 3, text="p53", confidence=0.9)

    serve(annotate, port=9000)

It speaks BCMS XML-RPC: register its address, http://127.0.0.1:9000/, with the kind "mention".
"""

import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from socketserver import ThreadingMixIn
from xmlrpc.client import Fault
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

from annotations.kinds import Finding
from servers.kit.articles import KitArticle, read_article
from servers.kit.failures import Failure, Failures, break_rule
from servers.protocols.bcms import to_struct

Annotate = Callable[[KitArticle], Iterable[Finding]]

HTML_ERROR = b"<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>"
GARBAGE = b"%PDF-1.4 \x00\xff this is not what was asked for"


class Handler(SimpleXMLRPCRequestHandler):
    """Answers one POST, or fails in the way that was drawn for it."""

    rpc_paths = ("/", "/RPC2")
    server: "AnnotationServer"

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        self.failure = self.server.failures.draw()
        time.sleep(self.server.delay)
        match self.failure:
            case Failure.DROPPED:
                self.drop()
            case Failure.HTML:
                self.reply(500, "text/html", HTML_ERROR)
            case Failure.GARBAGE:
                self.reply(200, "text/xml", GARBAGE)
            case _:
                super().do_POST()

    def _dispatch(self, method: str, params: tuple[object, ...]) -> dict[str, object]:
        if self.failure is Failure.FAULT:
            raise Fault(500, "The annotator ran out of memory (a failure made on purpose).")
        return self.server.answer(method, params, spoil=self.failure is Failure.BROKEN_RULE)

    def drop(self) -> None:
        """Promise a thousand bytes, send a few and hang up."""
        self.take_body()
        self.send_response(200)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"<?xml version='1.0'?><methodResponse><params>")
        self.close_connection = True

    def reply(self, status: int, content_type: str, body: bytes) -> None:
        self.take_body()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def take_body(self) -> None:
        """Read what was sent: hanging up on unread bytes would reset the connection before our answer is read."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))


class AnnotationServer(ThreadingMixIn, SimpleXMLRPCServer):
    """Serves one annotate function at one address. Port 0 takes any free port; `address` says which."""

    daemon_threads = True

    def __init__(
        self, annotate: Annotate, address: tuple[str, int], *, method: str, delay: float, failures: Failures
    ) -> None:
        super().__init__(address, requestHandler=Handler, logRequests=False)
        self.annotate = annotate
        self.method = method
        self.delay = delay
        self.failures = failures

    @property
    def address(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://{host}:{port}/"

    def answer(self, method: str, params: tuple[object, ...], *, spoil: bool) -> dict[str, object]:
        """The struct for one article. What goes wrong in annotate is printed here and becomes a fault for the asker."""
        if method != self.method:
            raise Fault(1, f"This server has one method, {self.method}, not {method}.")
        if len(params) != 1:
            raise Fault(2, f"{self.method} takes one parameter, the article; {len(params)} were sent.")
        article = article_of(params[0])
        try:
            findings = list(self.annotate(article))
        except Fault:
            raise
        except Exception:
            traceback.print_exc()
            raise
        return to_struct(break_rule(findings) if spoil else findings, len(article.title))


def article_of(sent: object) -> KitArticle:
    try:
        return read_article(sent)
    except ValueError as error:
        raise Fault(2, str(error)) from error


def serve(
    annotate: Annotate,
    *,
    port: int,
    host: str = "127.0.0.1",
    method: str = "Annotator.getAnnotation",
    delay: float = 0.0,
    failure_rate: float = 0.0,
    seed: int = 0,
) -> None:
    """Answer at http://host:port/ until SIGTERM or Ctrl-C.

    annotate may be called by several threads at once. port 0 takes any free port; the address is printed either way.
    delay is seconds added to each call; failure_rate is the share of calls, 0 to 1, that fail in one of the ways of
    servers.kit.failures, drawn with the seed. Exits with status 1 and a sentence when the port cannot be had.
    """
    failures = Failures(failure_rate, seed)
    try:
        server = AnnotationServer(annotate, (host, port), method=method, delay=delay, failures=failures)
    except (OSError, OverflowError) as error:
        sys.exit(f"Cannot listen on {host}:{port}: {error}. Stop what is using it or choose another port.")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    with server:
        print(f"Answering {method} at {server.address}", flush=True)
        server.serve_forever()


def leave(*_: object) -> None:
    """Ends serve_forever from within its own thread, where shutdown() would wait for itself."""
    sys.exit(0)
