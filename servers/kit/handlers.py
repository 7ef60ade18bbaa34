"""How a server of the kit answers one POST in each protocol, or fails in the way that was drawn for it."""

import json
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Protocol
from xmlrpc.client import Fault
from xmlrpc.server import SimpleXMLRPCRequestHandler

from annotations.kinds import Finding
from servers.kit.articles import KitArticle, read_article, read_question
from servers.kit.failures import Failure, Failures, break_rule
from servers.protocols.bcms import to_struct
from servers.protocols.rest import to_answer

Annotate = Callable[[KitArticle], Iterable[Finding]]

HTML_ERROR = b"<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>"
GARBAGE = b"%PDF-1.4 \x00\xff this is not what was asked for"
OUT_OF_MEMORY = "The annotator ran out of memory (a failure made on purpose)."


class Serving(Protocol):
    """What a handler knows of its server; delay is in seconds."""

    annotate: Annotate
    method: str
    delay: float
    failures: Failures


class AnnotationHandler(BaseHTTPRequestHandler, ABC):
    """What both protocols share. A subclass says what its answers are and how they begin, and speaks."""

    server: Serving  # type: ignore[assignment]
    content_type = ""
    beginning = b""

    def do_POST(self) -> None:
        self.failure = self.server.failures.draw()
        time.sleep(self.server.delay)
        match self.failure:
            case Failure.DROPPED:
                self.drop()
            case Failure.HTML:
                self.take_body()
                self.reply(500, "text/html", HTML_ERROR)
            case Failure.GARBAGE:
                self.take_body()
                self.reply(200, self.content_type, GARBAGE)
            case _:
                self.speak()

    @abstractmethod
    def speak(self) -> None:
        """Answer the request."""

    def findings(self, article: KitArticle) -> list[Finding]:
        """What annotate finds, spoilt if that was drawn; what goes wrong in it is printed here and raised."""
        try:
            found = list(self.server.annotate(article))
        except Fault:
            raise
        except Exception:
            traceback.print_exc()
            raise
        return break_rule(found) if self.failure is Failure.BROKEN_RULE else found

    def drop(self) -> None:
        """Promise a thousand bytes, send a few and hang up."""
        self.take_body()
        self.send_response(200)
        self.send_header("Content-Type", self.content_type)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(self.beginning)
        self.close_connection = True

    def reply(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        """Nothing: what is printed is the annotator's."""

    def take_body(self) -> bytes:
        """What was sent: hanging up on unread bytes would reset the connection before our answer is read."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))


class XmlRpcHandler(AnnotationHandler, SimpleXMLRPCRequestHandler):
    """BCMS XML-RPC; faults say what is wrong with a call."""

    rpc_paths = ("/", "/RPC2")
    content_type = "text/xml"
    beginning = b"<?xml version='1.0'?><methodResponse><params>"

    def speak(self) -> None:
        SimpleXMLRPCRequestHandler.do_POST(self)

    def _dispatch(self, method: str, params: tuple[object, ...]) -> dict[str, object]:
        if self.failure is Failure.FAULT:
            raise Fault(500, OUT_OF_MEMORY)
        if method != self.server.method:
            raise Fault(1, f"This server has one method, {self.server.method}, not {method}.")
        if len(params) != 1:
            raise Fault(2, f"{method} takes one parameter, the article; {len(params)} were sent.")
        try:
            article = read_article(params[0])
        except ValueError as error:
            raise Fault(2, str(error)) from error
        return to_struct(self.findings(article), len(article.title))


class RestHandler(AnnotationHandler):
    """JSON over HTTP; what is wrong with a request is {"error": one sentence} with a status of its own."""

    content_type = "application/json"
    beginning = b'{"annotations": {'

    def speak(self) -> None:
        status, value = self.answer()
        self.reply(status, self.content_type, json.dumps(value).encode())

    def answer(self) -> tuple[int, Mapping[str, object]]:
        body = self.take_body()
        if self.failure is Failure.FAULT:
            return 500, {"error": OUT_OF_MEMORY}
        try:
            article = read_question(body)
        except ValueError as error:
            return 400, {"error": str(error)}
        try:
            return 200, to_answer(self.findings(article), article.identifier)
        except Fault as fault:
            return 400, {"error": fault.faultString}
        except Exception as error:  # noqa: BLE001 - whatever annotate raises, which has been printed
            return 500, {"error": f"{type(error).__name__}: {error}"}
