"""Serve an annotate function. An annotation server in ten lines:

    from annotations.schema import AnnotationData, Kind
    from servers.kit.serving import serve

    def annotate(article):
        start = article.text.find("p53")
        if start >= 0:
            yield AnnotationData(Kind.MENTION, start=start, end=start + 3, text="p53", confidence=0.9)

    serve(annotate, port=9000)

It speaks BCMS XML-RPC, or with protocol="rest", "pubannotation" or "becalm" one of the others, in which it answers
several articles in one request, too. Register its URL, http://127.0.0.1:9000/, with the kind "mention".
"""

import signal
import sys
from collections.abc import Mapping
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCServer

from servers.kit.failures import FailureGenerator
from servers.kit.handlers import (
    Annotate,
    AnnotationHandler,
    BecalmHandler,
    CallbackAddress,
    PubAnnotationHandler,
    RestHandler,
    XmlRpcHandler,
)

NO_CALLBACK = CallbackAddress()
__all__ = ["Annotate", "AnnotationServer", "serve"]

HANDLERS: Mapping[str, type[AnnotationHandler]] = {
    "bcms": XmlRpcHandler,
    "rest": RestHandler,
    "pubannotation": PubAnnotationHandler,
    "becalm": BecalmHandler,
}


class AnnotationServer(ThreadingMixIn, SimpleXMLRPCServer):
    """Serves one annotate function. Port 0 takes any free port; the property address is the resulting URL."""

    daemon_threads = True

    def __init__(
        self,
        annotate: Annotate,
        address: tuple[str, int],
        *,
        protocol: str,
        method: str,
        delay: float,
        failures: FailureGenerator,
        signing_secret: str = "",
        callback: CallbackAddress = NO_CALLBACK,
    ) -> None:
        super().__init__(address, requestHandler=HANDLERS[protocol], logRequests=False)  # type: ignore[arg-type]
        self.annotate = annotate
        self.method = method
        self.delay = delay
        self.failures = failures
        self.signing_secret = signing_secret
        self.callback = callback

    @property
    def address(self) -> str:
        host, port = self.socket.getsockname()[:2]
        return f"http://{host}:{port}/"


def serve(
    annotate: Annotate,
    *,
    port: int,
    host: str = "127.0.0.1",
    protocol: str = "bcms",
    method: str = "Annotator.getAnnotation",
    delay: float = 0.0,
    failure_rate: float = 0.0,
    seed: int = 0,
    signing_secret: str = "",
    callback_url: str = "",
    api_key: str = "",
) -> None:
    """Answer at http://host:port/ until SIGTERM or Ctrl-C, and print that URL first.

    annotate may be called by several threads at once. port 0 takes any free port. protocol is "bcms" (XML-RPC with the
    given method), "rest" (JSON over HTTP), "pubannotation" or "becalm", which needs the callback_url of the
    meta-server, .../api/saveAnnotations/, and the api_key that the server's page there shows. delay is the seconds to
    wait before each answer; failure_rate is the share of calls, 0 to 1, that fail on purpose (servers.kit.failures),
    drawn with the seed. With a signing_secret, calls that are not signed with it are answered with 401. Exits with a
    message and status 1 when the port is not available.
    """
    failures = FailureGenerator(failure_rate, seed)
    try:
        server = AnnotationServer(
            annotate,
            (host, port),
            protocol=protocol,
            method=method,
            delay=delay,
            failures=failures,
            signing_secret=signing_secret,
            callback=CallbackAddress(callback_url, api_key),
        )
    except (OSError, OverflowError) as error:
        sys.exit(f"Cannot listen on {host}:{port}: {error}. Stop the program that uses it, or choose another port.")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, exit_on_signal)
    with server:
        print(f"Answering {method if protocol == 'bcms' else protocol} at {server.address}", flush=True)
        server.serve_forever()


def exit_on_signal(*_: object) -> None:
    """End serve_forever from its own thread, where shutdown() would deadlock."""
    sys.exit(0)
