"""Recognize errors of the database that values of a request cause: they are invalid input, not failures of the site.

Forms and serializers check what they read. This is for what reaches a query without them: texts with NUL, numbers
beyond a column's range, texts beyond its length.
"""

from django.db import DataError

# What psycopg2 says of a text with NUL, before anything is sent to the database.
NUL_MESSAGE = "A string literal cannot contain NUL (0x00) characters."
SENTENCE = (
    "A value of the request cannot be stored: it contains a NUL character, is too long or is a number out of range."
)


def is_unstorable_input_error(error: BaseException) -> bool:
    """Whether the database refused a value because of its form."""
    return isinstance(error, DataError) or (isinstance(error, ValueError) and NUL_MESSAGE in error.args)
