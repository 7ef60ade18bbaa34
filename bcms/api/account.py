"""REST: the account that a request acts as, and what its token permits."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.accounts.models import ApiToken
from bcms.accounts.scopes import Scope
from servers.teams.models import Membership
from servers.teams.permissions import get_logged_in_user_id


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """The account of a request; token: the one that authenticates it, None for a password or a session."""

    username: str
    email: str
    staff: bool
    teams: Sequence[Membership]
    token: ApiToken | None


class OwnRole(serializers.ModelSerializer[Membership]):
    slug = serializers.SlugField(source="team.slug")

    class Meta:
        model = Membership
        fields = ["slug", "role"]


class OwnToken(serializers.ModelSerializer[ApiToken]):
    scopes = serializers.ListField(
        child=serializers.ChoiceField(choices=Scope.choices), help_text="what the token permits; read is always in it"
    )
    expires = serializers.DateTimeField(allow_null=True, help_text="null if it is valid until it is revoked")

    class Meta:
        model = ApiToken
        fields = ["name", "scopes", "expires"]


class Account(serializers.Serializer[OwnAccount]):
    username = serializers.CharField()
    email = serializers.CharField(help_text="your main address, empty if there is none")
    staff = serializers.BooleanField(help_text="whether the account administers the site")
    teams = OwnRole(many=True)
    token = OwnToken(allow_null=True, help_text="null if the request has a password or a session instead")


class ReadOwnAccount(APIView):
    """Who the request acts as: the account, its teams with its role in each, and the token with its scopes."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read your account", responses=Account)
    def get(self, request: Request) -> Response:
        token = request.auth if isinstance(request.auth, ApiToken) else None
        teams = Membership.objects.filter(user=request.user.pk).select_related("team").order_by("team__slug")
        user = User.objects.get(pk=get_logged_in_user_id(request.user))
        account = OwnAccount(user.username, user.email, user.is_staff, list(teams), token)
        return Response(Account(account).data)
