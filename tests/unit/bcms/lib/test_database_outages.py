"""Which errors mean that the database is away: those of connections, not those of what a request asked for."""

import psycopg2
import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, ProgrammingError

from bcms.lib.database_outages import is_database_outage


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError])
def test_it_recognizes_an_outage(kind):
    assert is_database_outage(kind("connection already closed"))


@pytest.mark.parametrize("error", [DataError(), IntegrityError(), ProgrammingError(), ConnectionError(), None])
def test_it_leaves_other_errors_alone(error):
    assert not is_database_outage(error)
