"""Recognize errors that come from a database which is away, stopped or overloaded, and not from a request."""

import psycopg2
from django.db import InterfaceError, OperationalError

# For how long to wait before a request is repeated.
RETRY_SECONDS = 10
# Django leaves the errors of closing a cursor as they are.
OUTAGES = (OperationalError, InterfaceError, psycopg2.OperationalError, psycopg2.InterfaceError)
SENTENCE = "The database does not answer at the moment. Try again in a few seconds."


def is_database_outage(error: BaseException | None) -> bool:
    """Whether the database could not be reached, did not reply in time, or ended the statement."""
    return isinstance(error, OUTAGES)
