"""Many annotation servers in one process that answer after a fixed time, always the same, and watch who asks them.

    python -m tests.benchmarks.quick_annotators NUMBER SECONDS

Prints its port; the servers are the paths /0, /1 and so on. GET /figures tells what they saw, and forgets it.
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
ABSTRACT = "AKT1 " + "was seen in cells that were treated for a day and in those that were not, as told before; " * 14
BODY = xmlrpc.client.dumps((ANSWER,), methodresponse=True).encode()


def http(body: bytes, kind: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


REPLY = http(BODY, "text/xml")


@dataclass
class Watched:
    """What one server saw: when it answered last, the seconds from each answer to the next request."""

    answered: float | None = None
    between: list[float] = field(default_factory=list)
    asked: int = 0
    at_once: int = 0
    most_at_once: int = 0


class Annotators:
    def __init__(self, number: int, seconds: float) -> None:
        self.number = number
        self.seconds = seconds
        self.forget()

    def forget(self) -> None:
        self.watched = [Watched() for _ in range(self.number)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET"):
                writer.write(http(json.dumps(self.figures()).encode(), "application/json"))
                self.forget()
            else:
                await reader.readexactly(length_of(head))
                await self.answer(self.watched[int(head.split(b" ", 2)[1][1:])], writer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, server: Watched, writer: asyncio.StreamWriter) -> None:
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

    def figures(self) -> dict[str, float]:
        between = [seconds for server in self.watched for seconds in server.between]
        hundredths = statistics.quantiles(between, n=100) if len(between) > 1 else [0.0] * 99
        return {
            "asked": sum(server.asked for server in self.watched),
            "most_at_once": max(server.most_at_once for server in self.watched),
            "p50": hundredths[49],
            "p95": hundredths[94],
        }


def length_of(head: bytes) -> int:
    lines = head.decode("latin-1").lower().split("\r\n")
    return next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)


async def main(arguments: Sequence[str]) -> None:
    annotators = Annotators(int(arguments[0]), float(arguments[1]))
    server = await asyncio.start_server(annotators.serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
