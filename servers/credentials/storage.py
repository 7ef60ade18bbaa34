"""Set, replace and remove the credentials of calls to a server."""

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from bcms.lib.http.messages import format_url_origin
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.credentials.models import CallCredentials
from servers.credentials.sealed_headers import seal_header
from servers.registry.models import Server


@transaction.atomic
def replace_credentials(server: Server, scheme: str, header: str, header_value: str) -> CallCredentials:
    """Seal and store the header for calls to the origin of the server's URL, in place of an earlier one."""
    origin = format_url_origin(server.url)
    credentials, _ = CallCredentials.objects.update_or_create(
        server=server,
        defaults={
            "scheme": scheme,
            "header": header,
            "origin": origin,
            "sealed": seal_header(origin, header, header_value),
            "since": Now(),
        },
    )
    Server.objects.filter(pk=server.pk).update(version=F("version") + 1)
    record_audit_event(
        AuditAction.SERVER_KEYS_CHANGED,
        server,
        after={"credentials": "new", "scheme": scheme, "header": header, "origin": origin},
        team=server.team,
    )
    credentials.refresh_from_db(fields=["since"])
    return credentials


@transaction.atomic
def remove_credentials(server: Server) -> bool:
    """Delete the credentials; False if there are none."""
    deleted, _ = CallCredentials.objects.filter(server=server).delete()
    if deleted:
        Server.objects.filter(pk=server.pk).update(version=F("version") + 1)
        record_audit_event(AuditAction.SERVER_KEYS_CHANGED, server, after={"credentials": "removed"}, team=server.team)
    return bool(deleted)
