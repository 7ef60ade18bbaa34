"""REST API of the user's own teams."""

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers

from bcms.lib.rest.pagination import OffsetPages
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from servers.teams.permissions import list_own_teams_or_all_for_staff


class MemberOfTeam(serializers.ModelSerializer[Membership]):
    user = serializers.CharField(source="user.get_username")

    class Meta:
        model = Membership
        fields = ["user", "role"]


class ServerOfTeam(serializers.ModelSerializer[Server]):
    class Meta:
        model = Server
        fields = ["slug", "name", "state"]


class OwnTeam(serializers.ModelSerializer[Team]):
    members = MemberOfTeam(many=True, source="membership_set")
    servers = ServerOfTeam(many=True)

    class Meta:
        model = Team
        fields = ["slug", "name", "members", "servers"]


@extend_schema_view(get=extend_schema(summary="List your teams"))
class TeamList(generics.ListAPIView[Team]):
    """The teams for which you may register a server, with their members and servers."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = OffsetPages
    serializer_class = OwnTeam
    queryset = Team.objects.none()

    def get_queryset(self) -> QuerySet[Team]:
        members = Membership.objects.select_related("user").order_by("role", "user__username")
        servers = Server.objects.order_by("name", "pk")
        parts = Prefetch("membership_set", members), Prefetch("servers", servers)
        return list_own_teams_or_all_for_staff(self.request.user).prefetch_related(*parts)
