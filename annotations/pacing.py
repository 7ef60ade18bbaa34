"""How often an outside service is asked by all workers together: the database keeps the turns, by its own clock."""

import time
from collections.abc import Sequence

from django.conf import settings
from django.db import connection

from annotations.fetching import SECONDS_PER_BATCH, WAITS, Entrez, per_second
from annotations.models import Pace

# A little later than allowed at the earliest: on their way requests come nearer to each other.
MARGIN = 1.1

TAKE = f"""
INSERT INTO {Pace._meta.db_table} AS known (name, free)
VALUES (%(name)s, clock_timestamp() + %(pause)s * interval '1 second')
ON CONFLICT (name) DO UPDATE
SET free = greatest(known.free, clock_timestamp()) + %(pause)s * interval '1 second'
RETURNING extract(epoch FROM known.free - clock_timestamp())::float8 - %(pause)s
"""


class SharedPace:
    """Waits for the next turn at a service, which is shared by every process that asks it under this name.

    Not for use within a transaction, which would keep the others waiting until its end.
    """

    def __init__(self, name: str, per_second: float) -> None:
        self.name = name
        self.pause = MARGIN / per_second

    def __call__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(TAKE, {"name": self.name, "pause": self.pause})
            (wait,) = cursor.fetchone()
        time.sleep(max(0.0, wait))


def turn_at_ncbi(api_key: str) -> SharedPace:
    """NCBI counts the requests of a site by its address or key, whatever they ask for."""
    return SharedPace("ncbi", per_second(api_key))


def entrez(waits: Sequence[float] = WAITS, seconds: float = SECONDS_PER_BATCH) -> Entrez:
    """E-utilities as the settings have them, asked in turn with all other workers."""
    key = settings.ENTREZ_API_KEY
    turn, networks = turn_at_ncbi(key), settings.ALLOWED_NETWORKS
    return Entrez(settings.ENTREZ_URL, settings.CONTACT_EMAIL, key, networks, waits, turn, seconds)
