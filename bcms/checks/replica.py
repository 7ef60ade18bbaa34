"""System check of the replica; `manage.py check --database default` runs it."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import DEFAULT_DB_ALIAS, connections

from bcms.database.replica import REPLICA, has_replica
from bcms.lib.database_outages import OUTAGES

# The number that a cluster got when it was made, and shares with its replicas.
DESCRIBE_CLUSTER = "SELECT system_identifier, pg_is_in_recovery() FROM pg_control_system()"


@register(Tags.database)
def check_replica(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Refuse a database that does not follow the one of the site; warn of one that cannot be reached."""
    if not databases or not has_replica():
        return []
    cluster, _ = _describe_cluster(DEFAULT_DB_ALIAS)
    try:
        followed, is_following = _describe_cluster(REPLICA)
    except OUTAGES as error:
        message = f"The replica cannot be reached, so the primary answers everything: {error}"
        return [Warning(message.strip(), hint="Start it, or correct DATABASE_REPLICA_URL.", id="bcms.W014")]
    if is_following and followed == cluster:
        return []
    return [
        Error(
            "DATABASE_REPLICA_URL leads to a database that is no replica of the one in DATABASE_URL.",
            hint="Name a standby of it, or leave the setting empty.",
            id="bcms.E011",
        )
    ]


def _describe_cluster(alias: str) -> tuple[int, bool]:
    with connections[alias].cursor() as cursor:
        cursor.execute(DESCRIBE_CLUSTER)
        cluster, is_following = cursor.fetchone()
    return int(cluster), bool(is_following)
