"""Who gets mail about a server: members of its team with a confirmed address, each by their own choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.core import signing

from servers.models import MailWish, Membership, Server, Team

SALT = "servers.mail"


class UnknownLinkError(Exception):
    """The link of a mail names nobody, or no server, that is here; one sentence for who followed it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A member of the team; address is empty while none is confirmed, wants holds the ids of servers."""

    member: Membership
    address: str
    wants: frozenset[int]


def readers_of(team: Team, servers: Sequence[Server]) -> list[Reader]:
    """Everybody on the team, managers first, and about which of these servers they want mail: 3 queries."""
    members = Membership.objects.filter(team=team, user__is_active=True).select_related("user", "team")
    ordered = list(members.order_by("role", "user__username"))
    confirmed = EmailAddress.objects.filter(user__membership__team=team, verified=True).order_by("primary", "-pk")
    # The primary one comes last and stays.
    addresses = dict(confirmed.values_list("user_id", "email"))
    said = MailWish.objects.filter(server__in=[server.pk for server in servers])
    wishes = {(row.server_id, row.user_id): row.wanted for row in said}
    return [Reader(member, addresses.get(member.user_id, ""), wanted_by(member, servers, wishes)) for member in ordered]


def wanted_by(member: Membership, servers: Sequence[Server], wishes: Mapping[tuple[int, int], bool]) -> frozenset[int]:
    unasked = gets_it_unasked(member)
    return frozenset(server.pk for server in servers if wishes.get((server.pk, member.user_id), unasked))


def gets_it_unasked(member: Membership) -> bool:
    return member.role == Membership.Role.MANAGER


def wish(server: Server, user: Any, *, wanted: bool) -> None:
    MailWish.objects.update_or_create(server=server, user=user, defaults={"wanted": wanted})


def stop_token(user_id: int, *server_ids: int) -> str:
    """What the link carries by which one person gets no more mail about these servers, without a log-in."""
    return signing.dumps([*server_ids, user_id], salt=SALT)


def stopped_by(token: str) -> tuple[list[Server], Membership]:
    """Whose mail about which servers of one team the link stops; raises UnknownLinkError."""
    try:
        *server_ids, user_id = signing.loads(token, salt=SALT)
        servers = list(Server.objects.filter(pk__in=server_ids).order_by("name", "pk"))
        teams = {server.team_id for server in servers}
        return servers, Membership.objects.select_related("user", "team").get(team__in=teams, user=user_id)
    except (signing.BadSignature, Membership.DoesNotExist):
        raise UnknownLinkError(
            "This link stops nothing: it is not whole, or the server is gone, or you are not on its team any more."
        ) from None
