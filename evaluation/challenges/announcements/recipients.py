"""Who gets an announcement by mail: accounts with a confirmed address, by what they chose for the challenge."""

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User as Account
from django.db.models import Q, QuerySet

from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.followers.choices import list_teams_in_challenge
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import Challenge, Entrance
from evaluation.runs.models import Run
from servers.teams.models import Membership, Team


def list_teams_of_audience(challenge: Challenge, audience: AnnouncementAudience) -> QuerySet[Team]:
    """The teams in the challenge that an announcement is for."""
    teams = list_teams_in_challenge(challenge)
    with_run = Run.objects.filter(phase__challenge=challenge, withdrawn__isnull=True, team__isnull=False)
    if audience == AnnouncementAudience.ENTERED:
        return _select_teams_that_take_part(challenge, teams, with_run)
    if audience == AnnouncementAudience.WITH_RUN:
        return teams.filter(pk__in=with_run.values("team"))
    if audience == AnnouncementAudience.WITHOUT_RUN:
        return teams.exclude(pk__in=with_run.values("team"))
    if audience == AnnouncementAudience.UNAPPROVED:
        waiting = challenge.entrants.filter(approved__isnull=True, challenge__approve_teams=True)
        return teams.filter(pk__in=waiting.values("team"))
    return teams


def _select_teams_that_take_part(
    challenge: Challenge, teams: QuerySet[Team], with_run: QuerySet[Run]
) -> QuerySet[Team]:
    """Those that have what the challenge asks for before they can enter, and those with a run.

    After new terms, teams that accepted the former ones still take part; after an approval was withdrawn, they do not.
    """
    approved = challenge.entrants.filter(approved__isnull=False)
    needs_approval = challenge.approve_teams or challenge.entrance == Entrance.INVITED
    admitted = approved if needs_approval else challenge.entrants.all()
    if challenge.terms:
        admitted = admitted.filter(accepted__isnull=False)
    taking_part = teams.filter(Q(pk__in=admitted.values("team")) | Q(pk__in=with_run.values("team")))
    return taking_part.filter(pk__in=approved.values("team")) if needs_approval else taking_part


def map_recipients_to_addresses(challenge: Challenge, audience: AnnouncementAudience) -> dict[int, str]:
    """{account id: its address} of everybody who gets an announcement for this audience, in 3 queries."""
    teams = list_teams_of_audience(challenge, audience)
    choices = _read_announcement_choices(challenge)
    wanted = _select_wanting_members(teams, choices)
    if audience == AnnouncementAudience.FOLLOWERS:
        wanted |= {user for user, announcements in choices.items() if announcements}
    return map_accounts_to_addresses(Q(pk__in=wanted))


def map_team_members_to_addresses(challenge: Challenge, teams: QuerySet[Team]) -> dict[int, str]:
    """{account id: its address} of the members of teams who get mail about the challenge, in 3 queries."""
    wanted = _select_wanting_members(teams, _read_announcement_choices(challenge))
    return map_accounts_to_addresses(Q(pk__in=wanted))


def _read_announcement_choices(challenge: Challenge) -> dict[int, bool]:
    chosen = ChallengeFollower.objects.filter(challenge=challenge).values_list("user", "announcements")
    return dict(chosen)


def _select_wanting_members(teams: QuerySet[Team], choices: Mapping[int, bool]) -> set[int]:
    """The members of teams who chose mail; without a choice, managers get it."""
    members = Membership.objects.filter(team__in=teams).values_list("user", "role")
    return {user for user, role in members if choices.get(user, role == Membership.Role.MANAGER)}


def map_accounts_to_addresses(accounts: Q) -> dict[int, str]:
    """{account id: its confirmed address} of active accounts; the primary address if that is confirmed."""
    rows: QuerySet[Any] = EmailAddress.objects.filter(
        verified=True, user__in=Account.objects.filter(accounts, is_active=True).values("pk")
    )
    # The primary address comes last, so that it replaces the others.
    return dict(rows.order_by("user", "primary", "-pk").values_list("user", "email"))
