"""Keep the leases of this process alive while its calls wait for an answer, and cut a call whose lease is gone.

One thread a process renews the tokens of the slices that are alive here, and only those: a lease whose slice has
crashed runs out by itself.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from bcms.lib.http import Exchange
from servers import lease

BEATS_PER_TERM = 4
log = logging.getLogger(__name__)


class Heart:
    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.exchanges: dict[uuid.UUID, Exchange | None] = {}
        self.thread: threading.Thread | None = None

    @contextmanager
    def alive(self, token: uuid.UUID) -> Iterator[None]:
        """Renew this token until the block ends."""
        with self.guard:
            self.exchanges[token] = None
            if self.thread is None:
                self.thread = threading.Thread(target=self.beat_on, name="lease-heartbeat", daemon=True)
                self.thread.start()
        try:
            yield
        finally:
            with self.guard:
                del self.exchanges[token]

    @contextmanager
    def watching(self, token: uuid.UUID, exchange: Exchange) -> Iterator[None]:
        """Abort this exchange if the token is lost while the block runs."""
        with self.guard:
            self.exchanges[token] = exchange
        try:
            yield
        finally:
            with self.guard:
                self.exchanges[token] = None

    def beat_on(self) -> None:
        pause = threading.Event()
        while not pause.wait(seconds := lease.term().total_seconds() / BEATS_PER_TERM):
            try:
                self.beat()
            except Exception:
                # Whatever it was: without this thread every call that takes longer than a lease would be lost.
                log.exception("the leases of this process could not be renewed; trying again in %s s", seconds)
                connection.close()

    def beat(self) -> None:
        with self.guard:
            tokens = set(self.exchanges)
        if not tokens:
            # Who asks nobody keeps no place in the database.
            connection.close()
            return
        lost = tokens - lease.renew(tokens)
        with self.guard:
            exchanges = [self.exchanges.get(token) for token in lost]
        for exchange in exchanges:
            if exchange is not None:
                exchange.abort()


heart = Heart()
