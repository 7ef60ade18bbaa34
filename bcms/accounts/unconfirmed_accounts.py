"""Delete accounts with an unconfirmed address, so that nobody can block the address of somebody else."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

# How long the link in the confirmation message is valid.
UNCONFIRMED_LIFETIME = timedelta(days=3)


def _list_unconfirmed_accounts() -> QuerySet[Any]:
    """Accounts that never logged in or confirmed an address, and have no role in teams, challenges or the staff."""
    addresses = EmailAddress.objects.filter(user=OuterRef("pk"))
    return get_user_model().objects.filter(
        Exists(addresses),
        ~Exists(addresses.filter(verified=True)),
        last_login__isnull=True,
        is_staff=False,
        membership__isnull=True,
        user_permissions__isnull=True,
        groups__isnull=True,
        challenges__isnull=True,
        labellers__isnull=True,
    )


def delete_unconfirmed_unused_account(email: str) -> None:
    """Delete the unconfirmed account with this address, whose owner has just proved to be somebody else."""
    _list_unconfirmed_accounts().filter(emailaddress__email=email.lower()).delete()


def delete_old_unconfirmed_unused_accounts() -> int:
    """Delete unconfirmed accounts older than UNCONFIRMED_LIFETIME; returns how many."""
    _, by_model = _list_unconfirmed_accounts().filter(date_joined__lt=Now() - UNCONFIRMED_LIFETIME).delete()
    return by_model.get("auth.User", 0)
