"""Write to one person at the confirmed address of the account."""

from collections.abc import Mapping

from django.core.mail import send_mail
from django.template.loader import render_to_string

from servers.teams.people import find_confirmed_address
from servers.teams.permissions import User


def mail_person(person: User | None, subject: str, template: str, context: Mapping[str, object]) -> bool:
    """Send a mail; returns whether it was, as there is none for an account without a confirmed address, or for nobody.

    subject: line breaks and other white space in it become spaces.
    """
    address = find_confirmed_address(person) if person is not None else None
    if address is None:
        return False
    body = render_to_string(template, dict(context))
    return bool(send_mail(" ".join(f"[BCMS] {subject}".split()), body, None, [address]))
