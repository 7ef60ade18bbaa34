"""REST: have a text annotated, read what servers annotate in it, and delete it. Nobody but its author sees it."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.identifiers.queries import find_named_entries
from annotations.results.annotation_rows import read_annotation_row
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from bcms.article_annotations.api import FieldsOfAnnotation, find_unchecked_open_entities
from bcms.article_annotations.current_annotations import (
    ResolvedAnnotation,
    collect_named_identifiers,
    replace_outdated_identifiers_keeping_reported,
)
from bcms.lib.rest.limits import TooManyRequests
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from bcms.pasted_texts.call_states import CallStatus, describe_calls, is_any_open
from bcms.pasted_texts.forms import PastedTextForm
from bcms.pasted_texts.lookup import get_own_pasted_text_or_404
from bcms.pasted_texts.submission import (
    TooManyTextsError,
    UnconfirmedAddressError,
    send_text_of_confirmed_account_below_limit,
)
from servers.pasted_texts.models import LONGEST_TITLE, PastedText
from servers.pasted_texts.queries import (
    list_calls_with_servers,
    list_kept_pasted_texts,
)
from servers.pasted_texts.receiving_servers import list_servers_for_pasted_texts
from servers.pasted_texts.sending import PastedTextRefusedError, TooManyOpenTextsError
from servers.registry.models import Server
from servers.teams.permissions import get_logged_in_user_id

# Twenty texts an hour are one each three minutes.
HOURLY_WAIT_SECONDS = 180


class ReceivingServer(serializers.ModelSerializer[Server]):
    team = serializers.CharField(source="team.name")

    class Meta:
        model = Server
        fields = ["slug", "name", "team"]


class PastedTextEntry(serializers.ModelSerializer[PastedText]):
    expires = serializers.DateTimeField(help_text="when it is deleted with all annotations")

    class Meta:
        model = PastedText
        fields = ["key", "title", "created", "expires"]


class NewPastedText(RequestSerializer[Any]):
    title = serializers.CharField(
        max_length=LONGEST_TITLE,
        required=False,
        allow_blank=True,
        default="",
        help_text="without one, the first line of the text is sent as the title",
    )
    text = serializers.CharField(help_text="at most 50,000 characters; leave out what others must not know")
    servers = serializers.ListField(
        child=serializers.CharField(max_length=100),
        allow_empty=False,
        help_text="slugs of the servers that get it, of those listed at /api/v1/pasted-texts/servers/",
    )


class AnnotationOfPastedText(FieldsOfAnnotation):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES, source="annotation.kind")

    def build_own_members(self, instance: ResolvedAnnotation) -> Mapping[str, object]:
        return {"kind": instance.annotation.kind.value}


class BrokenRuleOfAnswer(serializers.Serializer[Any]):
    code = serializers.CharField()
    where = serializers.CharField()
    message = serializers.CharField()


class ServerOfPastedText(serializers.Serializer[CallStatus]):
    """A server that the text was sent to, and what it annotated."""

    server = serializers.CharField(source="call.server.slug")
    name = serializers.CharField(source="call.server.name")
    team = serializers.CharField(source="call.server.team.name")
    open = serializers.BooleanField(source="is_open", help_text="whether an answer may still come")
    state = serializers.CharField(source="call.state", help_text="waiting, asking, answered, failed or not sent")
    status = serializers.CharField(help_text="a sentence about the answer, or why there is none")
    seconds = serializers.FloatField(source="call.seconds", allow_null=True)
    stated_version = serializers.CharField(source="call.stated_version", help_text="empty if not stated")
    broken_rule_count = serializers.IntegerField(source="call.broken_rule_count")
    broken_rules = BrokenRuleOfAnswer(many=True, source="call.broken_rules", help_text="the first ones")
    annotations = AnnotationOfPastedText(many=True)


class PastedTextWithAnswers(serializers.Serializer[Any]):
    key = serializers.UUIDField()
    title = serializers.CharField()
    text = serializers.CharField(
        source="canonical_text", help_text="the title and the lines of the text, to which positions refer"
    )
    created = serializers.DateTimeField()
    expires = serializers.DateTimeField(help_text="when it is deleted with all annotations")
    open = serializers.BooleanField(source="is_open", help_text="whether annotations may still come")
    servers = ServerOfPastedText(many=True, source="answers")


class PastedTextView(APIView):
    """For the account that sent the text; no cache and no report of an error keeps what is in a request or answer."""

    permission_classes = [permissions.IsAuthenticated]

    @method_decorator(never_cache)
    @method_decorator(sensitive_post_parameters("title", "text"))
    def dispatch(self, *args: Any, **kwargs: Any) -> Any:
        return super().dispatch(*args, **kwargs)


@extend_schema_view(get=extend_schema(summary="List the servers that take pasted texts"))
class ReceivingServerList(PastedTextView, generics.ListAPIView[Server]):
    """The servers to which you can send a text now, by name."""

    pagination_class = OffsetPages
    serializer_class = ReceivingServer
    queryset = Server.objects.none()

    def get_queryset(self) -> QuerySet[Server]:
        return list_servers_for_pasted_texts(self.request.user)


@extend_schema_view(get=extend_schema(summary="List your pasted texts"))
class PastedTextCollection(PastedTextView, generics.ListAPIView[PastedText]):
    """Your texts of the last 24 hours, newest first. After that time, they are deleted."""

    pagination_class = OffsetPages
    serializer_class = PastedTextEntry
    queryset = PastedText.objects.none()

    def get_queryset(self) -> QuerySet[PastedText]:
        return list_kept_pasted_texts(get_logged_in_user_id(self.request.user))

    @extend_schema(
        summary="Have a text annotated",
        request=NewPastedText,
        responses={
            201: PastedTextEntry,
            409: OpenApiResponse(description="servers still work on three of your texts"),
        },
    )
    def post(self, request: Request) -> Response:
        """Send a text to the servers that you name, and to no others. Only you can read it and its annotations, for a
        day. Twenty texts an hour, with a confirmed e-mail address."""
        sent = validate_request_data(NewPastedText, request)
        form = PastedTextForm(MultiValueDict({**_make_lists(sent), "servers": sent["servers"]}), user=request.user)
        get_cleaned_form_data(form)
        try:
            pasted = send_text_of_confirmed_account_below_limit(request._request, form)
        except UnconfirmedAddressError as error:
            raise PermissionDenied(str(error)) from error
        except TooManyTextsError as error:
            raise TooManyRequests(str(error), HOURLY_WAIT_SECONDS) from error
        except TooManyOpenTextsError as error:
            raise ConflictProblem(str(error)) from error
        except PastedTextRefusedError as error:
            raise ValidationError({"servers": [str(error)]}) from error
        pasted.refresh_from_db(fields=["created"])
        return Response(PastedTextEntry(pasted).data, status=status.HTTP_201_CREATED)


def _make_lists(sent: Mapping[str, str]) -> dict[str, list[str]]:
    return {name: [sent[name]] for name in ("title", "text")}


class PastedTextDetail(PastedTextView):
    @extend_schema(summary="Read the annotations of a pasted text", responses=PastedTextWithAnswers)
    def get(self, request: Request, key: uuid.UUID) -> Response:
        """A text of yours, and what each server has annotated in it so far. Ask again while open is true."""
        pasted = get_own_pasted_text_or_404(request.user, key)
        statuses = describe_calls(list_calls_with_servers(pasted), pasted.created, timezone.now())
        annotations = _resolve_annotations(statuses)
        data = {
            "key": pasted.key,
            "title": pasted.title,
            "canonical_text": pasted.canonical_text,
            "created": pasted.created,
            "expires": pasted.expires,
            "is_open": is_any_open(statuses),
            "answers": [
                {"call": each.call, "is_open": each.is_open, "status": each.status, "annotations": resolved}
                for each, resolved in zip(statuses, annotations, strict=True)
            ],
        }
        found = (annotation.annotation for resolved in annotations for annotation in resolved)
        unchecked = find_unchecked_open_entities(found)
        return Response(PastedTextWithAnswers(data, context={"unchecked": unchecked}).data)

    @extend_schema(summary="Delete a pasted text", responses={204: None})
    def delete(self, request: Request, key: uuid.UUID) -> Response:
        """Delete a text of yours with all annotations. An answer that comes later is not stored."""
        get_own_pasted_text_or_404(request.user, key).delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


def _resolve_annotations(statuses: Sequence[CallStatus]) -> list[list[ResolvedAnnotation]]:
    """The annotations of each server, with current identifiers: at most 1 query."""
    annotations = {
        each.call.pk: [read_annotation_row(Kind(name), *row) for name, *row in each.call.annotations]
        for each in statuses
    }
    entries = find_named_entries(collect_named_identifiers(annotations))
    return [replace_outdated_identifiers_keeping_reported(found, entries) for found in annotations.values()]
