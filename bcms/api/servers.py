"""Annotation servers: what everybody sees of them, what their team sees, and what their team does with them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import KIND_CHOICES, Corpus
from bcms.api.availability import ShortFigures
from bcms.api.conventions import Choice, Pages, refusal_of
from bcms.api.rights import server_run, server_seen
from bcms.problems import Conflict
from bcms.visibility import articles_seen_by
from servers import lifecycle
from servers.availability.querysets import Measured
from servers.forms import LoadForm, RegistrationForm
from servers.models import Queue, Server, Team
from servers.querysets import ListedServer, QueueProgress, listed_servers, queues_of
from servers.queue_actions import ACTIONS, RefusedError
from servers.queueing import enqueue, queue_of
from servers.roles import rights, teams_of
from servers.states import QueueMode

NO_SUCH_KIND = f"“{{input}}” is no kind of annotation; the kinds are {', '.join(kind for kind, _ in KIND_CHOICES)}."


class TeamName(serializers.ModelSerializer):
    class Meta:
        model = Team
        fields = ["slug", "name"]


class CallCounts(serializers.Serializer):
    """How many calls of a queue are in which state."""

    waiting = serializers.IntegerField()
    asking = serializers.IntegerField()
    answered = serializers.IntegerField()
    empty = serializers.IntegerField()
    failed = serializers.IntegerField()
    total = serializers.IntegerField()


class ServerInList(serializers.Serializer):
    """What everybody sees of a server."""

    slug = serializers.CharField(source="server.slug")
    name = serializers.CharField(source="server.name")
    team = TeamName(source="server.team")
    description = serializers.CharField(source="server.description")
    stated_version = serializers.CharField(
        source="server.stated_version", help_text="of its system, as it says itself or its team; empty when nobody does"
    )
    protocol = serializers.CharField(source="server.protocol")
    kinds = serializers.ListField(child=serializers.CharField(), source="server.kinds")
    state = serializers.CharField(source="server.state")
    state_since = serializers.DateTimeField(source="server.state_since")
    windows = ShortFigures(many=True, help_text="how dependable it is, up to now; more of it at availability/")
    live = CallCounts(allow_null=True, help_text="calls of the LIVE queue; null while it has none")


class QueueOfServer(CallCounts):
    id = serializers.IntegerField(source="queue.pk")
    mode = serializers.CharField(source="queue.mode")
    name = serializers.CharField(source="queue.name", help_text="the challenge, in the modes training and test")
    state = serializers.CharField(source="queue.state")
    held = serializers.BooleanField(source="queue.held", help_text="by a challenge: nothing is asked until it lets go")
    seconds_per_article = serializers.FloatField(source="pace.seconds", allow_null=True, help_text="median of late")


@dataclass(frozen=True, slots=True)
class Inside:
    """What only the team sees of its server."""

    server: Server
    queues: Sequence[QueueProgress]


class InsideOfServer(serializers.Serializer):
    url = serializers.CharField(source="server.url")
    method = serializers.CharField(source="server.method")
    send = serializers.CharField(source="server.send")
    time_limit = serializers.IntegerField(source="server.time_limit", help_text="seconds per article")
    calls_per_minute = serializers.IntegerField(source="server.calls_per_minute", allow_null=True)
    largest_text = serializers.IntegerField(source="server.largest_text", allow_null=True, help_text="characters")
    custom_parameters = serializers.DictField(source="server.custom_parameters")
    state_reason = serializers.CharField(source="server.state_reason")
    queues = QueueOfServer(many=True)


@dataclass(frozen=True, slots=True)
class Shown:
    """A server as one person sees it; inside is None for whoever is not on its team."""

    server: Server
    live: QueueProgress | None
    windows: Sequence[Measured]
    inside: Inside | None


class ServerInFull(ServerInList):
    inside = InsideOfServer(allow_null=True, help_text="for the server's team; null for everybody else")


class NewServer(serializers.Serializer):
    """The registration of a server; the slug is made from the name."""

    team = serializers.CharField(help_text="slug of one of your teams")
    name = serializers.CharField(max_length=100)
    url = serializers.CharField(max_length=500, help_text="where it answers, with http:// or https://")
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=KIND_CHOICES, error_messages={"invalid_choice": NO_SUCH_KIND}),
        allow_empty=False,
    )
    description = serializers.CharField(default="", allow_blank=True)
    stated_version = serializers.CharField(
        max_length=100, default="", allow_blank=True, help_text="of its system; what it says itself counts more"
    )
    protocol = Choice(choices=Server.Protocol.choices, default=Server.Protocol.BCMS)
    method = serializers.CharField(max_length=100, default="Annotator.getAnnotation")
    send = Choice(choices=Server.Send.choices, default=Server.Send.STRUCT)
    time_limit = serializers.IntegerField(min_value=1, max_value=600, default=600, help_text="seconds per article")
    calls_per_minute = serializers.IntegerField(min_value=1, required=False, help_text="at most so many")
    largest_text = serializers.IntegerField(min_value=1, required=False, help_text="characters of the longest article")
    custom_parameters = serializers.DictField(required=False, help_text="BeCalm: sent along with every call")


class ArticlesToLoad(serializers.Serializer):
    """A corpus or PMIDs, one of the two."""

    corpus = serializers.SlugRelatedField(
        slug_field="slug", queryset=Corpus.objects.filter(blind=False), required=False, help_text="slug of a corpus"
    )
    pmids = serializers.ListField(child=serializers.IntegerField(min_value=1), required=False, max_length=10_000)


class Loaded(serializers.Serializer):
    """added: calls that are new; waiting: articles that waited in the queue already."""

    added = serializers.IntegerField()
    waiting = serializers.IntegerField()


@extend_schema_view(get=extend_schema(summary="List servers"))
class ServerList(generics.ListAPIView):
    """All annotation servers, by name."""

    serializer_class = ServerInList
    pagination_class = Pages
    queryset = Server.objects.order_by("name", "pk")

    def paginate_queryset(self, queryset: Sequence[Server]) -> list[ListedServer]:  # type: ignore[override]
        page = super().paginate_queryset(queryset) or []
        return listed_servers(Server.objects.filter(pk__in=[server.pk for server in page]))

    @extend_schema(summary="Register a server", request=NewServer, responses={201: ServerInFull})
    def post(self, request: Request) -> Response:
        """Register a server of one of your teams. It stays offline until the team starts it."""
        sent = NewServer(data=request.data)
        sent.is_valid(raise_exception=True)
        server = registered(request, sent.validated_data)
        return Response(ServerInFull(shown_to(request, server)).data, status=status.HTTP_201_CREATED)


def registered(request: Request, fields: dict[str, object]) -> Server:
    """The new server, by the same form as on the page; ValidationError with the form's own words."""
    teams = teams_of(request.user)
    team = teams.filter(slug=fields["team"]).first()
    if team is None:
        yours = ", ".join(teams.values_list("slug", flat=True)) or "none"
        raise ValidationError({"team": f"This is not the slug of one of your teams, which are: {yours}."})
    written = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in fields.items()}
    form = RegistrationForm({**written, "team": team.pk}, teams=teams)
    if not form.is_valid():
        raise refusal_of(form)
    return form.register()


@extend_schema_view(get=extend_schema(summary="Read a server"))
class ServerDetail(generics.RetrieveAPIView):
    """One server; its team sees the inside of it too."""

    serializer_class = ServerInFull

    def get_object(self) -> Shown:
        return shown_to(self.request, server_seen(self.kwargs["slug"]))


def shown_to(request: Request, server: Server) -> Shown:
    [listed] = listed_servers(Server.objects.filter(pk=server.pk))
    inside = Inside(listed.server, queues_of(listed.server)) if rights(request.user, server.team).run else None
    return Shown(listed.server, listed.live, listed.windows, inside)


class ServerAction(APIView):
    """A button of the server's page; for its team."""

    permission_classes = [permissions.IsAuthenticated]
    operation: Callable[[Server, object], bool]
    refusal: str

    @extend_schema(request=None, responses={200: ServerInFull, 409: OpenApiResponse(description="in another state")})
    def post(self, request: Request, slug: str) -> Response:
        server = server_run(request, slug)
        if not type(self).operation(server, request.user):
            state = Server.objects.values_list("state", flat=True).get(pk=server.pk)
            raise Conflict(f"{server} is {state}: {self.refusal}")
        return Response(ServerInFull(shown_to(request, server)).data)


@extend_schema_view(post=extend_schema(summary="Start a server"))
class StartServer(ServerAction):
    """What waits in the server's queues is asked from now on."""

    operation = staticmethod(lifecycle.start)
    refusal = "there is nothing to start."


@extend_schema_view(post=extend_schema(summary="Halt a server"))
class HaltServer(ServerAction):
    """Nothing more is asked; the call under way may finish."""

    operation = staticmethod(lifecycle.halt)
    refusal = "there is nothing to halt."


@extend_schema_view(post=extend_schema(summary="Halt a server hard"))
class HaltServerHard(ServerAction):
    """The call under way is cut, its article waits again and the try is not counted."""

    operation = staticmethod(lifecycle.halt_hard)
    refusal = "there is nothing to halt."


class Said(serializers.Serializer):
    """What was done, in one sentence."""

    done = serializers.CharField()


class ActOnQueue(APIView):
    """A button of one of the server's queues; for its team. 409 when it cannot be done now."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Act on a queue",
        request=None,
        responses={200: Said, 409: OpenApiResponse(description="cannot be done now")},
        parameters=[OpenApiParameter("action", str, OpenApiParameter.PATH, enum=list(ACTIONS))],
    )
    def post(self, request: Request, slug: str, queue: int, action: str) -> Response:
        server = server_run(request, slug)
        if action not in ACTIONS:
            raise NotFound(f"There is no action “{action}”; the actions are {', '.join(ACTIONS)}.")
        try:
            return Response({"done": ACTIONS[action].run(get_object_or_404(Queue, pk=queue, server=server))})
        except RefusedError as refusal:
            raise Conflict(str(refusal)) from refusal


class LoadServer(APIView):
    """Put a corpus, or the articles of some PMIDs, into the server's LIVE queue; for its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Load articles", request=ArticlesToLoad, responses=Loaded)
    def post(self, request: Request, slug: str) -> Response:
        server = server_run(request, slug)
        sent = ArticlesToLoad(data=request.data)
        sent.is_valid(raise_exception=True)
        chosen = chosen_articles(request, sent.validated_data.get("corpus"), sent.validated_data.get("pmids", []))
        added = enqueue(queue_of(server, QueueMode.LIVE), chosen)
        return Response({"added": added, "waiting": len(chosen) - added})


def chosen_articles(request: Request, corpus: Corpus | None, pmids: Sequence[int]) -> list[int]:
    """The articles by the same form as on the page; ValidationError with the form's own words."""
    fields = {"corpus": corpus.pk if corpus else "", "pmids": " ".join(map(str, pmids))}
    form = LoadForm(fields, articles=articles_seen_by(request.user))
    if not form.is_valid():
        raise refusal_of(form)
    return form.article_ids()
