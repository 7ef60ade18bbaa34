"""The teams that the user is on."""

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers

from bcms.api.conventions import Pages
from servers.models import Membership, Server, Team
from servers.roles import teams_of


class MemberOfTeam(serializers.ModelSerializer):
    user = serializers.CharField(source="user.get_username")

    class Meta:
        model = Membership
        fields = ["user", "role"]


class ServerOfTeam(serializers.ModelSerializer):
    class Meta:
        model = Server
        fields = ["slug", "name", "state"]


class OwnTeam(serializers.ModelSerializer):
    members = MemberOfTeam(many=True, source="membership_set")
    servers = ServerOfTeam(many=True)

    class Meta:
        model = Team
        fields = ["slug", "name", "members", "servers"]


@extend_schema_view(get=extend_schema(summary="List your teams"))
class TeamList(generics.ListAPIView):
    """The teams for which you may register a server, with their members and servers."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = Pages
    serializer_class = OwnTeam
    queryset = Team.objects.none()

    def get_queryset(self) -> QuerySet[Team]:
        members = Membership.objects.select_related("user").order_by("role", "user__username")
        servers = Server.objects.order_by("name", "pk")
        parts = Prefetch("membership_set", members), Prefetch("servers", servers)
        return teams_of(self.request.user).prefetch_related(*parts)
