"""Rate limits for outside services that all workers share; the database assigns the turns by its own clock."""

import time
from collections.abc import Sequence

from django.conf import settings
from django.db import connection

from annotations.articles.entrez.client import REQUEST_TIMEOUT, RETRY_DELAYS, EntrezClient, ncbi_requests_per_second
from annotations.articles.models import Pace

# Requests are spaced a little wider than required, because they may arrive closer together than they were sent.
MARGIN = 1.1

TAKE_TURN = f"""
INSERT INTO {Pace._meta.db_table} AS known (name, free)
VALUES (%(name)s, clock_timestamp() + %(pause)s * interval '1 second')
ON CONFLICT (name) DO UPDATE
SET free = greatest(known.free, clock_timestamp()) + %(pause)s * interval '1 second'
RETURNING extract(epoch FROM known.free - clock_timestamp())::float8 - %(pause)s
"""


class SharedPace:
    """Waits for the next turn to query a service, shared by all processes that use the same name.

    Must not be used inside a transaction, which would block the others until it ends.
    """

    def __init__(self, name: str, per_second: float) -> None:
        self.name = name
        self.pause = MARGIN / per_second

    def __call__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(TAKE_TURN, {"name": self.name, "pause": self.pause})
            (wait,) = cursor.fetchone()
        time.sleep(max(0.0, wait))


def make_ncbi_pace(api_key: str) -> SharedPace:
    """The pace for all requests to NCBI, which counts the requests of a site by address or key."""
    return SharedPace("ncbi", ncbi_requests_per_second(api_key))


def make_entrez_client(retry_delays: Sequence[float] = RETRY_DELAYS, timeout: float = REQUEST_TIMEOUT) -> EntrezClient:
    """A client for the E-utilities of the settings, which shares its turns with all other workers."""
    key, networks = settings.ENTREZ_API_KEY, settings.ALLOWED_NETWORKS
    pace = make_ncbi_pace(key)
    return EntrezClient(settings.ENTREZ_URL, settings.CONTACT_EMAIL, key, networks, retry_delays, pace, timeout)
