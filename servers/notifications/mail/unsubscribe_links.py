"""Links in mails with which a user unsubscribes without logging in."""

from django.core import signing

from servers.registry.models import Server
from servers.teams.models import Membership

UNSUBSCRIBE_SALT = "servers.mail"


class UnknownLinkError(Exception):
    """An unsubscribe link is invalid or out of date; the message is for the person who followed it."""


def make_unsubscribe_token(user_id: int, *server_ids: int) -> str:
    """The signed token of the link with which a user unsubscribes from mail about these servers without logging in."""
    return signing.dumps([*server_ids, user_id], salt=UNSUBSCRIBE_SALT)


def get_servers_and_member_to_unsubscribe(signed_token: str) -> tuple[list[Server], Membership]:
    """The servers, of one team, and the member that an unsubscribe token names; UnknownLinkError if it is not valid."""
    try:
        *server_ids, user_id = signing.loads(signed_token, salt=UNSUBSCRIBE_SALT)
        servers = list(Server.objects.filter(pk__in=server_ids).order_by("name", "pk"))
        teams = {server.team_id for server in servers}
        return servers, Membership.objects.select_related("user", "team").get(team__in=teams, user=user_id)
    except (signing.BadSignature, Membership.DoesNotExist):
        raise UnknownLinkError(
            "This link is incomplete, its server was removed, or you are no longer a member of the server's team."
        ) from None
