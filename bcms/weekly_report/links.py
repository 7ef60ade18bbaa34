"""Links in weekly reports with which a member ends them without logging in."""

from django.core import signing

from servers.teams.models import Membership

REPORT_SALT = "weekly_report.mail"


class UnknownReportLinkError(Exception):
    """The link is incomplete, or there is no such member any more; the message is for the person who followed it."""


def make_report_token(team_id: int, user_id: int) -> str:
    return signing.dumps([team_id, user_id], salt=REPORT_SALT)


def get_member_to_unsubscribe(signed_token: str) -> Membership:
    """The member that a token names; UnknownReportLinkError if it is not valid."""
    try:
        team_id, user_id = signing.loads(signed_token, salt=REPORT_SALT)
        return Membership.objects.select_related("team", "user").get(team=team_id, user=user_id)
    except (signing.BadSignature, Membership.DoesNotExist):
        raise UnknownReportLinkError(
            "This link is incomplete, the team was dissolved, or you are no longer a member of it."
        ) from None
