"""The recipients of mail about a server: members of its team with a confirmed address, by their own preference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress

from servers.notifications.models import MailPreference
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from servers.teams.permissions import User, get_logged_in_user_id


@dataclass(frozen=True, slots=True)
class MailRecipient:
    """A member of the team; address is empty if none is confirmed, wants holds the ids of the wanted servers."""

    member: Membership
    address: str
    wants: frozenset[int]


def list_active_members_and_wanted_servers(team: Team, servers: Sequence[Server]) -> list[MailRecipient]:
    """All active members of the team, managers first, and about which of these servers they want mail: 3 queries."""
    members = Membership.objects.filter(team=team, user__is_active=True).select_related("user", "team")
    ordered = list(members.order_by("role", "user__username"))
    confirmed = EmailAddress.objects.filter(user__membership__team=team, verified=True).order_by("primary", "-pk")
    # The primary address comes last, so that it replaces the others.
    addresses = dict(confirmed.values_list("user_id", "email"))
    stored = MailPreference.objects.filter(server__in=[server.pk for server in servers])
    preferences = {(row.server_id, row.user_id): row.wanted for row in stored}
    return [
        MailRecipient(
            member, addresses.get(member.user_id, ""), _select_wanted_server_ids(member, servers, preferences)
        )
        for member in ordered
    ]


def _select_wanted_server_ids(
    member: Membership, servers: Sequence[Server], preferences: Mapping[tuple[int, int], bool]
) -> frozenset[int]:
    """The ids of the servers about which a member wants mail; preferences by server id and user id."""
    default = _is_mailed_by_default(member)
    return frozenset(server.pk for server in servers if preferences.get((server.pk, member.user_id), default))


def _is_mailed_by_default(member: Membership) -> bool:
    return member.role == Membership.Role.MANAGER


def store_mail_preference(server: Server, user: User, *, wanted: bool) -> None:
    MailPreference.objects.update_or_create(
        server=server, user_id=get_logged_in_user_id(user), defaults={"wanted": wanted}
    )
