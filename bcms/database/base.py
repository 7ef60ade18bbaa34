"""Django's PostgreSQL backend, refusing versions that are too old for this site; Django expects a module `base`."""

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.postgresql import base

OLDEST_VERSION = 15


class UnsupportedDatabaseError(ImproperlyConfigured):
    """The PostgreSQL is older than the site supports; the text is one sentence for the person who starts it."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the database of the site."""

    def check_database_version_supported(self) -> None:
        """Raise UnsupportedDatabaseError if the server is too old, as Django calls it for the first connection."""
        version = self.get_database_version()
        if version < (OLDEST_VERSION,):
            found = ".".join(map(str, version))
            raise UnsupportedDatabaseError(
                f"The database is PostgreSQL {found}, but this site needs PostgreSQL {OLDEST_VERSION} or newer: "
                "name another one in DATABASE_URL."
            )
