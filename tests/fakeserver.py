"""A server on loopback that does to its clients whatever a test writes down, byte by byte, and a cast of bad ones.

The cast is about one article, TITLE and ABSTRACT, whose characters are one, two and four bytes long, so that the ways
of counting them differ. What a server says is written in XML-RPC by say() and in JSON-REST by say_json().
"""

import gzip
import itertools
import json
import re
import socket
import ssl
import threading
import xmlrpc.client
from collections.abc import Callable, Iterator, Sequence
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
        if not reads:
            # Little room for what nobody takes.
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.port: int = self.listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/"

    def __enter__(self) -> "FakeServer":
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        # Closing alone would leave the thread blocked in accept. It ends first, as it would accept connections of the
        # next server, whose listener may have the same number.
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.accepting.join()
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


def drip(connection: socket.socket, closing: threading.Event, data: Iterator[bytes], pause: float = PAUSE) -> None:
    for piece in data:
        connection.sendall(piece)
        if closing.wait(pause):
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


# The cast. First those that can be told by their HTTP alone, whichever protocol they speak.

wrong_path = answer(b"", "404 Not Found")
redirect_inside = redirect("http://127.0.0.1:8080/RPC2")
redirect_loop = redirect("/")
truncated = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n<?xml version='1.0'?><methodResponse><params>")


def slow_loris(connection: socket.socket, closing: threading.Event) -> None:
    """Headers at once, then one byte a second."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n"
    drip(connection, closing, itertools.chain([head], itertools.repeat(b"a")), pause=1.0)


def late(seconds: float, good: Behave) -> Behave:
    """The right answer, so many seconds too late."""

    def behave(connection: socket.socket, closing: threading.Event) -> None:
        if not closing.wait(seconds):
            good(connection, closing)

    return behave


# What is wrong with a document.

LAUGHS = "".join(f'<!ENTITY x{n} "{f"&x{n - 1};" * 10}">' for n in range(1, 10))
billion_laughs = answer(f'<!DOCTYPE x [<!ENTITY x0 "ha">{LAUGHS}]><methodResponse>&x9;</methodResponse>'.encode())
external_entity = answer(b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><methodResponse>&f;</methodResponse>')
not_xml = answer(b"CDH1\t8\t12")
fault = answer(xmlrpc.client.dumps(xmlrpc.client.Fault(7, "no model loaded")).encode())
# "naive" with a diaeresis, in Latin-1.
latin1 = answer(
    b"<?xml version='1.0' encoding='UTF-8'?><methodResponse><params><param><value>na\xefve</value></param></params>"
    b"</methodResponse>"
)
latin1_json = answer(b'{"comment": "na\xefve"}')


def xmlrpc_body(**parts: object) -> bytes:
    return xmlrpc.client.dumps((parts,), methodresponse=True, allow_none=True).encode()  # type: ignore[arg-type]


def json_body(**kinds: object) -> bytes:
    return json.dumps({"annotations": kinds}).encode()


def say(**parts: object) -> Behave:
    """An answer in XML-RPC with these parts."""
    return answer(xmlrpc_body(**parts))


def say_json(**kinds: object) -> Behave:
    """An answer in JSON-REST with annotations of these kinds."""
    return answer(json_body(**kinds))


def hundred_thousand(connection: socket.socket, closing: threading.Event) -> None:
    say(taxons=[{"taxid": number} for number in range(1, 100_001)])(connection, closing)


def hundred_thousand_json(connection: socket.socket, closing: threading.Event) -> None:
    say_json(taxon=[{"identifier": number} for number in range(1, 100_001)])(connection, closing)


# What is wrong with positions, each way of counting as a function of the right one.

TITLE = "CDH1 binds \N{MATHEMATICAL ITALIC SMALL ALPHA}-catenin"
ABSTRACT = "In mouse cells \N{GREEK SMALL LETTER BETA}-catenin binds E-cadherin and not CTNNA1."
TEXT = f"{TITLE}\n{ABSTRACT}"
BODY = len(TITLE) + 1
MENTIONED = ("CDH1", "catenin", "E-cadherin", "CTNNA1")

Counting = Callable[[int], int]


def count_code_points(start: int) -> int:
    return start


def count_bytes(start: int) -> int:
    return len(TEXT[:start].encode())


def count_utf16_units(start: int) -> int:
    return len(TEXT[:start].encode("utf-16-le")) // 2


def count_from_one(start: int) -> int:
    return start + 1


def count_without_title(start: int) -> int:
    return start - BODY if start >= BODY else start


def mentions(counted: Counting, words: Sequence[str] = MENTIONED) -> list[dict[str, object]]:
    """The words where the article has them, in XML-RPC; the offset is counted in the whole text."""
    return [{"offset": counted(TEXT.index(word)), "mention": word} for word in words]


def spans(counted: Counting, words: Sequence[str] = MENTIONED, *, last: int = 0) -> list[dict[str, object]]:
    """The same in JSON-REST; last is added to each end, -1 for an inclusive one."""
    starts = [(word, TEXT.index(word)) for word in words]
    return [{"start": counted(start), "end": counted(start + len(word)) + last, "text": word} for word, start in starts]


good = say(mentions=mentions(count_code_points))
good_json = say_json(mention=spans(count_code_points))
breaks_off = answer(xmlrpc_body(mentions=mentions(count_code_points))[:300])
breaks_off_json = answer(json_body(mention=spans(count_code_points))[:100])
answers_twice = answer(xmlrpc_body(mentions=mentions(count_code_points)) * 2)
answers_twice_json = answer(json_body(mention=spans(count_code_points)) * 2)
other_article = say(
    mentions=[
        {"offset": 0, "mention": "BRCA1"},
        {"offset": 27, "mention": "breast"},
        {"offset": 40, "mention": "RAD51"},
    ]
)
other_article_json = answer(b'{"id": "999", "annotations": {}}')


def sends_two_answers(connection: socket.socket, closing: threading.Event) -> None:
    """Two whole answers of HTTP, one after the other."""
    good(connection, closing)
    good(connection, closing)
