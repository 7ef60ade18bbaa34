"""The connections of accounts with people at providers: made, removed, and the other ways to log in."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.conf import settings
from django.contrib.auth.models import User as Account
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from bcms.accounts.providers.adapter import describe_connection
from bcms.accounts.providers.verified_orcids import refresh_verified_orcid


class ProviderConnectionError(Exception):
    """The connection cannot be made or removed; the message says why, for the person."""


def list_connections(account_id: int) -> QuerySet[Any]:
    connections: QuerySet[Any] = SocialAccount.objects.filter(user=account_id).order_by("pk")
    return connections


def lock_login_methods(account_id: int) -> Account:
    """One connection or passkey at a time is made or removed, so that two cannot remove each other's replacement."""
    return Account.objects.select_for_update(no_key=True).get(pk=account_id)


@transaction.atomic
def connect(account_id: int, login: SocialLogin) -> SocialAccount:
    """Connect the account with who has logged in at the provider. Raises ProviderConnectionError."""
    account = lock_login_methods(account_id)
    if not account.is_active:
        raise ProviderConnectionError("Your account was closed or blocked meanwhile, so nothing was connected.")
    new, name = login.account, describe_connection(login.account)
    if list_connections(account_id).filter(provider=new.provider).exists():
        raise ProviderConnectionError(f"Your account is already connected with {name}. Disconnect that first.")
    new.user = account
    try:
        with transaction.atomic():
            new.save()
    except IntegrityError:
        raise ProviderConnectionError(f"This person at {name} is connected with another account here.") from None
    refresh_verified_orcid(account_id)
    get_adapter().send_notification_mail("socialaccount/email/connection_added", account, {"provider": name})
    return new


@transaction.atomic
def disconnect(account_id: int, connection_id: int) -> str:
    """Remove a connection of the account; the name of its provider.

    Raises ProviderConnectionError, and SocialAccount.DoesNotExist.
    """
    account = lock_login_methods(account_id)
    connection = list_connections(account_id).get(pk=connection_id)
    name = describe_connection(connection)
    if not _has_login_method(account, without_connection=connection.pk):
        raise ProviderConnectionError(f"{name} is your only way to log in. Set a password or add a passkey first.")
    connection.delete()
    refresh_verified_orcid(account_id)
    get_adapter().send_notification_mail("socialaccount/email/connection_removed", account, {"provider": name})
    return name


def check_other_way_than_passkey(account_id: int, passkey_id: int) -> None:
    """Raise ProviderConnectionError if the passkey is the only way to log in; locks the account for the transaction."""
    account = lock_login_methods(account_id)
    if not _has_login_method(account, without_passkey=passkey_id):
        raise ProviderConnectionError("This passkey is your only way to log in. Set a password first.")


def _has_login_method(account: Account, *, without_connection: int = 0, without_passkey: int = 0) -> bool:
    """A password, a connection with a provider that the site still has, or a passkey that logs in alone."""
    if account.has_usable_password():
        return True
    issuers = [provider.issuer for provider in settings.LOGIN_PROVIDERS]
    if list_connections(account.pk).filter(provider__in=issuers).exclude(pk=without_connection).exists():
        return True
    passkeys = Authenticator.objects.filter(user=account.pk, type=Authenticator.Type.WEBAUTHN)
    return any(passkey.wrap().is_passwordless for passkey in passkeys.exclude(pk=without_passkey))
