"""Write to the organizers of a challenge."""

from allauth.account.models import EmailAddress
from django.core.mail import send_mail

from evaluation.challenges.models import Challenge


def mail_organizers(challenge: Challenge, subject: str, body: str) -> int:
    """Write a mail to each organizer with a confirmed primary address. Returns the number of mails."""
    addresses = EmailAddress.objects.filter(
        user__in=challenge.organizers.filter(is_active=True), verified=True, primary=True
    )
    return sum(
        send_mail(" ".join(subject.split()), body, None, [address])
        for address in addresses.order_by("email").values_list("email", flat=True)
    )
