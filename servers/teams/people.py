"""Find people by their user names and confirmed addresses.

An address that nobody has confirmed belongs to nobody: people can sign up with any address.
"""

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User as Account
from django.db.models import Exists, OuterRef, Q

from servers.teams.permissions import User


def find_confirmed_person(name_or_address: str) -> Account | None:
    """The active account with this confirmed address or, without “@”, with this user name and a confirmed address.

    None if there is none; case does not matter.
    """
    confirmed = EmailAddress.objects.filter(user=OuterRef("pk"), verified=True)
    if "@" in name_or_address:
        found = Exists(confirmed.filter(email=name_or_address.lower()))
        return Account.objects.filter(found, is_active=True).first()
    accounts = list(Account.objects.filter(Exists(confirmed), username__iexact=name_or_address, is_active=True)[:2])
    return accounts[0] if len(accounts) == 1 else None


def find_confirmed_address(user: User) -> str | None:
    """The confirmed address of a user, the primary one if there are several; None if there is none."""
    addresses = EmailAddress.objects.filter(user=user.pk, verified=True).order_by("-primary", "pk")
    email: str | None = addresses.values_list("email", flat=True).first()
    return email


def find_account_by_login(typed: str) -> Account | None:
    """The account to which somebody tried to log in, by user name or any address; None if there is none."""
    if not typed or "\0" in typed:
        return None
    by_address = EmailAddress.objects.filter(email=typed.lower()).order_by("-verified").values("user")[:1]
    return Account.objects.filter(Q(username__iexact=typed) | Q(pk__in=by_address)).order_by("pk").first()
