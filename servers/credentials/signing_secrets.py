"""Create, replace, remove and open the secret with which calls to a server are signed."""

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from bcms.lib.http.message_signatures import generate_signing_secret
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.credentials.models import SigningSecret
from servers.credentials.sealed_values import open_sealed_values, seal_values
from servers.registry.models import Server


@transaction.atomic
def replace_signing_secret(server: Server) -> str:
    """A new secret, in place of an earlier one, which is not valid any more; it is stored sealed only.

    CredentialsKeyError if the site has no key for credentials.
    """
    secret = generate_signing_secret()
    sealed = seal_values({"secret": secret})
    SigningSecret.objects.update_or_create(server=server, defaults={"sealed": sealed, "since": Now()})
    _record_change(server, "new")
    return secret


@transaction.atomic
def remove_signing_secret(server: Server) -> bool:
    """Delete the secret, so that calls are not signed; False if there is none."""
    deleted, _ = SigningSecret.objects.filter(server=server).delete()
    if deleted:
        _record_change(server, "removed")
    return bool(deleted)


def _record_change(server: Server, change: str) -> None:
    Server.objects.filter(pk=server.pk).update(version=F("version") + 1)
    record_audit_event(AuditAction.SERVER_KEYS_CHANGED, server, after={"signing_secret": change}, team=server.team)


def open_signing_secret(server: Server) -> str:
    """The secret for a call to the server, "" if its calls are not signed.

    CredentialsKeyError in a process without the matching key.
    """
    stored: SigningSecret | None = getattr(server, "signing_secret", None)
    return "" if stored is None else open_sealed_values(bytes(stored.sealed))["secret"]
