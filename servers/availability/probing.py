"""Probe servers that are at work and have nothing to do, once a minute, so that their uptime is known without traffic.

A probe speaks for the server under its lease, as a call does: never while one is in flight, and stopped by a hard halt.
"""

from celery import current_app
from django.conf import settings
from django.db import connection

from bcms.lib.http import Exchange, HttpError
from servers import lease, lifecycle, queueing
from servers.availability.looking import Address, Seen, look
from servers.availability.observing import note, note_version
from servers.heartbeat import heart
from servers.models import Server
from servers.settling import note_reached

SECONDS = 60
# The task by its name: servers/tasks.py stands above this module.
PROBE = "servers.tasks.probe"
# Resting queues probe by their own articles.
DUE = """
UPDATE servers_server SET probed = statement_timestamp() WHERE id IN (
    SELECT server.id FROM servers_server server LEFT JOIN LATERAL (
        SELECT started, finished FROM servers_attempt WHERE server_id = server.id ORDER BY id DESC LIMIT 1
    ) newest ON true
    WHERE server.state = 'online'
        AND (server.lease_until IS NULL OR server.lease_until < statement_timestamp())
        AND coalesce(server.probed < statement_timestamp() - make_interval(secs => %(pause)s), true)
        AND coalesce(newest.finished < statement_timestamp() - make_interval(secs => %(pause)s),
            newest.started IS NULL)
        AND NOT EXISTS (SELECT FROM servers_queue WHERE server_id = server.id AND state = 'resting')
    FOR UPDATE OF server SKIP LOCKED
) RETURNING id
"""


def send_due() -> int:
    """Ask for a probe of every server whose time has come; how many. A probe that nobody makes in time is forgotten."""
    with connection.cursor() as cursor:
        cursor.execute(DUE, {"pause": SECONDS})
        due = [server_id for (server_id,) in cursor.fetchall()]
    for server_id in due:
        current_app.send_task(PROBE, [server_id], expires=SECONDS)
    return len(due)


def probe(server_id: int) -> str:
    """Look at one server; says what was seen, "busy" when it is asked just now, or "lost"."""
    token = lease.take(server_id)
    if token is None:
        return "busy"
    try:
        server = Server.objects.get(pk=server_id)
        exchange = Exchange()
        with heart.alive(token), heart.watching(token, exchange):
            sight = look(address_of(server), exchange)
        with lease.held(token):
            note(server, sight.seen)
            note_version(server, sight.stated_version)
            if sight.seen is not Seen.DOWN:
                note_reached(server)
    except (lease.LeaseLostError, HttpError):
        return "lost"
    finally:
        lease.release(token)
        lifecycle.settle_halting(server_id)
        wake_if_due(server_id)
    return sight.seen


def address_of(server: Server) -> Address:
    return Address(
        url=server.url,
        protocol=server.protocol,
        networks=settings.ALLOWED_NETWORKS,
        key=server.secret_key,
        parameters=server.custom_parameters,
    )


def wake_if_due(server_id: int) -> None:
    """An article that came meanwhile found the server busy."""
    if queueing.servers_to_wake().filter(pk=server_id).exists():
        queueing.wake(server_id)
