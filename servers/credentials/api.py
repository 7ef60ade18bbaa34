"""REST: the credentials and the signing secret of calls to a server. They can be set, but not read."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import permissions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.problems import ConflictProblem, convert_form_errors
from bcms.lib.rest.request_serializers import RequestSerializer
from servers.credentials.forms import CredentialsForm
from servers.credentials.models import CallCredentials, SigningSecret
from servers.credentials.signing_secrets import remove_signing_secret, replace_signing_secret
from servers.credentials.storage import remove_credentials
from servers.registry.lookup import get_server_for_manager


class CredentialsOfServer(serializers.ModelSerializer[CallCredentials]):
    """What is known of the credentials without their secret."""

    class Meta:
        model = CallCredentials
        fields = ["scheme", "header", "origin", "since"]
        extra_kwargs = {"origin": {"help_text": "the only scheme, host and port to which the credentials are sent"}}


class CredentialsAnswer(serializers.Serializer[Any]):
    credentials = CredentialsOfServer(allow_null=True, help_text="null if calls carry none")


class NewCredentials(RequestSerializer[dict[str, str]]):
    scheme = ExplainedChoiceField(choices=CallCredentials.Scheme.choices)
    user_name = serializers.CharField(max_length=200, default="", allow_blank=True, help_text="for basic")
    header = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="name of the header, for header"
    )
    secret = serializers.CharField(
        max_length=4000,
        trim_whitespace=False,
        write_only=True,
        help_text="the password, the token or the value of the header; it is encrypted and never shown",
    )


class ServerCredentials(APIView):
    """The credentials that calls to the server carry. For managers of its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read a server's credentials", responses=CredentialsAnswer)
    def get(self, request: Request, slug: str) -> Response:
        """How calls authenticate, without the secret."""
        server = get_server_for_manager(request, slug)
        return _build_credentials_response(CallCredentials.objects.filter(server=server).first())

    @extend_schema(
        summary="Set a server's credentials",
        request=NewCredentials,
        responses={200: CredentialsAnswer, 409: OpenApiResponse(description="the site has no key for credentials")},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Set or replace them. They are sent to the scheme, host and port of the server's present URL only."""
        server = get_server_for_manager(request, slug)
        _require_key_for_credentials()
        sent = NewCredentials(data=request.data)
        sent.is_valid(raise_exception=True)
        form = CredentialsForm(sent.validated_data)
        if not form.is_valid():
            raise convert_form_errors(form)
        return _build_credentials_response(form.store(server))

    @extend_schema(summary="Remove a server's credentials", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Later calls carry none."""
        remove_credentials(get_server_for_manager(request, slug))
        return Response(status=status.HTTP_204_NO_CONTENT)


class SigningOfServer(serializers.ModelSerializer[SigningSecret]):
    class Meta:
        model = SigningSecret
        fields = ["since"]


class SigningAnswer(serializers.Serializer[Any]):
    signing = SigningOfServer(allow_null=True, help_text="null if calls are not signed")


class NewSigningSecret(serializers.Serializer[Any]):
    secret = serializers.CharField(read_only=True, help_text="whsec_ and base64; it is shown only in this answer")


class ServerSigningSecret(APIView):
    """The secret with which calls to the server are signed. For managers of its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read whether a server's calls are signed", responses=SigningAnswer)
    def get(self, request: Request, slug: str) -> Response:
        """Since when calls are signed, without the secret."""
        server = get_server_for_manager(request, slug)
        stored = SigningSecret.objects.filter(server=server).first()
        return Response({"signing": SigningOfServer(stored).data if stored else None})

    @extend_schema(
        summary="Create a server's signing secret",
        request=None,
        responses={201: NewSigningSecret, 409: OpenApiResponse(description="the site has no key for credentials")},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Sign all later calls with a new secret, which replaces an earlier one at once."""
        server = get_server_for_manager(request, slug)
        _require_key_for_credentials()
        return Response({"secret": replace_signing_secret(server)}, status=status.HTTP_201_CREATED)

    @extend_schema(summary="Remove a server's signing secret", responses={204: None})
    def delete(self, request: Request, slug: str) -> Response:
        """Later calls are not signed."""
        remove_signing_secret(get_server_for_manager(request, slug))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _require_key_for_credentials() -> None:
    """Raise ConflictProblem if the site has no key for credentials."""
    if settings.CREDENTIALS_PUBLIC_KEY is None:
        raise ConflictProblem("This site has no key to encrypt credentials. Ask its administrators for one.")


def _build_credentials_response(credentials: CallCredentials | None) -> Response:
    return Response({"credentials": CredentialsOfServer(credentials).data if credentials else None})
