"""A listener for call-backs, so that servers that call back can be checked without the site."""

import json
import threading
from collections.abc import Callable, Collection, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from servers.calls.client import MOST_BYTES
from servers.protocols.becalm_callbacks import (
    BecalmErrorCode,
    list_faults_including_other_documents,
    parse_predictions_noting_faults,
)

CALLBACK_PATH = "/api/saveAnnotations/"
CALLBACK_FORMS = {"JSON": "json", "TSV": "tsv", "BIOC": "bioc"}


class CallbackRejectedError(Exception):
    """Why a call-back is rejected: the protocol's error code and one sentence."""

    def __init__(self, code: BecalmErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class CallbackListener:
    """Accepts saveAnnotations on loopback; await_callback returns the first call-back for a communication id.

    documents are the ids of the documents of each request by its communication id. port 0 takes any free port; raises
    OSError or OverflowError when the port is not available.
    """

    def __init__(self, documents: Mapping[int, Collection[str]], port: int = 0) -> None:
        self.documents = {str(reference): requested for reference, requested in documents.items()}
        self.first_callbacks: dict[str, tuple[str, bytes]] = {}
        self.expired_references: set[str] = set()
        self.arrival = threading.Condition()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), make_callback_handler(self.accept_callback))

    @property
    def url(self) -> str:
        """The URL for the checked server to call, followed by JSON, TSV or BIOC."""
        return f"http://127.0.0.1:{self.server.server_address[1]}{CALLBACK_PATH}"

    def __enter__(self) -> "CallbackListener":
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def await_callback(self, reference: int, seconds: float) -> tuple[str, bytes] | None:
        """The form and body for this communication id, None when nothing comes within so many seconds."""
        key = str(reference)
        with self.arrival:
            self.arrival.wait_for(lambda: key in self.first_callbacks, max(seconds, 0.0))
            self.expired_references.add(key)
            return self.first_callbacks.get(key)

    def accept_callback(self, form: str, reference: str, body: bytes) -> int:
        """Keep the first call-back for an id, valid or not; returns the number of annotations.

        Raises CallbackRejectedError with the site's reasons, so that the server sees the same errors as there.
        """
        if reference not in self.documents:
            raise CallbackRejectedError(
                BecalmErrorCode.UNKNOWN_COMMUNICATION_ID, "This communication id does not exist."
            )
        with self.arrival:
            self.check_callback_open(reference)
            self.first_callbacks[reference] = (form, body)
            self.arrival.notify_all()
        parsed = parse_predictions_noting_faults(form, body)
        if faults := list_faults_including_other_documents(parsed, self.documents[reference]):
            raise CallbackRejectedError(faults[0].code, faults[0].broken_rule.message)
        return len(parsed.predictions)

    def check_callback_open(self, reference: str) -> None:
        if reference in self.first_callbacks:
            raise CallbackRejectedError(BecalmErrorCode.REQUEST_CLOSED, "This request has already been answered.")
        if reference in self.expired_references:
            raise CallbackRejectedError(BecalmErrorCode.REQUEST_EXPIRED, "This request has expired.")


AcceptCallback = Callable[[str, str, bytes], int]


def make_callback_handler(accept: AcceptCallback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            split = urlsplit(self.path)
            form = CALLBACK_FORMS.get(split.path.removeprefix(CALLBACK_PATH).strip("/").upper())
            if form is None:
                self.send_answer(
                    404, {"success": False, "message": f"Call {CALLBACK_PATH} followed by JSON, TSV or BIOC."}
                )
                return
            parameters = {name: values[0] for name, values in parse_qs(split.query).items()}
            try:
                number = accept(form, self.read_reference(parameters), self.read_body())
            except CallbackRejectedError as rejection:
                self.send_answer(400, build_callback_reply(400, parameters, rejection))
            else:
                message = f"{number} annotation{'' if number == 1 else 's'} accepted."
                self.send_answer(200, build_callback_reply(200, parameters, None, message))

        def read_reference(self, parameters: Mapping[str, str]) -> str:
            has_key = parameters.get("apikey") or self.headers.get("Authorization")
            if not parameters.get("communicationId") or not has_key:
                raise CallbackRejectedError(
                    BecalmErrorCode.NEED_PARAMETERS, "Add apikey and communicationId to the URL."
                )
            return parameters["communicationId"]

        def read_body(self) -> bytes:
            length = self.headers.get("Content-Length", "0")
            if not (length.isascii() and length.isdigit()) or int(length) > MOST_BYTES:
                raise CallbackRejectedError(
                    BecalmErrorCode.FORMAT_ERROR, f"Send at most {MOST_BYTES >> 20} MiB, with Content-Length."
                )
            return self.rfile.read(int(length))

        def send_answer(self, status: int, values: Mapping[str, object]) -> None:
            body = json.dumps(values).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing, so that only the report is printed."""

    return Handler


def build_callback_reply(
    http_status: int,
    url_parameters: Mapping[str, str],
    rejection: CallbackRejectedError | None,
    success_message: str = "",
) -> dict[str, object]:
    """The protocol's answer to a call-back."""
    return {
        "status": http_status,
        "success": rejection is None,
        "becalmKey": url_parameters.get("apikey", ""),
        "message": rejection.message if rejection else success_message,
        "errorName": rejection.code.name if rejection else "",
        "errorCode": str(int(rejection.code)) if rejection else "",
        "urlParams": {name: url_parameters[name] for name in ("apikey", "communicationId") if name in url_parameters},
    }
