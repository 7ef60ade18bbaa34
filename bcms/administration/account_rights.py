"""What administrators do with accounts: block and unblock them, and grant rights. Each change is in the audit trail."""

from django.contrib.auth.models import Permission
from django.contrib.auth.models import User as Account
from django.db import transaction

from bcms.accounts.models import ApiToken
from bcms.accounts.sessions import end_sessions
from evaluation.challenges.webhooks.account_webhooks import switch_off_webhooks_of_account
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

# The rights that can be granted: {permission: what it allows}.
GRANTABLE_RIGHTS = {
    "evaluation.add_challenge": "add challenges",
    "servers.review_server": "review servers",
    "annotations.submit_manuscript": "submit manuscripts as a journal",
}


class AdministrationError(Exception):
    """An action was refused; the message says why."""


@transaction.atomic
def block_account(account: Account, administrator: User, reason: str = "") -> bool:
    """Let nobody use the account: its sessions end, its tokens are revoked, and its webhooks are switched off.

    False if it was blocked before.

    AdministrationError for the administrator's own account.
    """
    if account.pk == administrator.pk:
        raise AdministrationError("You cannot block your own account. Ask another administrator.")
    if not Account.objects.filter(pk=account.pk, is_active=True).update(is_active=False):
        return False
    end_sessions(account)
    ApiToken.objects.filter(user=account.pk).delete()
    switch_off_webhooks_of_account(account)
    record_audit_event(AuditAction.ACCOUNT_BLOCKED, reason=reason, actor=administrator, person=account)
    return True


@transaction.atomic
def unblock_account(account: Account, administrator: User, reason: str = "") -> bool:
    """Let the account be used again, with new sessions and tokens. False if it was not blocked."""
    if not Account.objects.filter(pk=account.pk, is_active=False).update(is_active=True):
        return False
    record_audit_event(AuditAction.ACCOUNT_UNBLOCKED, reason=reason, actor=administrator, person=account)
    return True


def grant_right(account: Account, right: str, administrator: User, reason: str = "") -> bool:
    """Grant one of GRANTABLE_RIGHTS. False if the account had it."""
    return _set_right(account, right, administrator, reason, granted=True)


def withdraw_right(account: Account, right: str, administrator: User, reason: str = "") -> bool:
    """Withdraw one of GRANTABLE_RIGHTS. False if the account did not have it."""
    return _set_right(account, right, administrator, reason, granted=False)


@transaction.atomic
def _set_right(account: Account, right: str, administrator: User, reason: str, *, granted: bool) -> bool:
    """Grant or withdraw a right; False if nothing changes."""
    permission, rights = _get_permission(right), account.user_permissions
    if rights.filter(pk=permission.pk).exists() == granted:
        return False
    value = {"right": GRANTABLE_RIGHTS[right]}
    if granted:
        rights.add(permission)
        action, before, after = AuditAction.ACCOUNT_RIGHT_GRANTED, {}, value
    else:
        rights.remove(permission)
        action, before, after = AuditAction.ACCOUNT_RIGHT_WITHDRAWN, value, {}
    record_audit_event(action, before=before, after=after, reason=reason, actor=administrator, person=account)
    return True


def _get_permission(right: str) -> Permission:
    app, _, name = right.partition(".")
    try:
        return Permission.objects.get(content_type__app_label=app, codename=name)
    except Permission.DoesNotExist:
        raise AdministrationError(f"This version has no right to {GRANTABLE_RIGHTS[right]}.") from None
