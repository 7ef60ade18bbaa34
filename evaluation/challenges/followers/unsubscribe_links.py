"""Links in mails with which a user ends mail about a challenge without logging in."""

from django.conf import settings
from django.contrib.auth.models import User as Account
from django.core import signing
from django.core.mail import EmailMessage

from evaluation.challenges.models import Challenge
from servers.notifications.mail.mails import ONE_CLICK
from servers.notifications.site_links import build_site_url

CHALLENGE_MAIL_SALT = "challenges.mail"


class UnknownChallengeLinkError(Exception):
    """The link is incomplete, or its challenge or account is gone."""


def make_challenge_mail_token(challenge_id: int, user_id: int) -> str:
    """The signed token of the link with which a user ends mail about a challenge."""
    return signing.dumps([challenge_id, user_id], salt=CHALLENGE_MAIL_SALT)


def get_challenge_and_account_to_unsubscribe(signed_token: str) -> tuple[Challenge, Account]:
    """What a token names; UnknownChallengeLinkError if it is not valid."""
    try:
        challenge_id, user_id = signing.loads(signed_token, salt=CHALLENGE_MAIL_SALT)
        return Challenge.objects.get(pk=challenge_id), Account.objects.get(pk=user_id, is_active=True)
    except (signing.BadSignature, Challenge.DoesNotExist, Account.DoesNotExist):
        raise UnknownChallengeLinkError(
            "This link is incomplete, or the challenge or your account was deleted since."
        ) from None


def build_challenge_mail(challenge: Challenge, user_id: int, address: str, subject: str, body: str) -> EmailMessage:
    """A mail about a challenge that ends with the link to get no more of them."""
    stop = build_site_url("challenge-mail-unsubscribe", make_challenge_mail_token(challenge.pk, user_id))
    text = f"{body.rstrip()}\n\n-- \nNo more mail about {challenge}: {stop}\n"
    headers = {"List-Unsubscribe": f"<{stop}>", **ONE_CLICK}
    return EmailMessage(" ".join(subject.split()), text, settings.DEFAULT_FROM_EMAIL, [address], headers=headers)
