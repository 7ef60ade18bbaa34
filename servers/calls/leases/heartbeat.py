"""Renew the leases of this process while its calls wait for an answer, and abort a call whose lease is lost.

One thread per process renews the tokens of the slices that run in it. The lease of a crashed slice is not renewed and
expires.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from bcms.lib.http.exchange import Exchange
from servers.calls.leases import lease

BEATS_PER_TERM = 4
log = logging.getLogger(__name__)


class LeaseHeartbeat:
    """The leases to renew, and the exchange of each that is in progress, if any. Safe for use by several threads."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.exchanges: dict[uuid.UUID, Exchange | None] = {}
        self.thread: threading.Thread | None = None

    @contextmanager
    def keep_lease(self, token: uuid.UUID) -> Iterator[None]:
        """Renew the token's lease until the block ends."""
        with self.guard:
            self.exchanges[token] = None
            if self.thread is None:
                self.thread = threading.Thread(target=self.renew_forever, name="lease-heartbeat", daemon=True)
                self.thread.start()
        try:
            yield
        finally:
            with self.guard:
                del self.exchanges[token]

    @contextmanager
    def abort_if_lost(self, token: uuid.UUID, exchange: Exchange) -> Iterator[None]:
        """Abort the exchange if the token's lease is lost while the block runs."""
        with self.guard:
            is_kept = token in self.exchanges
            self.exchanges[token] = exchange
        try:
            yield
        finally:
            with self.guard:
                if is_kept:
                    self.exchanges[token] = None
                else:
                    # Nothing else asks for this lease, which would be renewed forever.
                    del self.exchanges[token]

    def renew_forever(self) -> None:
        """The main function of the thread."""
        pause = threading.Event()
        while not pause.wait(seconds := lease.get_lease_term().total_seconds() / BEATS_PER_TERM):
            try:
                self.renew_or_abort()
            except Exception:
                # The thread must survive any error, as calls that take longer than a lease depend on it.
                log.exception("The leases of this process could not be renewed. Trying again in %s s", seconds)
                connection.close()

    def renew_or_abort(self) -> None:
        """Renew all leases once, and abort the exchanges of those that are lost."""
        with self.guard:
            tokens = set(self.exchanges)
        if not tokens:
            # An idle process should not occupy a database connection.
            connection.close()
            return
        lost = tokens - lease.renew_leases_and_list_held_tokens(tokens)
        with self.guard:
            exchanges = [self.exchanges.get(token) for token in lost]
        for exchange in exchanges:
            if exchange is not None:
                exchange.abort()


lease_heartbeat = LeaseHeartbeat()
