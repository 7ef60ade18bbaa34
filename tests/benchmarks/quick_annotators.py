"""Many annotation servers in one process that answer after a fixed time, always the same, and count their requests.

    python -m tests.benchmarks.quick_annotators NUMBER SECONDS

Prints its port; the servers are the paths /0, /1 and so on. GET /figures returns what they counted, and resets it.
"""

import asyncio
import json
import statistics
import sys
import time
import xmlrpc.client
from collections.abc import Sequence
from dataclasses import dataclass, field

ANSWER = {
    "mentions": [
        {"section": "title", "offset": 0, "mention": "CDH1", "confidence": 0.9},
        {"section": "title", "offset": 5, "mention": "CTNNB1", "confidence": 0.7},
        {"section": "abstract", "offset": 0, "mention": "AKT1", "confidence": 0.4},
    ],
    "normalizations": [{"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 0.8}],
}
KINDS = ["mention", "normalization"]
TITLE = "CDH1 CTNNB1 in case"
ABSTRACT = "AKT1 " + "was seen in cells that were treated for a day and in those that were not, as shown before; " * 14
BODY = xmlrpc.client.dumps((ANSWER,), methodresponse=True).encode()


def build_http_response(body: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


REPLY = build_http_response(BODY, "text/xml")


@dataclass
class RequestCounts:
    """The requests to one server: when it answered last, the seconds from each answer to the next request."""

    answered: float | None = None
    between: list[float] = field(default_factory=list)
    asked: int = 0
    at_once: int = 0
    most_at_once: int = 0


class Annotators:
    def __init__(self, number: int, seconds: float) -> None:
        self.number = number
        self.seconds = seconds
        self.reset_counts()

    def reset_counts(self) -> None:
        self.counts = [RequestCounts() for _ in range(self.number)]

    async def serve_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                writer.write(build_http_response(json.dumps(self.compute_figures()).encode(), "application/json"))
                self.reset_counts()
            else:
                await reader.readexactly(read_content_length(head))
                await self.answer_request(self.counts[int(head.split(b" ", 2)[1][1:])], writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer_request(self, server: RequestCounts, writer: asyncio.StreamWriter) -> None:
        now = time.monotonic()
        if server.answered is not None:
            server.between.append(now - server.answered)
        server.asked += 1
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        if self.seconds:
            await asyncio.sleep(self.seconds)
        server.at_once -= 1
        server.answered = time.monotonic()
        writer.write(REPLY)

    def compute_figures(self) -> dict[str, float]:
        between = [seconds for server in self.counts for seconds in server.between]
        hundredths = statistics.quantiles(between, n=100) if len(between) > 1 else [0.0] * 99
        return {
            "asked": sum(server.asked for server in self.counts),
            "most_at_once": max(server.most_at_once for server in self.counts),
            "p50": hundredths[49],
            "p95": hundredths[94],
        }


def read_content_length(head: bytes) -> int:
    lines = head.decode("latin-1").lower().split("\r\n")
    return next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)


async def main(arguments: Sequence[str]) -> None:
    annotators = Annotators(int(arguments[0]), float(arguments[1]))
    server = await asyncio.start_server(annotators.serve_connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
