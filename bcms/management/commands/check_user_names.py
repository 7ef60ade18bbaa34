"""List the accounts whose user names would be refused today, with the reason. Nothing is changed.

Names that were allowed once keep working. Ask the people to choose others, or rename an account in the administration.
"""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from bcms.accounts.user_names import annotate_normalized_names, find_user_name_fault, normalize_user_name


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        first_names: dict[str, str] = {}
        number = 0
        for account in annotate_normalized_names(User.objects.order_by("pk")).iterator():
            name, alike = account.username, first_names.setdefault(account.normalized, account.username)
            fault = find_user_name_fault(normalize_user_name(name))
            if fault is None and alike != name:
                fault = f"It differs from “{alike}” only by case, accents or separators. Choose another one."
            if fault:
                number += 1
                self.stdout.write(f"{name}: {fault}")
        self.stdout.write(f"{number} of {User.objects.count()} user names are not allowed any more.")
