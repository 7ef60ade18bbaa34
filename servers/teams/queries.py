"""Database queries about a team's members and invitations."""

from django.db.models import QuerySet

from servers.teams.models import Invitation, Membership, Team


def list_team_members(team: Team) -> list[Membership]:
    """The members with their users, managers first, then by user name: 1 query."""
    return list(
        Membership.objects.filter(team=team).select_related("user__curator_profile").order_by("role", "user__username")
    )


def list_unaccepted_team_invitations(team: Team) -> QuerySet[Invitation]:
    """The team's invitations that were not accepted, also expired ones, sorted by address."""
    return Invitation.objects.filter(team=team, accepted__isnull=True).order_by("email")
