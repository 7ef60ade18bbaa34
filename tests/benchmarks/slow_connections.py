"""What 200 clients that send or read slowly cost the others, on the web server of a deployment.

    python -m tests.benchmarks.slow_connections [--slow 200]

Prints the median and the 95th percentile in milliseconds of an article's page, requested by one client after the
other, alone and while the slow clients hold their connections, in turn so that both meet the same moods of the machine.
The ratios compare the percentiles; 1.2 is allowed.
"""

import http.client
import socket
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.benchmarks.command_line import print_ratio, run_main
from tests.benchmarks.django_setup import set_up_site
from tests.benchmarks.watching import run_web_server

HOST = b"Host: localhost\r\n"
SLOW_CLIENTS = {
    "silent": b"",
    "headers": b"GET / HTTP/1.1\r\n" + HOST[:-2],
    "form": b"POST /login/ HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\na=",
    "chunks": b"POST /xmlrpc/ HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<m",
    "reading exports": b"GET /api/v1/export/bioc-json/ HTTP/1.1\r\n" + HOST + b"\r\n",
}
# So little that the answer does not fit into the buffers of the system.
RECEIVE_BUFFER_BYTES = 4096


@contextmanager
def hold_connections(port: int, number: int, beginning: bytes) -> Iterator[None]:
    """So many connections that send these bytes and then neither send nor read."""
    with ExitStack() as stack:
        for _ in range(number):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
            client.connect(("127.0.0.1", port))
            client.sendall(beginning)
        yield


def measure_page(port: int, path: str, requests: int) -> list[float]:
    """The milliseconds of each request; every request has to be answered."""
    times = []
    for _ in range(requests):
        start = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        response = connection.getresponse()
        response.read()
        connection.close()
        if response.status != http.client.OK:
            sys.exit(f"{path} was answered with {response.status}.")
        times.append(1000 * (time.perf_counter() - start))
    return times


def main(articles: int = 1000, slow: int = 200, requests: int = 60, rounds: int = 6) -> None:
    with set_up_site(articles):
        from annotations.articles.models import Article

        path = f"/articles/{Article.objects.order_by('pk').values_list('pmid', flat=True)[0]}/"
        with run_web_server() as (port, _):
            measure_page(port, path, requests)
            for name, beginning in SLOW_CLIENTS.items():
                alone: list[float] = []
                beside: list[float] = []
                for _ in range(rounds):
                    alone += measure_page(port, path, requests)
                    with hold_connections(port, slow, beginning):
                        beside += measure_page(port, path, requests)
                print_percentiles(f"{name}, alone", alone)
                print_percentiles(f"{name}, beside {slow}", beside)
                print_ratio(f"p95 beside {slow} slow clients ({name}) / alone", find_p95(beside), find_p95(alone))


def find_p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def print_percentiles(name: str, times: list[float]) -> None:
    print(f"{name:<28} p50 {statistics.median(times):6.1f} ms, p95 {find_p95(times):6.1f} ms", flush=True)


if __name__ == "__main__":
    run_main(main)
