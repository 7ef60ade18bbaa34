"""What administrators do with accounts: block and unblock them, and grant rights. Each change is in the audit trail."""

from django.contrib.auth.models import Permission
from django.contrib.auth.models import User as Account
from django.db import transaction

from bcms.accounts.models import ApiToken
from bcms.accounts.sessions import end_sessions
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

# The rights that can be granted: {permission: what it allows}.
GRANTABLE_RIGHTS = {
    "evaluation.add_challenge": "add challenges",
    "servers.review_server": "review servers",
}


class AdministrationError(Exception):
    """An action was refused; the message says why."""


@transaction.atomic
def block_account(account: Account, administrator: User, reason: str = "") -> bool:
    """Let nobody use the account: its sessions end and its tokens are revoked. False if it was blocked before.

    AdministrationError for the administrator's own account.
    """
    if account.pk == administrator.pk:
        raise AdministrationError("You cannot block your own account. Ask another administrator.")
    if not Account.objects.filter(pk=account.pk, is_active=True).update(is_active=False):
        return False
    end_sessions(account)
    ApiToken.objects.filter(user=account.pk).delete()
    record_audit_event(AuditAction.ACCOUNT_BLOCKED, reason=reason, actor=administrator, person=account)
    return True


@transaction.atomic
def unblock_account(account: Account, administrator: User, reason: str = "") -> bool:
    """Let the account be used again, with new sessions and tokens. False if it was not blocked."""
    if not Account.objects.filter(pk=account.pk, is_active=False).update(is_active=True):
        return False
    record_audit_event(AuditAction.ACCOUNT_UNBLOCKED, reason=reason, actor=administrator, person=account)
    return True


@transaction.atomic
def grant_right(account: Account, right: str, administrator: User, reason: str = "") -> bool:
    """Grant one of GRANTABLE_RIGHTS. False if the account had it."""
    permission = _get_permission(right)
    if account.user_permissions.filter(pk=permission.pk).exists():
        return False
    account.user_permissions.add(permission)
    after = {"right": GRANTABLE_RIGHTS[right]}
    record_audit_event(
        AuditAction.ACCOUNT_RIGHT_GRANTED,
        after=after,
        reason=reason,
        actor=administrator,
        person=account,
    )
    return True


@transaction.atomic
def withdraw_right(account: Account, right: str, administrator: User, reason: str = "") -> bool:
    """Withdraw one of GRANTABLE_RIGHTS. False if the account did not have it."""
    permission = _get_permission(right)
    if not account.user_permissions.filter(pk=permission.pk).exists():
        return False
    account.user_permissions.remove(permission)
    before = {"right": GRANTABLE_RIGHTS[right]}
    record_audit_event(
        AuditAction.ACCOUNT_RIGHT_WITHDRAWN,
        before=before,
        reason=reason,
        actor=administrator,
        person=account,
    )
    return True


def _get_permission(right: str) -> Permission:
    app, _, name = right.partition(".")
    try:
        return Permission.objects.get(content_type__app_label=app, codename=name)
    except Permission.DoesNotExist:
        raise AdministrationError(f"This version has no right to {GRANTABLE_RIGHTS[right]}.") from None
