"""A listener of its own for servers that call back, so that they can be checked without the site."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from servers.client import MOST_BYTES
from servers.protocols.becalm_answers import Code, faults_for, read_predictions

PATH = "/api/saveAnnotations/"
FORMS = {"JSON": "json", "TSV": "tsv", "BIOC": "bioc"}


class RefusedError(Exception):
    """Why a call-back is not taken: the protocol's code and one sentence."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Listener:
    """Takes saveAnnotations on loopback; wait_for gives the first that came for a communication id.

    documents is the document of each communication id that will be asked about. OSError or OverflowError when the port
    cannot be had; port 0 takes any free one.
    """

    def __init__(self, documents: Mapping[int, str], port: int = 0) -> None:
        self.documents = {str(reference): document for reference, document in documents.items()}
        self.came: dict[str, tuple[str, bytes]] = {}
        self.over: set[str] = set()
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
        name = str(reference)
        with self.news:
            self.news.wait_for(lambda: name in self.came, max(seconds, 0.0))
            self.over.add(name)
            return self.came.get(name)

    def take(self, form: str, reference: str, body: bytes) -> int:
        """Keep the first that comes for an id, whatever is wrong with it; the number of annotations.

        RefusedError as the site would refuse it, so that the server sees what it would see there.
        """
        if reference not in self.documents:
            raise RefusedError(Code.UNKNOWN_COMMUNICATION_ID, "There is no such communication id.")
        with self.news:
            self.check_open(reference)
            self.came[reference] = (form, body)
            self.news.notify_all()
        found = read_predictions(form, body)
        if faults := faults_for(found, self.documents[reference]):
            raise RefusedError(faults[0].code, faults[0].broken.message)
        return len(found.predictions)

    def check_open(self, reference: str) -> None:
        if reference in self.came:
            raise RefusedError(Code.REQUEST_CLOSED, "This question has been answered.")
        if reference in self.over:
            raise RefusedError(Code.REQUEST_EXPIRED, "The time for this answer is over.")


Take = Callable[[str, str, bytes], int]


def handler_for(take: Take) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            split = urlsplit(self.path)
            form = FORMS.get(split.path.removeprefix(PATH).strip("/").upper())
            if form is None:
                self.answer(404, {"success": False, "message": f"Call {PATH} with JSON, TSV or BIOC behind it."})
                return
            told = {name: values[0] for name, values in parse_qs(split.query).items()}
            try:
                number = take(form, self.reference_in(told), self.body())
            except RefusedError as refused:
                self.answer(400, said(400, told, refused))
            else:
                self.answer(200, said(200, told, None, f"{number} annotation{'' if number == 1 else 's'} taken."))

        def reference_in(self, told: Mapping[str, str]) -> str:
            if not told.get("communicationId") or not (told.get("apikey") or self.headers.get("Authorization")):
                raise RefusedError(Code.NEED_PARAMETERS, "Give apikey and communicationId in the address.")
            return told["communicationId"]

        def body(self) -> bytes:
            length = self.headers.get("Content-Length", "0")
            if not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
                raise RefusedError(Code.FORMAT_ERROR, f"Send at most {MOST_BYTES >> 20} MiB, with Content-Length.")
            return self.rfile.read(int(length))

        def answer(self, status: int, values: Mapping[str, object]) -> None:
            body = json.dumps(values).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The report alone speaks."""

    return Handler


def said(status: int, told: Mapping[str, str], refused: RefusedError | None, message: str = "") -> dict[str, object]:
    """The protocol's answer to a call-back."""
    return {
        "status": status,
        "success": refused is None,
        "becalmKey": told.get("apikey", ""),
        "message": refused.message if refused else message,
        "errorName": refused.code.name if refused else "",
        "errorCode": str(int(refused.code)) if refused else "",
        "urlParams": {name: told[name] for name in ("apikey", "communicationId") if name in told},
    }
