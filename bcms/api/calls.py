"""The calls and attempts of a server, for its team."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.request import Request

from annotations.models import Article
from bcms.api.articles import identifier_of
from bcms.api.conventions import NewestFirst, word_of
from bcms.api.rights import server_run
from bcms.visibility import articles_seen_by
from servers.masking import masked, shown
from servers.models import Attempt, Call
from servers.states import CallState, QueueMode

STATE = OpenApiParameter(
    "state", OpenApiTypes.STR, enum=[state.value for state in CallState], description="Only calls in this state."
)


def identifier_for_team(article: Article, named: bool) -> str:
    """What a team may call an article: by its opaque id alone where no more may be told."""
    return identifier_of(article) if named else article.opaque


class CallOfServer(serializers.ModelSerializer):
    article = serializers.SerializerMethodField(help_text="the PMID; the opaque id in a test")
    mode = serializers.CharField(source="queue.mode")
    queue = serializers.CharField(source="queue.name", help_text="the challenge, in the modes training and test")
    reason = serializers.SerializerMethodField(help_text="why it is in this state, secrets masked")

    class Meta:
        model = Call
        fields = ["id", "article", "mode", "queue", "state", "tries", "due", "reason", "created", "finished"]

    def get_article(self, call: Any) -> str:
        return identifier_for_team(call.article, call.article_named)

    def get_reason(self, call: Call) -> str:
        return masked(call.reason)


class BrokenRuleOfAttempt(serializers.Serializer):
    code = serializers.CharField()
    where = serializers.CharField(help_text='place in the answer, such as "mentions[3].offset"')
    message = serializers.CharField()
    mend = serializers.CharField()


class AttemptInList(serializers.ModelSerializer):
    call = serializers.IntegerField(source="call_id")
    article = serializers.SerializerMethodField(help_text="the PMID; the opaque id in a test")
    seconds = serializers.FloatField(allow_null=True)
    phases = serializers.DictField(child=serializers.FloatField(), help_text="seconds spent in each phase")
    message = serializers.SerializerMethodField(help_text="what happened and what to do")

    class Meta:
        model = Attempt
        fields = [
            *("id", "call", "number", "article", "started", "finished", "seconds", "outcome"),
            *("phases", "diagnosis", "message"),
        ]

    def get_article(self, attempt: Any) -> str:
        return identifier_for_team(attempt.call.article, attempt.article_named)

    def get_message(self, attempt: Attempt) -> str:
        return masked(attempt.message)


class AttemptInFull(AttemptInList):
    broken_rules = BrokenRuleOfAttempt(many=True)
    request = serializers.SerializerMethodField(help_text="the first 64 KiB as text, secrets masked")
    answer = serializers.SerializerMethodField(help_text="the first 64 KiB as text, secrets masked")

    class Meta(AttemptInList.Meta):
        fields = [*AttemptInList.Meta.fields, "broken_rules", "request", "answer"]

    def get_request(self, attempt: Attempt) -> str:
        return shown(bytes(attempt.request))

    def get_answer(self, attempt: Attempt) -> str:
        return shown(bytes(attempt.answer))


def article_named(request: Request, call: str = "") -> Q:
    """Whether the PMID of a call's article may be told: the user may see it, and it was not asked in a test.

    The same as on the pages (servers/inside.py). call is the path to the call ("call__").
    """
    seen = Q(Exists(articles_seen_by(request.user).filter(pk=OuterRef(f"{call}article"))))
    in_test = Q(**{f"{call}queue__mode": QueueMode.TEST})
    return seen if getattr(request.user, "is_staff", False) else seen & ~in_test


def light(prefix: str) -> list[str]:
    """The large fields of an article that no list shows."""
    return [f"{prefix}article__{name}" for name in ("passages", "text", "metadata")]


@extend_schema_view(get=extend_schema(summary="List a server's calls", parameters=[STATE]))
class CallList(generics.ListAPIView):
    """The articles the server was, is or will be asked about, the newest call first; for its team."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = NewestFirst
    serializer_class = CallOfServer
    queryset = Call.objects.none()

    def get_queryset(self) -> QuerySet[Call]:
        calls = Call.objects.filter(server=server_run(self.request, self.kwargs["slug"]))
        state = word_of(self.request, "state", CallState)
        calls = calls.filter(state=state) if state else calls
        calls = calls.annotate(article_named=article_named(self.request))
        return calls.select_related("queue", "article").defer(*light(""))


class OfServer(generics.GenericAPIView):
    """Attempts of the server in the address."""

    permission_classes = [permissions.IsAuthenticated]
    queryset = Attempt.objects.none()

    def get_queryset(self) -> QuerySet[Attempt]:
        attempts = Attempt.objects.filter(server=server_run(self.request, self.kwargs["slug"]))
        attempts = attempts.annotate(article_named=article_named(self.request, "call__"))
        return attempts.select_related("call__article").defer(*light("call__"))


@extend_schema_view(get=extend_schema(summary="List a server's attempts"))
class AttemptList(OfServer, generics.ListAPIView):
    """How each try went, the newest first; for the server's team."""

    pagination_class = NewestFirst
    serializer_class = AttemptInList

    def get_queryset(self) -> QuerySet[Attempt]:
        return super().get_queryset().defer(*light("call__"), "request", "answer", "broken_rules")


@extend_schema_view(get=extend_schema(summary="Read an attempt"))
class AttemptDetail(OfServer, generics.RetrieveAPIView):
    """One try with what was sent, what was answered and which rules the answer broke; for the server's team."""

    serializer_class = AttemptInFull
