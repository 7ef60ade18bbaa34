"""psycopg2's connections and cursors, which wait for each reply no longer than bcms/database/reply_limits.py allows."""

from collections.abc import Iterable
from typing import Any

from psycopg2.errors import FeatureNotSupported
from psycopg2.extensions import connection, cursor

from bcms.database.reply_limits import NO_LIMIT, limit_reply


class LimitedCursor(cursor):  # type: ignore[misc]
    """A cursor; one with a name is in the database, so that fetching its rows is a question of its own."""

    def execute(self, query: Any, vars: Any = None) -> None:
        try:
            with limit_reply(self.connection):
                super().execute(query, vars)
        except FeatureNotSupported:
            self.connection.has_refused_plan = True
            raise

    def executemany(self, query: Any, vars_list: Iterable[Any]) -> None:
        with limit_reply(self.connection):
            super().executemany(query, vars_list)

    def copy_expert(self, sql: Any, file: Any, size: int = 8192) -> None:
        with limit_reply(self.connection):
            super().copy_expert(sql, file, size)

    def fetchone(self) -> Any:
        if self.name is None:
            return super().fetchone()
        with limit_reply(self.connection):
            return super().fetchone()

    def fetchmany(self, size: int | None = None) -> Any:
        if self.name is None:
            return super().fetchmany(size)
        with limit_reply(self.connection):
            return super().fetchmany(size)

    def fetchall(self) -> Any:
        if self.name is None:
            return super().fetchall()
        with limit_reply(self.connection):
            return super().fetchall()

    def close(self) -> None:
        with limit_reply(self.connection) if self.name else NO_LIMIT:
            super().close()


class LimitedConnection(connection):  # type: ignore[misc]
    """A connection whose commits and rollbacks are limited like the statements of its cursors.

    has_refused_plan: whether a prepared statement may have failed because its columns were changed, as it does each
    time from then on.
    """

    has_refused_plan = False

    def commit(self) -> None:
        with limit_reply(self):
            super().commit()

    def rollback(self) -> None:
        with limit_reply(self):
            super().rollback()
