"""Django's PostgreSQL backend with limits for waits and versions; Django expects a module `base`."""

from typing import Any

import psycopg2
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.postgresql import base

from bcms.database.known_outage import known_outage
from bcms.database.limited_connections import LimitedConnection, LimitedCursor
from bcms.database.reply_limits import get_limit_of_thread, shorten_limit_of_thread

OLDEST_VERSION = 15
# A new connection and the question whether an open one is usable may take this long for a page, which fails after both.
# libpq does not wait less than 2 s.
PAGE_CONNECT_SECONDS = 2
# Workers and commands rather wait.
CONNECT_SECONDS = 10
# For connections of pages: the server ends a statement after this time, and also when nobody waits for it any more.
PAGE_OPTIONS = "-c statement_timeout=60s -c client_connection_check_interval=1s"
# Notices within a minute that the machine of the database has vanished, in every process.
KEEPALIVES = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}


class UnsupportedDatabaseError(ImproperlyConfigured):
    """The PostgreSQL is older than the site supports; the text is one sentence for the person who starts it."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the database of the site, or to a pooler that gives one for each transaction."""

    # The definitions of the statements that are prepared on the connection.
    _prepared: set[str]

    @property
    def is_pooled(self) -> bool:
        """Whether a pooler may carry out each transaction on another connection, so that sessions mean nothing."""
        return bool(self.settings_dict.get("POOLED"))

    def get_connection_params(self) -> dict[str, Any]:
        """The arguments of psycopg2.connect. Threads with a limit of their own connect quickly or not at all."""
        params: dict[str, Any] = super().get_connection_params()
        if self.is_pooled:
            # The pooler sets them itself, and refuses to connect clients that do (deploy/pgbouncer).
            params.pop("options", None)
        limited: dict[str, Any] = {"connection_factory": LimitedConnection, "cursor_factory": LimitedCursor}
        if get_limit_of_thread() is None:
            return {"connect_timeout": CONNECT_SECONDS, **KEEPALIVES, **params, **limited}
        if not self.is_pooled:
            limited["options"] = f"{params.get('options', '')} {PAGE_OPTIONS}".strip()
        return {"connect_timeout": PAGE_CONNECT_SECONDS, **KEEPALIVES, **params, **limited}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect. A thread with a limit does not wait for what another one has just found out to be away.

        For the replica, its readers see to that (bcms/database/replica.py).
        """
        self._prepared = set()
        if get_limit_of_thread() is None or self.alias != DEFAULT_DB_ALIAS:
            return super().get_new_connection(conn_params)
        if not known_outage.claim_attempt():
            raise psycopg2.OperationalError("The database could not be reached a moment ago.")
        try:
            connection = super().get_new_connection(conn_params)
            if self.is_pooled:
                self._ask_database_behind_pooler(connection)
        except psycopg2.OperationalError:
            known_outage.record_failure()
            raise
        known_outage.record_success()
        return connection

    def _ask_database_behind_pooler(self, connection: Any) -> None:
        """A pooler accepts connections without the database; raise psycopg2.OperationalError if it is away."""
        with shorten_limit_of_thread(PAGE_CONNECT_SECONDS), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.rollback()

    def prepare_once(self, definition: str) -> None:
        """Execute a PREPARE statement unless this connection has, which keeps what is prepared until it is closed, or
        until it refuses to execute something because a migration has changed the columns of it.

        ProgrammingError for a second definition with the same name.
        """
        self.ensure_connection()
        if self.connection.has_refused_plan:
            self._forget_prepared()
        if definition not in self._prepared:
            with self.cursor() as cursor:
                cursor.execute(definition)
            self._prepared.add(definition)

    def _forget_prepared(self) -> None:
        with self.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
        self._prepared.clear()
        self.connection.has_refused_plan = False

    def chunked_cursor(self) -> Any:
        """A cursor in the database, with which rows are read in portions. A pooler loses it outside of a transaction:
        then it is an ordinary one, which reads all rows at once.
        """
        return self.cursor() if self.is_pooled and self.get_autocommit() else super().chunked_cursor()

    def is_usable(self) -> bool:
        """Whether an open connection still answers, as Django asks before each request."""
        with shorten_limit_of_thread(PAGE_CONNECT_SECONDS):
            return bool(super().is_usable())

    def check_database_version_supported(self) -> None:
        """Raise UnsupportedDatabaseError if the server is too old, as Django calls it for the first connection."""
        version = self.get_database_version()
        if version < (OLDEST_VERSION,):
            found = ".".join(map(str, version))
            raise UnsupportedDatabaseError(
                f"The database is PostgreSQL {found}, but this site needs PostgreSQL {OLDEST_VERSION} or newer: "
                "name another one in DATABASE_URL."
            )
