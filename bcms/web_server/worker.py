"""The worker class of gunicorn for this site: gunicorn runs the processes, waitress serves their connections.

    gunicorn bcms.wsgi:application --config python:bcms.web_server.configuration

gunicorn's own threads read a request and write its answer themselves, so that a few dozen slow clients stop the site;
docs/decisions/0009-buffered-connections.md has the figures.
"""

import logging
import os
import time
from typing import Any

from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.task import ThreadedTaskDispatcher

from bcms.web_server.connections import MAX_CONNECTIONS, WebServer

# An answer up to this size is buffered at once; what is longer is written as the client reads.
ANSWER_BUFFER_BYTES = 1_000_000
MAX_HEADER_BYTES = 32_768
# It warns of every request that waits for a thread.
logging.getLogger("waitress.queue").setLevel(logging.ERROR)


class BufferingWorker(Worker):  # type: ignore[misc]
    """Serves requests by threads, and their bytes by one loop; the options are --threads, --keep-alive and
    --graceful-timeout."""

    def run(self) -> None:
        """Serve until gunicorn says to stop, then finish the requests of all clients that have connected."""
        connections: dict[int, Any] = {}
        threads = ThreadedTaskDispatcher()
        threads.set_thread_count(self.cfg.threads)
        servers = [self._build_server(listener.sock, connections, threads) for listener in self.sockets]
        while self.alive and os.getppid() == self.ppid:
            self._serve_for_a_second(connections)
        for server in servers:
            server.stop_listening()
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while any(server.has_unfinished_requests() for server in servers) and time.monotonic() < deadline:
            self._serve_for_a_second(connections, 0.1)
        threads.shutdown(timeout=max(0.0, deadline - time.monotonic()))

    def _build_server(self, listening: Any, connections: dict[int, Any], threads: ThreadedTaskDispatcher) -> WebServer:
        adjustments = Adjustments(
            threads=self.cfg.threads,
            channel_timeout=self.cfg.keepalive,
            cleanup_interval=1,
            # WebServer closes the connection that has waited longest instead of accepting no more.
            connection_limit=2 * MAX_CONNECTIONS,
            max_request_header_size=MAX_HEADER_BYTES,
            outbuf_overflow=ANSWER_BUFFER_BYTES,
            outbuf_high_watermark=ANSWER_BUFFER_BYTES,
            ident=None,
            # Django decides by BEHIND_PROXY whether the headers of a proxy are believed.
            clear_untrusted_proxy_headers=False,
        )
        address = (listening.family, listening.type, listening.proto, listening.getsockname())
        # It needs the apps of Django, which the application has loaded by now.
        from bcms.middleware.body_limits import find_most_body_bytes

        server = WebServer(
            self.wsgi,
            connections,
            _sock=listening,
            dispatcher=threads,
            adj=adjustments,
            sockinfo=address,
            bind_socket=False,
        )
        server.find_most_body_bytes = find_most_body_bytes
        return server

    def _serve_for_a_second(self, connections: dict[int, Any], seconds: float = 1.0) -> None:
        """Move bytes and hand over requests, for this time at most; gunicorn learns that the worker is alive."""
        self.notify()
        wasyncore.loop(timeout=seconds, use_poll=True, map=connections, count=1)
