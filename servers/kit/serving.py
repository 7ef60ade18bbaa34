"""An annotation server in ten lines:

    from annotations.kinds import Finding, Kind
    from servers.kit.serving import serve

    def annotate(article):
        at = article.text.find("p53")
        if at >= 0:
            yield Finding(Kind.MENTION, start=at, end=at + 3, text="p53", confidence=0.9)

    serve(annotate, port=9000)

It speaks BCMS XML-RPC, or with protocol="rest" JSON: register its address, http://127.0.0.1:9000/, with the kind
"mention".
"""

import signal
import sys
from collections.abc import Mapping
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCServer

from servers.kit.failures import Failures
from servers.kit.handlers import Annotate, AnnotationHandler, RestHandler, XmlRpcHandler

__all__ = ["Annotate", "AnnotationServer", "serve"]

HANDLERS: Mapping[str, type[AnnotationHandler]] = {"bcms": XmlRpcHandler, "rest": RestHandler}


class AnnotationServer(ThreadingMixIn, SimpleXMLRPCServer):
    """Serves one annotate function at one address. Port 0 takes any free port; `address` says which."""

    daemon_threads = True

    def __init__(
        self,
        annotate: Annotate,
        address: tuple[str, int],
        *,
        protocol: str,
        method: str,
        delay: float,
        failures: Failures,
    ) -> None:
        super().__init__(address, requestHandler=HANDLERS[protocol], logRequests=False)  # type: ignore[arg-type]
        self.annotate = annotate
        self.method = method
        self.delay = delay
        self.failures = failures

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
) -> None:
    """Answer at http://host:port/ until SIGTERM or Ctrl-C.

    annotate may be called by several threads at once. port 0 takes any free port; the address is printed either way.
    protocol is "bcms", XML-RPC with the method of that name, or "rest", JSON over HTTP.
    delay is seconds added to each call; failure_rate is the share of calls, 0 to 1, that fail in one of the ways of
    servers.kit.failures, drawn with the seed. Exits with status 1 and a sentence when the port cannot be had.
    """
    failures = Failures(failure_rate, seed)
    try:
        server = AnnotationServer(
            annotate, (host, port), protocol=protocol, method=method, delay=delay, failures=failures
        )
    except (OSError, OverflowError) as error:
        sys.exit(f"Cannot listen on {host}:{port}: {error}. Stop what is using it or choose another port.")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    with server:
        print(f"Answering {method if protocol == 'bcms' else protocol} at {server.address}", flush=True)
        server.serve_forever()


def leave(*_: object) -> None:
    """Ends serve_forever from within its own thread, where shutdown() would wait for itself."""
    sys.exit(0)
