"""REST resources of the audit trail: of the whole site, of a challenge and of a team."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import PermissionDenied

from bcms.lib.rest.pagination import NewestFirstPages
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer
from servers.audit.models import AuditEvent
from servers.audit.queries import list_audit_events, list_challenge_audit_events, list_team_audit_events
from servers.teams.models import Team
from servers.teams.permissions import get_team_rights


class RecordedEvent(serializers.ModelSerializer[AuditEvent]):
    actor = serializers.CharField(
        source="actor.username",
        default=None,
        allow_null=True,
        help_text="who did it; null for the site itself and visitors",
    )
    person = serializers.CharField(
        source="person.username", default=None, allow_null=True, help_text="whose account, role or log-in it is about"
    )
    before: "serializers.DictField" = serializers.DictField(help_text="values before, by name")
    after: "serializers.DictField" = serializers.DictField(help_text="values after, by name")

    class Meta:
        model = AuditEvent
        fields = ["at", "action", "subject", "actor", "person", "before", "after", "reason"]


class AuditTrailView(generics.ListAPIView[AuditEvent]):
    permission_classes = [permissions.IsAuthenticated]
    pagination_class = NewestFirstPages
    serializer_class = RecordedEvent
    queryset = AuditEvent.objects.none()


@extend_schema_view(get=extend_schema(summary="List the events of the site"))
class SiteTrail(AuditTrailView):
    """Every recorded change, newest first, for administrators."""

    permission_classes = [permissions.IsAdminUser]

    def get_queryset(self) -> QuerySet[AuditEvent]:
        return list_audit_events()


@extend_schema_view(get=extend_schema(summary="List the events of a challenge"))
class ChallengeTrail(AuditTrailView):
    """Who changed what in a challenge, newest first, for its organizers."""

    def get_queryset(self) -> QuerySet[AuditEvent]:
        challenge = get_challenge_or_403_unless_organizer(self.request.user, self.kwargs["slug"])
        return list_challenge_audit_events(challenge.pk)


@extend_schema_view(get=extend_schema(summary="List the events of a team"))
class TeamTrail(AuditTrailView):
    """Changes of a team, its servers and members, and the log-ins of its members, newest first, for its members."""

    def get_queryset(self) -> QuerySet[AuditEvent]:
        team: Any = get_object_or_404(Team, slug=self.kwargs["slug"])
        if not get_team_rights(self.request.user, team).run:
            raise PermissionDenied
        return list_team_audit_events(team)
