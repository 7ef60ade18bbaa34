"""End the sessions of an account."""

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User as Account
from django.contrib.sessions.models import Session
from django.utils import timezone


def end_sessions(account: Account, kept_key: str | None = None) -> None:
    """Log the account out everywhere, but in the session with the key kept_key.

    Sessions do not name their accounts, so all that are valid are read.
    """
    sessions = Session.objects.filter(expire_date__gt=timezone.now())
    keys = [session.pk for session in sessions.iterator() if session.get_decoded().get(SESSION_KEY) == str(account.pk)]
    Session.objects.filter(pk__in=keys).exclude(pk=kept_key).delete()
