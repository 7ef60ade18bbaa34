"""Reads of the audit trail, newest first, with the names of people; each in a fixed number of queries."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from servers.audit.models import AuditAction, AuditEvent
from servers.teams.models import Membership, Team

# What concerns a person's log-in alone: shown to their team, so that a manager sees a stolen account.
LOGIN_ACTIONS = (
    AuditAction.ACCOUNT_LOGGED_IN,
    AuditAction.ACCOUNT_LOGIN_FAILED,
    AuditAction.ACCOUNT_LOGGED_OUT,
    AuditAction.ACCOUNT_PASSWORD_CHANGED,
)
ORGANIZER_ACTIONS = (AuditAction.CHALLENGE_ORGANIZER_ADDED, AuditAction.CHALLENGE_ORGANIZER_REMOVED)


def list_audit_events() -> QuerySet[AuditEvent]:
    """Every event, for administrators."""
    return AuditEvent.objects.select_related("actor", "person").order_by("-pk")


def list_challenge_audit_events(challenge_id: int) -> QuerySet[AuditEvent]:
    """The events of a challenge, for its organizers."""
    return list_audit_events().filter(challenge_id=challenge_id)


def list_team_audit_events(team: Team) -> QuerySet[AuditEvent]:
    """The events of a team, its servers and members, and the log-ins of its members, for its members."""
    members = Membership.objects.filter(team=team).values("user")
    return list_audit_events().filter(Q(team_id=team.pk) | Q(action__in=LOGIN_ACTIONS, person__in=members))


def list_organizer_events(challenge_id: int) -> Sequence[AuditEvent]:
    """Who was added as organizer or removed, and by whom: 1 query."""
    return list(list_challenge_audit_events(challenge_id).filter(action__in=ORGANIZER_ACTIONS))
