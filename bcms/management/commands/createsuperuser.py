"""Django's command, with this site's rules for user names; the address of the new account counts as confirmed.

Nobody else can confirm the first administrator's address, and without one an account cannot use the API.
"""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User

from bcms.accounts.user_names import find_user_name_fault, is_user_name_taken, normalize_user_name


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        before = list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        super().handle(*args, **options)
        for account in User.objects.filter(is_superuser=True).exclude(pk__in=before).exclude(email=""):
            email = account.email.lower()
            is_free = not EmailAddress.objects.is_verified(email)
            EmailAddress.objects.create(user=account, email=email, verified=is_free, primary=True)
            if not is_free:
                self.stderr.write(f"{email} is a confirmed address of another account, so it does not count for this.")

    def _validate_username(self, username: str, verbose_field_name: str, database: str) -> str | None:
        """What is wrong with the name; None if it is allowed."""
        fault: str | None = super()._validate_username(  # type: ignore[misc]
            username, verbose_field_name, database
        )
        if fault or not username:
            return fault
        name = normalize_user_name(username)
        taken = f"The user name {name} is taken, or looks like one that is." if is_user_name_taken(name) else None
        return find_user_name_fault(name) or taken
