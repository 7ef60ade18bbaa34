"""Recognize errors of requests about a row that was deleted after they had found it: nothing is there any more.

Whatever a request locks, reads again or refers to can be deleted by another request in the meantime.
"""

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, IntegrityError
from psycopg2.errors import ForeignKeyViolation

SENTENCE = "What this request is about was deleted in the meantime."
# PostgreSQL says so of a row that refers to a deleted one, and not of a row that others still refer to.
MISSING_ROW = "is not present in table"
# Django says so when it updates an object whose row is gone.
NOTHING_UPDATED = "Save with update_fields did not affect any rows."


def is_deleted_row_error(error: BaseException) -> bool:
    """Whether a row was not there that the code had reason to expect.

    An object without a related one (RelatedObjectDoesNotExist) is none: that is an error of the code.
    """
    if isinstance(error, IntegrityError):
        return isinstance(error.__cause__, ForeignKeyViolation) and MISSING_ROW in str(error)
    if isinstance(error, DatabaseError):
        return NOTHING_UPDATED in error.args
    return isinstance(error, ObjectDoesNotExist) and not isinstance(error, AttributeError)
