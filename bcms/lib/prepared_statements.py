"""Statements that a connection prepares once, for paths where planning them takes longer than executing them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast

from django.db import connection


class PreparingConnection(Protocol):
    """A connection of the site's backend (bcms/database/base.py)."""

    @property
    def is_pooled(self) -> bool: ...

    def prepare_once(self, definition: str) -> None: ...


@dataclass(frozen=True)
class PreparedStatement:
    """A statement with parameters such as %(article)s. name: its name in the database, which no other statement has.

    types: the SQL types of its parameters by their names.
    """

    name: str
    types: Mapping[str, str]
    sql: str

    def get_ready_text(self) -> str:
        """The text to execute with the parameters, for which the statement is prepared on the connection unless it is.

        Through a pooler, where the next transaction may have another connection, that is the statement itself. Several
        texts joined by ";" take one round trip.
        """
        wrapper = cast(PreparingConnection, connection)
        if wrapper.is_pooled:
            return self.sql
        wrapper.prepare_once(self._definition)
        return self._execution

    @cached_property
    def _definition(self) -> str:
        numbered = self.sql % {name: f"${number}" for number, name in enumerate(self.types, start=1)}
        return f"PREPARE {self.name} ({', '.join(self.types.values())}) AS {numbered}"

    @cached_property
    def _execution(self) -> str:
        return f"EXECUTE {self.name} ({', '.join(f'%({name})s' for name in self.types)})"
