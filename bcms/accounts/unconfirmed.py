"""Accounts whose address nobody confirmed: they are forgotten, so that none keeps an address from its owner."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

# As long as the link in the mail is valid.
KEPT = timedelta(days=3)


def never_confirmed() -> QuerySet[Any]:
    """Who signed up and never got in; nobody whom a team, organizers or the staff count on."""
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


def forget(email: str) -> None:
    """Free an address for somebody who has just shown to be its owner."""
    never_confirmed().filter(emailaddress__email=email.lower()).delete()


def forget_old() -> int:
    """How many accounts were forgotten."""
    _, by_model = never_confirmed().filter(date_joined__lt=Now() - KEPT).delete()
    return by_model.get("auth.User", 0)
