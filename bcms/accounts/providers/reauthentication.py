"""Ask those who have neither a password nor a second factor to log in at their provider again.

allauth takes such an account for confirmed at any time.
"""

import time

from allauth.account import app_settings
from allauth.account.authentication import get_authentication_records
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest


def has_only_providers(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether the account cannot confirm who they are here; 0 queries with a password, else one for each factor."""
    return user.is_authenticated and not user.has_usable_password() and not get_reauthentication_flows(user)


def has_confirmed_recently(request: HttpRequest) -> bool:
    """Whether the person of this session has confirmed who they are within the last minutes."""
    records = get_authentication_records(request, request.user)
    confirmed = [record["at"] for record in records if record.get("reauthenticated")]
    return bool(confirmed) and time.time() - confirmed[-1] < app_settings.REAUTHENTICATION_TIMEOUT
