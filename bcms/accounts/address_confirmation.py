"""What has to be proved before the link in a confirmation message confirms its address.

The link proves who reads the mailbox, but not who created the account or chose its password: anybody can sign up with
somebody else's address, or add it to an account, and wait until the owner follows the link.
"""

from enum import StrEnum

from allauth.account.forms import default_token_generator
from allauth.account.internal.stagekit import unstash_login
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.account.views import INTERNAL_RESET_SESSION_KEY
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User as Account
from django.db import transaction
from django.http import HttpRequest

from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


class ConfirmationStep(StrEnum):
    """What the visitor with the link has to do."""

    # They are logged in, or have just entered the password in this browser.
    CONFIRM = "confirm"
    # Nobody has used the account yet: its password may be a stranger's, so they choose a new one.
    NEW_PASSWORD = "new password"
    # The account is in use, so the address is confirmed by its user alone.
    LOG_IN = "log in"


def get_confirmation_step(request: HttpRequest, address: EmailAddress) -> ConfirmationStep:
    """What the visitor has to do to confirm the address; at most 1 query."""
    if request.user.is_authenticated and request.user.pk == address.user_id:
        return ConfirmationStep.CONFIRM
    pending = unstash_login(request, peek=True)
    if pending and pending.user and pending.user.pk == address.user_id:
        return ConfirmationStep.CONFIRM
    return ConfirmationStep.LOG_IN if _is_in_use(address.user) else ConfirmationStep.NEW_PASSWORD


def can_reset_password_by_address(account: Account, email: str) -> bool:
    """Whether a link that is sent to this address of the account may set its password; at most 2 queries.

    An address that the user of the account has added, but not confirmed, may be somebody else's. They would get an
    account whose user gets in again by another address.
    """
    unconfirmed = EmailAddress.objects.filter(user=account, email=email.lower(), verified=False)
    return not (unconfirmed.exists() and _is_in_use(account))


@transaction.atomic
def discard_connections_of_unused_account(account: Account) -> None:
    """Delete connections with providers that are perhaps a stranger's: nobody has confirmed an address yet."""
    if not _is_in_use(account):
        SocialAccount.objects.filter(user=account).delete()


def _is_in_use(account: Account) -> bool:
    """Whether anybody has logged in to the account or confirmed an address of it; at most 1 query."""
    return bool(account.last_login) or EmailAddress.objects.filter(user=account, verified=True).exists()


@transaction.atomic
def discard_password(account: Account) -> None:
    """Make the password of an account unusable, which ends all its sessions, and delete its connections."""
    account.set_unusable_password()
    account.save(update_fields=["password"])
    SocialAccount.objects.filter(user=account).delete()
    record_audit_event(AuditAction.ACCOUNT_PASSWORD_VOIDED, person=account)


def begin_password_reset(request: HttpRequest, account: Account) -> str:
    """Let this visitor set a new password. Returns the id of the account for the address of that page."""
    request.session[INTERNAL_RESET_SESSION_KEY] = default_token_generator.make_token(account)
    uid: str = user_pk_to_url_str(account)
    return uid
