"""The accounts that submit manuscripts: administrators give them the right, and withdraw it."""

from django.contrib.auth.models import User as Account
from django.db.models import QuerySet

SUBMIT_PERMISSION = "annotations.submit_manuscript"


def list_journals() -> QuerySet[Account]:
    """The accounts that have the right and are not blocked."""
    return Account.objects.with_perm(SUBMIT_PERMISSION)
