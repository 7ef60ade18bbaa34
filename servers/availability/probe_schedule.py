"""Probe idle online servers once a minute, so that their uptime is known without calls.

A probe needs the server's lease, like a call, and that no call is in flight: it never runs during a call or while the
server works on one that it has accepted. Stopping the server at once aborts it.
"""

import time
from collections.abc import Mapping
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import connection

from bcms.lib.http.errors import HttpError
from bcms.lib.http.exchange import Exchange
from servers.availability.downtimes import store_nonempty_reported_version_if_changed, update_strikes_and_downtimes
from servers.availability.probe import ProbeStatus, ProbeTarget, probe_target_or_raise_if_aborted
from servers.calls.errors import CallError
from servers.calls.leases import lease
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.models import Call
from servers.calls.outcomes.server_rest import reset_misses_and_resume_resting_queues
from servers.calls.queues.wake_ups import enqueue_server_loop_after_commit, list_unleased_servers_with_work
from servers.credentials.sealed_headers import open_secret_headers_for_url
from servers.credentials.signing_secrets import open_signing_secret
from servers.registry import lifecycle
from servers.registry.models import Server

PROBE_INTERVAL = 60
# Called by name, because servers/tasks.py imports this module.
PROBE_TASK = "servers.tasks.run_probe_unless_server_busy"
# Servers with resting queues are excluded, as the first call after the rest probes them.
CLAIM_DUE_PROBES = """
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


def claim_and_enqueue_due_probes() -> int:
    """Enqueue a probe of every server that is due; returns how many. A probe expires if no worker runs it in time."""
    with connection.cursor() as cursor:
        cursor.execute(CLAIM_DUE_PROBES, {"pause": PROBE_INTERVAL})
        due = [server_id for (server_id,) in cursor.fetchall()]
    for server_id in due:
        current_app.send_task(PROBE_TASK, [server_id], expires=PROBE_INTERVAL)
    return len(due)


def probe_server_and_resume_queues_unless_busy(server_id: int) -> str:
    """Probe one server; returns its status, "busy" if a worker has its lease or a call is in flight, or "lost" if the
    lease was lost.
    """
    begun = time.monotonic()
    token = lease.acquire_free_lease_of_working_server(server_id)
    if token is None:
        return "busy"
    try:
        if Call.objects.filter(batch__server=server_id).exists():
            return "busy"
        server = Server.objects.select_related("call_credentials", "signing_secret").get(pk=server_id)
        exchange = Exchange(before_send=partial(lease.renew_lease_unless_fresh, token, begun))
        with lease_heartbeat.keep_lease(token), lease_heartbeat.abort_if_lost(token, exchange):
            result = probe_target_or_raise_if_aborted(_build_probe_target(server), exchange)
        with lease.hold_renewed_lease_in_transaction(token):
            update_strikes_and_downtimes(server, result.probe_status)
            store_nonempty_reported_version_if_changed(server, result.stated_version)
            if result.probe_status is ProbeStatus.UP:
                reset_misses_and_resume_resting_queues(server)
    except (lease.LeaseLostError, HttpError):
        return "lost"
    finally:
        lease.release_lease(token)
        lifecycle.take_idle_halting_server_offline(server_id)
        _wake_server_if_due(server_id)
    return result.probe_status


def _build_probe_target(server: Server) -> ProbeTarget:
    return ProbeTarget(
        url=server.url,
        protocol=server.protocol,
        networks=settings.ALLOWED_NETWORKS,
        key=server.secret_key,
        parameters=server.custom_parameters,
        secret_headers=_open_headers_unless_for_other_host(server),
        signing_secret=open_signing_secret(server),
        connect_limit=server.connect_limit,
    )


def _open_headers_unless_for_other_host(server: Server) -> Mapping[str, str]:
    try:
        return open_secret_headers_for_url(server, server.url)
    except CallError:
        return {}


def _wake_server_if_due(server_id: int) -> None:
    """Wake the server if a call became due during the probe, when the wake-up found the lease taken."""
    if list_unleased_servers_with_work().filter(pk=server_id).exists():
        enqueue_server_loop_after_commit(server_id)
