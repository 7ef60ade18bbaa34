"""How a server of the kit answers a POST in each protocol, or fails on purpose."""

import json
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from threading import Thread
from typing import Protocol
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from xmlrpc.client import Fault
from xmlrpc.server import SimpleXMLRPCRequestHandler

from annotations.schema import AnnotationData
from servers.kit.articles import (
    KitArticle,
    parse_becalm_request,
    parse_pubannotation_request,
    parse_rest_request,
    parse_xmlrpc_article_parameter,
    read_becalm_documents,
)
from servers.kit.failures import Failure, FailureGenerator, shift_mentions_and_overrate_others
from servers.kit.signatures import SignatureError, verify_signature
from servers.protocols.bcms_xmlrpc import build_answer_struct
from servers.protocols.open_members.built_documents import build_pubannotation_document
from servers.protocols.open_members.built_predictions import AnnotatedDocument, build_becalm_callback
from servers.protocols.rest import build_rest_answer

Annotate = Callable[[KitArticle], Iterable[AnnotationData]]

HTML_ERROR = b"<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>"
GARBAGE = b"%PDF-1.4 \x00\xff this is not an answer"
CALLBACK_SECONDS, MOST_PRINTED = 60.0, 2000
OUT_OF_MEMORY = "The annotator ran out of memory (a failure made on purpose)."


@dataclass(frozen=True, slots=True)
class CallbackAddress:
    """Where a BeCalm server sends its annotations: the URL without the format at its end, and the server's key."""

    url: str = ""
    key: str = field(default="", repr=False)


class ServedAnnotator(Protocol):
    """The attributes of its server that a handler uses.

    delay is in seconds; with the signing_secret "" calls need no signature.
    """

    annotate: Annotate
    method: str
    delay: float
    failures: FailureGenerator
    signing_secret: str
    callback: CallbackAddress


class AnnotationHandler(BaseHTTPRequestHandler, ABC):
    """The base of the handlers of all protocols. Subclasses set content_type and answer_start and answer requests."""

    server: ServedAnnotator  # type: ignore[assignment]
    content_type = ""
    answer_start = b""

    def do_POST(self) -> None:
        if not self.accept_signed_body():
            return
        self.failure = self.server.failures.draw_failure()
        time.sleep(self.server.delay)
        match self.failure:
            case Failure.DROPPED:
                self.drop_connection()
            case Failure.HTML:
                self.read_body()
                self.send_reply(500, "text/html", HTML_ERROR)
            case Failure.GARBAGE:
                self.read_body()
                self.send_reply(200, self.content_type, GARBAGE)
            case _:
                self.answer_request()

    def accept_signed_body(self) -> bool:
        """Whether the call is signed as it has to be; answers with 401 if not."""
        if self.server.signing_secret:
            body = self.read_body()
            try:
                verify_signature(self.headers, body, self.server.signing_secret)
            except SignatureError as error:
                self.send_reply(401, "text/plain", str(error).encode())
                return False
            self.rfile = BytesIO(body)
        return True

    @abstractmethod
    def answer_request(self) -> None:
        """Read the request and send an answer or an error."""

    def annotate_article(self, article: KitArticle) -> list[AnnotationData]:
        """The annotations, made invalid if that failure was drawn; exceptions are printed and raised again."""
        try:
            annotations = list(self.server.annotate(article))
        except Fault:
            raise
        except Exception:
            traceback.print_exc()
            raise
        return shift_mentions_and_overrate_others(annotations) if self.failure is Failure.BROKEN_RULE else annotations

    def drop_connection(self) -> None:
        """Announce 1000 bytes, send a few and close the connection."""
        self.read_body()
        self.send_response(200)
        self.send_header("Content-Type", self.content_type)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(self.answer_start)
        self.close_connection = True

    def send_reply(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        """Log nothing, so that only the annotator's own output is printed."""

    def read_body(self) -> bytes:
        """The request body; leaving bytes unread would reset the connection before the client has our answer."""
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))


class XmlRpcHandler(AnnotationHandler, SimpleXMLRPCRequestHandler):
    """BCMS XML-RPC; an invalid call is answered with a fault."""

    rpc_paths = ("/", "/RPC2")
    content_type = "text/xml"
    answer_start = b"<?xml version='1.0'?><methodResponse><params>"

    def answer_request(self) -> None:
        SimpleXMLRPCRequestHandler.do_POST(self)

    def _dispatch(self, method: str, params: tuple[object, ...]) -> dict[str, object]:
        if self.failure is Failure.FAULT:
            raise Fault(500, OUT_OF_MEMORY)
        if method != self.server.method:
            raise Fault(1, f"This server has one method, {self.server.method}, not {method}.")
        if len(params) != 1:
            raise Fault(2, f"{method} takes one parameter, the article, but got {len(params)}.")
        try:
            article = parse_xmlrpc_article_parameter(params[0])
        except ValueError as error:
            raise Fault(2, str(error)) from error
        return build_answer_struct(self.annotate_article(article), len(article.title), with_open_members=True)


class JsonHandler(AnnotationHandler):
    """JSON over HTTP, one article or an array of several.

    An invalid request is answered with {"error": one sentence} and a status of its own.
    """

    content_type = "application/json"
    answer_start = b'{"annotations": {'

    def answer_request(self) -> None:
        status, value = self.build_answer()
        self.send_reply(status, self.content_type, json.dumps(value).encode())

    def build_answer(self) -> tuple[int, Mapping[str, object] | Sequence[Mapping[str, object]]]:
        body = self.read_body()
        if self.failure is Failure.FAULT:
            return 500, {"error": OUT_OF_MEMORY}
        try:
            request = self.parse_articles(body)
        except ValueError as error:
            return 400, {"error": str(error)}
        try:
            if isinstance(request, list):
                return 200, [self.answer_article(article) for article in request]
            return 200, self.answer_article(request)
        except Fault as fault:
            return 400, {"error": fault.faultString}
        except Exception as error:  # noqa: BLE001 - annotate may raise anything; annotate_article has printed it
            return 500, {"error": f"{type(error).__name__}: {error}"}

    @abstractmethod
    def parse_articles(self, body: bytes) -> KitArticle | list[KitArticle]:
        """The article or articles of a request. Raises ValueError with a sentence for the sender."""

    @abstractmethod
    def answer_article(self, article: KitArticle) -> Mapping[str, object]:
        """The answer for one article."""


class RestHandler(JsonHandler):
    """The REST protocol."""

    def parse_articles(self, body: bytes) -> KitArticle | list[KitArticle]:
        return parse_rest_request(body)

    def answer_article(self, article: KitArticle) -> Mapping[str, object]:
        return build_rest_answer(self.annotate_article(article), article.identifier)


class PubAnnotationHandler(JsonHandler):
    """PubAnnotation's protocol for annotators, by POST."""

    answer_start = b'{"denotations": ['

    def parse_articles(self, body: bytes) -> KitArticle | list[KitArticle]:
        return parse_pubannotation_request(body, self.headers.get("Content-Type", ""))

    def answer_article(self, article: KitArticle) -> Mapping[str, object]:
        return build_pubannotation_document(self.annotate_article(article), article.identifier, article.pmid)


class BecalmHandler(AnnotationHandler):
    """BeCalm's protocol: requests are acknowledged, and the annotations of all their documents sent to a call-back."""

    content_type = "application/json"
    answer_start = b'{"status": 200, '

    def answer_request(self) -> None:
        body = self.read_body()
        try:
            if self.failure is Failure.FAULT:
                raise ValueError(OUT_OF_MEMORY)
            values = self.accept_call(parse_becalm_request(body))
        except ValueError as error:
            values = {"status": 400, "success": False, "message": str(error)}
        self.send_reply(200, self.content_type, json.dumps(values).encode())

    def accept_call(self, call: Mapping[str, object]) -> dict[str, object]:
        accepted: dict[str, object] = {"status": 200, "success": True, "key": call.get("becalm_key", "")}
        if call["method"] == "getState":
            return accepted | {"data": {"state": "Running"}}
        if call["method"] != "getAnnotations":
            raise ValueError(f"This server has the methods getAnnotations and getState, not {call['method']}.")
        communication_id, articles = read_becalm_documents(call)
        Thread(target=self.call_back, args=[communication_id, articles], daemon=True).start()
        return accepted

    def call_back(self, communication_id: str, articles: Sequence[KitArticle]) -> None:
        """Annotate the articles and send all annotations; what goes wrong is printed, and nothing is sent."""
        documents = [
            AnnotatedDocument(article.identifier, article.title, article.abstract, self.annotate_article(article))
            for article in articles
        ]
        form, body = build_becalm_callback(documents)
        parameters = urlencode({"apikey": self.server.callback.key, "communicationId": communication_id})
        url = f"{self.server.callback.url.rstrip('/')}/{form}?{parameters}"
        try:
            urlopen(Request(url, body, {"Content-Type": "text/plain"}), timeout=CALLBACK_SECONDS).close()
        except HTTPError as error:
            print(f"The call-back was refused: {error.read(MOST_PRINTED).decode(errors='replace')}", flush=True)
        except OSError as error:
            print(f"The call-back could not be sent: {error}", flush=True)
