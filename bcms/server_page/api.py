"""REST: annotation servers, with more details and actions for their teams."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.results.models import RESULT_KIND_CHOICES
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.numbers import MAX_INT32
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem, convert_form_errors
from bcms.lib.rest.request_serializers import RequestSerializer
from evaluation.visibility import list_loadable_corpora, list_visible_articles
from servers.availability.api import ShortFigures
from servers.availability.queries import WindowFigures
from servers.calls.batches.batch_decisions import MOST_ARTICLES
from servers.calls.models import Queue
from servers.calls.queries import QueueProgress, list_queue_progress_in_call_order
from servers.calls.queues.actions import QUEUE_ACTIONS, QueueActionRefusedError
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.queues.forms import LoadForm
from servers.calls.states import QueueMode
from servers.registry import lifecycle
from servers.registry.forms import RegistrationForm
from servers.registry.lookup import get_server_or_404, get_server_user_may_run
from servers.registry.models import LONGEST_ENTITY_TYPE, MOST_ENTITY_TYPES, Server
from servers.registry.queries import ListedServer, list_servers_with_live_queue_progress
from servers.review.reader_choice import UNREVIEWED_PARAMETER, includes_unreviewed_in_rest
from servers.review.states import REVIEW_CHOICES
from servers.review.visible_servers import list_listed_servers
from servers.teams.models import Team
from servers.teams.permissions import User, get_team_rights, list_own_teams_or_all_for_staff

UNKNOWN_KIND_MESSAGE = (
    f"“{{input}}” is not a kind of annotation. The kinds are {', '.join(kind for kind, _ in RESULT_KIND_CHOICES)}."
)


class TeamName(serializers.ModelSerializer[Team]):
    class Meta:
        model = Team
        fields = ["slug", "name"]


class CallCounts(serializers.Serializer[Any]):
    """The number of calls of a queue by state."""

    waiting = serializers.IntegerField()
    asking = serializers.IntegerField()
    answered = serializers.IntegerField()
    empty = serializers.IntegerField()
    failed = serializers.IntegerField()
    total = serializers.IntegerField()


class ServerInList(serializers.Serializer[Any]):
    """The public data of a server."""

    slug = serializers.CharField(source="server.slug")
    name = serializers.CharField(source="server.name")
    team = TeamName(source="server.team")
    description = serializers.CharField(source="server.description")
    stated_version = serializers.CharField(
        source="server.stated_version", help_text="version of its system, as the server or its team states it"
    )
    protocol = serializers.CharField(source="server.protocol")
    kinds = serializers.ListField(child=serializers.CharField(), source="server.kinds")
    entity_types = serializers.ListField(
        child=serializers.CharField(), source="server.entity_types", help_text="empty if its team does not say"
    )
    state = serializers.CharField(source="server.state")
    state_since = serializers.DateTimeField(source="server.state_since")
    review = serializers.ChoiceField(
        choices=REVIEW_CHOICES,
        source="server.review",
        help_text="everybody sees the live annotations of accepted servers",
    )
    windows = ShortFigures(many=True, help_text="availability up to now; details are at availability/")
    live = CallCounts(allow_null=True, help_text="calls of the LIVE queue; null if it has no LIVE queue")


class QueueOfServer(CallCounts):
    id = serializers.IntegerField(source="queue.pk")
    mode = serializers.CharField(source="queue.mode")
    name = serializers.CharField(source="queue.name", help_text="name of the challenge, in training and test mode")
    state = serializers.CharField(source="queue.state")
    held = serializers.BooleanField(
        source="queue.held", help_text="whether a challenge holds the queue: no calls are made"
    )
    missed = serializers.IntegerField(
        source="pace.missed",
        help_text="waiting articles that readers opened while the server was stopped or unreachable",
    )
    given_up = serializers.IntegerField(
        source="queue.given_up", help_text="such articles that were removed, because too many waited or after a review"
    )
    seconds_per_article = serializers.FloatField(source="pace.seconds", allow_null=True, help_text="recent median")


@dataclass(frozen=True, slots=True)
class ServerInternals:
    """The data of a server that only its team sees."""

    server: Server
    queues: Sequence[QueueProgress]


class InsideOfServer(serializers.Serializer[ServerInternals]):
    url = serializers.CharField(source="server.url")
    method = serializers.CharField(source="server.method")
    send = serializers.CharField(source="server.send")
    time_limit = serializers.IntegerField(source="server.time_limit", help_text="seconds per article")
    seconds_per_1000_characters = serializers.FloatField(
        source="server.seconds_per_1000_characters",
        allow_null=True,
        help_text="added to the time limit for each 1,000 characters of the text",
    )
    connect_limit = serializers.IntegerField(
        source="server.connect_limit", allow_null=True, help_text="seconds for each connection"
    )
    calls_per_minute = serializers.IntegerField(source="server.calls_per_minute", allow_null=True)
    largest_text = serializers.IntegerField(source="server.largest_text", allow_null=True, help_text="characters")
    articles_per_request = serializers.IntegerField(
        source="server.articles_per_request", help_text="the most that it takes in one request"
    )
    custom_parameters = serializers.DictField(source="server.custom_parameters")
    confidential = serializers.BooleanField(
        source="server.confidential", help_text="whether it may receive unpublished manuscripts"
    )
    accepts_pasted_texts = serializers.BooleanField(
        source="server.accepts_pasted_texts", help_text="whether it annotates texts that people paste"
    )
    state_reason = serializers.CharField(source="server.state_reason")
    queues = QueueOfServer(many=True)


@dataclass(frozen=True, slots=True)
class VisibleServer:
    """A server as one user sees it; inside is None for users who are not on its team."""

    server: Server
    live: QueueProgress | None
    windows: Sequence[WindowFigures]
    inside: ServerInternals | None


class ServerInFull(ServerInList):
    inside = InsideOfServer(allow_null=True, help_text="for the server's team only; otherwise null")


class NewServer(RequestSerializer[Any]):
    """The registration of a server. The slug is derived from the name."""

    team = serializers.CharField(help_text="slug of one of your teams")
    name = serializers.CharField(max_length=100)
    url = serializers.CharField(max_length=500, help_text="URL of the server, starting with http:// or https://")
    kinds = serializers.ListField(
        child=serializers.ChoiceField(
            choices=RESULT_KIND_CHOICES, error_messages={"invalid_choice": UNKNOWN_KIND_MESSAGE}
        ),
        allow_empty=False,
    )
    entity_types = serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_ENTITY_TYPE),
        max_length=MOST_ENTITY_TYPES,
        required=False,
        help_text="Gene, Disease, Chemical, Species or any other; known spellings get the name of their type",
    )
    description = serializers.CharField(default="", allow_blank=True)
    stated_version = serializers.CharField(
        max_length=100,
        default="",
        allow_blank=True,
        help_text="version of its system; a version that the server itself states takes precedence",
    )
    protocol = ExplainedChoiceField(choices=Server.Protocol.choices, default=Server.Protocol.BCMS)
    method = serializers.CharField(max_length=100, default="Annotator.getAnnotation")
    send = ExplainedChoiceField(choices=Server.Send.choices, default=Server.Send.STRUCT)
    time_limit = serializers.IntegerField(min_value=1, max_value=600, default=600, help_text="seconds per article")
    seconds_per_1000_characters = serializers.FloatField(
        min_value=0.001,
        max_value=600,
        required=False,
        help_text="added to the time limit for each 1,000 characters of the text; both together are at most 600 s",
    )
    connect_limit = serializers.IntegerField(
        min_value=1,
        max_value=60,
        required=False,
        help_text="seconds for the DNS lookup, the connection and the TLS handshake together",
    )
    calls_per_minute = serializers.IntegerField(min_value=1, max_value=MAX_INT32, required=False, help_text="maximum")
    largest_text = serializers.IntegerField(
        min_value=1, max_value=MAX_INT32, required=False, help_text="maximum, in characters"
    )
    articles_per_request = serializers.IntegerField(
        min_value=1,
        max_value=MOST_ARTICLES,
        default=1,
        help_text="the most that it takes in one request, in live and training queues; not with XML-RPC",
    )
    custom_parameters = serializers.DictField(required=False, help_text="BeCalm only: sent with every call")
    confidential = serializers.BooleanField(
        required=False, help_text="whether the team accepts the confidentiality terms, so that it receives manuscripts"
    )
    accepts_pasted_texts = serializers.BooleanField(
        required=False,
        help_text="whether it annotates texts that people paste, which the team uses for nothing but the answer; not "
        "for servers that get PMIDs or call back",
    )


class ArticlesToLoad(RequestSerializer[Any]):
    """Either a corpus or PMIDs."""

    corpus = serializers.SlugField(required=False, help_text="slug of a corpus")
    pmids = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_INT32), required=False, max_length=10_000
    )


class Loaded(serializers.Serializer[dict[str, int]]):
    """added: new calls; waiting: articles that were already waiting in the queue."""

    added = serializers.IntegerField()
    waiting = serializers.IntegerField()


@extend_schema_view(get=extend_schema(summary="List servers", parameters=[UNREVIEWED_PARAMETER]))
class ServerList(generics.ListAPIView[Server]):
    """The accepted annotation servers and those of your teams, by name."""

    serializer_class = ServerInList
    pagination_class = OffsetPages
    query_parameters = ("unreviewed",)
    queryset = Server.objects.none()

    def get_queryset(self) -> QuerySet[Server]:
        with_unreviewed = includes_unreviewed_in_rest(self.request)
        return list_listed_servers(self.request.user, with_unreviewed=with_unreviewed).order_by("name", "pk")

    def paginate_queryset(self, queryset: Sequence[Server]) -> list[ListedServer]:  # type: ignore[override]
        page = super().paginate_queryset(queryset) or []
        return list_servers_with_live_queue_progress(Server.objects.filter(pk__in=[server.pk for server in page]))

    @extend_schema(summary="Register a server", request=NewServer, responses={201: ServerInFull})
    def post(self, request: Request) -> Response:
        """Register a server for one of your teams. It stays offline until the team starts it, and only the team sees
        its live annotations until a reviewer accepts it."""
        sent = NewServer(data=request.data)
        sent.is_valid(raise_exception=True)
        server = _create_requested_server(request, sent.validated_data)
        return Response(ServerInFull(build_visible_server(request, server)).data, status=status.HTTP_201_CREATED)


def _create_requested_server(request: Request, fields: dict[str, object]) -> Server:
    """Register the server with the form of the page; ValidationError with the form's messages."""
    teams = list_own_teams_or_all_for_staff(request.user)
    team = teams.filter(slug=fields["team"]).first()
    if team is None:
        slugs = ", ".join(teams.values_list("slug", flat=True)) or "none"
        raise ValidationError({"team": f"This is not the slug of one of your teams. Your teams: {slugs}."})
    form_data = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in fields.items()}
    form = RegistrationForm({**form_data, "team": team.pk}, teams=teams)
    if not form.is_valid():
        raise convert_form_errors(form)
    return form.register()


@extend_schema_view(get=extend_schema(summary="Read a server"))
class ServerDetail(generics.RetrieveAPIView[Any]):
    """One server. Members of its team see its settings and queues, too."""

    serializer_class = ServerInFull

    def get_object(self) -> VisibleServer:
        return build_visible_server(self.request, get_server_or_404(self.kwargs["slug"], self.request.user))


def build_visible_server(request: Request, server: Server) -> VisibleServer:
    [listed] = list_servers_with_live_queue_progress(Server.objects.filter(pk=server.pk))
    inside = (
        ServerInternals(listed.server, list_queue_progress_in_call_order(listed.server))
        if get_team_rights(request.user, server.team).run
        else None
    )
    return VisibleServer(listed.server, listed.live, listed.windows, inside)


class ServerAction(APIView):
    """Change the state of a server. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]
    operation: Callable[[Server, User | None], bool]
    refusal: str

    @extend_schema(
        request=None, responses={200: ServerInFull, 409: OpenApiResponse(description="not in a state that allows it")}
    )
    def post(self, request: Request, slug: str) -> Response:
        server = get_server_user_may_run(request, slug)
        if not type(self).operation(server, request.user):
            state = Server.objects.values_list("state", flat=True).get(pk=server.pk)
            raise ConflictProblem(f"{server} is {state}: {self.refusal}")
        return Response(ServerInFull(build_visible_server(request, server)).data)


@extend_schema_view(post=extend_schema(summary="Start a server"))
class StartServer(ServerAction):
    """Start a server: the waiting articles in its queues are sent to it. For members of its team."""

    operation = staticmethod(lifecycle.bring_server_online_and_resume_resting_queues)
    refusal = "it cannot be started."


@extend_schema_view(post=extend_schema(summary="Stop a server after the current call"))
class HaltServer(ServerAction):
    """Stop a server after its current call. For members of its team."""

    operation = staticmethod(lifecycle.halt_server_after_current_call)
    refusal = "it cannot be stopped."


@extend_schema_view(post=extend_schema(summary="Stop a server now"))
class HaltServerHard(ServerAction):
    """Stop a server at once. Its current call is aborted: the article waits again, and the try does not count. For
    members of its team."""

    operation = staticmethod(lifecycle.halt_server_now_and_return_calls)
    refusal = "it cannot be stopped."


class Said(serializers.Serializer[dict[str, str]]):
    """A sentence that confirms the action."""

    done = serializers.CharField()


class ActOnQueue(APIView):
    """Act on one of the server's queues; 409 if this is not possible now. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Act on a queue",
        request=None,
        responses={200: Said, 409: OpenApiResponse(description="not possible now")},
        parameters=[OpenApiParameter("action", str, OpenApiParameter.PATH, enum=list(QUEUE_ACTIONS))],
    )
    def post(self, request: Request, slug: str, queue: int, action: str) -> Response:
        server = get_server_user_may_run(request, slug)
        if action not in QUEUE_ACTIONS:
            raise NotFound(f"There is no action “{action}”. The actions are {', '.join(QUEUE_ACTIONS)}.")
        try:
            return Response({"done": QUEUE_ACTIONS[action].run(get_object_or_404(Queue, pk=queue, server=server))})
        except QueueActionRefusedError as refusal:
            raise ConflictProblem(str(refusal)) from refusal


class LoadServer(APIView):
    """Add a corpus, or articles by PMID, to the server's LIVE queue. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Load articles", request=ArticlesToLoad, responses=Loaded)
    def post(self, request: Request, slug: str) -> Response:
        server = get_server_user_may_run(request, slug)
        sent = ArticlesToLoad(data=request.data)
        sent.is_valid(raise_exception=True)
        slug, pmids = sent.validated_data.get("corpus", ""), sent.validated_data.get("pmids", [])
        article_ids = _list_articles_to_load(request, slug, pmids)
        added = enqueue_articles_without_open_or_test_call(
            get_or_create_queue_and_producer(server, QueueMode.LIVE), article_ids
        )
        return Response({"added": added, "waiting": len(article_ids) - added})


def _list_articles_to_load(request: Request, corpus_slug: str, pmids: Sequence[int]) -> list[int]:
    """The ids of the articles, by the form of the page; ValidationError with the form's messages."""
    corpora = list_loadable_corpora(request.user)
    corpus = corpora.filter(slug=corpus_slug).first() if corpus_slug else None
    if corpus_slug and corpus is None:
        raise ValidationError({"corpus": f"There is no corpus “{corpus_slug}” that you may load."})
    fields = {"corpus": corpus.pk if corpus else "", "pmids": " ".join(map(str, pmids))}
    form = LoadForm(fields, articles=list_visible_articles(request.user), corpora=corpora)
    if not form.is_valid():
        raise convert_form_errors(form)
    return form.article_ids()
