"""A server on loopback that does to its clients whatever a test writes down, byte by byte."""

import gzip
import itertools
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

LOOPBACK = ["127.0.0.0/8"]
CERTIFICATE = Path(__file__).with_name("loopback.pem")
PAUSE = 0.02

Behave = Callable[[socket.socket, threading.Event], None]


class FakeServer:
    """Reads each request whole, keeps it, then behaves. Behaviours end when the event is set or the client is gone."""

    def __init__(self, behave: Behave, *, tls: bool = False, reads: bool = True) -> None:
        self.behave = behave
        self.tls = tls
        self.reads = reads
        self.requests: list[bytes] = []
        self.closing = threading.Event()
        self.asked = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/"

    def __enter__(self) -> "FakeServer":
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        # Closing alone would leave the thread blocked in accept.
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=[connection], daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if self.tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(CERTIFICATE)
                connection = context.wrap_socket(connection, server_side=True)
            if self.reads:
                self.requests.append(read_request(connection))
            self.asked.set()
            self.behave(connection, self.closing)


def read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    length = re.search(rb"Content-Length: (\d+)", data, re.I)
    missing = int(length[1]) - len(data.partition(b"\r\n\r\n")[2]) if length else 0
    while missing > 0:
        piece = connection.recv(65536)
        data, missing = data + piece, missing - len(piece)
    return data


def answer(body: bytes, status: str = "200 OK", headers: str = "") -> Behave:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode()
    return raw(head + body)


def raw(data: bytes) -> Behave:
    """These bytes, then the end of the connection."""
    return lambda connection, _: connection.sendall(data)


def redirect(target: str) -> Behave:
    return answer(b"", "302 Found", f"Location: {target}\r\n")


def silence(_: socket.socket, closing: threading.Event) -> None:
    closing.wait()


def drip(connection: socket.socket, closing: threading.Event, data: Iterator[bytes]) -> None:
    for piece in data:
        connection.sendall(piece)
        if closing.wait(PAUSE):
            return


def header_drip(connection: socket.socket, closing: threading.Event) -> None:
    drip(connection, closing, itertools.chain([b"HTTP/1.1 200 OK\r\nX-Slow: "], itertools.repeat(b"a")))


def body_drip(connection: socket.socket, closing: threading.Event) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n"
    drip(connection, closing, itertools.chain([head], itertools.repeat(b"a")))


def endless_chunks(connection: socket.socket, _: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"10000\r\n" + b"a" * 0x10000 + b"\r\n")


def endless_headers(connection: socket.socket, _: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-More: 1\r\n" * 1000)


def endless_continues(connection: socket.socket, _: threading.Event) -> None:
    """Interim answers for ever: the standard library's client skips them for ever."""
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1000)


def gzip_bomb(megabytes: int) -> Behave:
    return answer(gzip.compress(b"\0" * megabytes * 1024 * 1024), headers="Content-Encoding: gzip\r\n")


@contextmanager
def deaf() -> Iterator[str]:
    """The URL of a listener whose queue is full, so that nobody can connect any more."""
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for filler in (first, second):
            filler.setblocking(False)
            filler.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


@contextmanager
def dead() -> Iterator[str]:
    """The URL of a port at which nothing listens: it is bound, so that nobody else takes it meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/"
