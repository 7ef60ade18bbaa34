"""REST: the calls and attempts of a server, for its team."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.request import Request

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from bcms.lib.rest.pagination import NewestFirstPages
from bcms.lib.rest.query_parameters import read_choice_parameter
from evaluation.visibility import list_visible_articles
from servers.calls.dashboard import format_masked_request_and_answer
from servers.calls.models import Attempt, Call
from servers.calls.secret_masking import mask_secrets
from servers.calls.states import CallState, QueueMode
from servers.registry.lookup import get_server_user_may_run

CALL_STATE_PARAMETER = OpenApiParameter(
    "state", OpenApiTypes.STR, enum=[state.value for state in CallState], description="Only calls in this state."
)

BODY_HELP = "the first 64 KiB as text, secrets masked; empty after some weeks, when it is deleted"


def _format_article_id_for_team(article: Article, *, named: bool) -> str:
    """The identifier of an article to show to a team: only the opaque id unless it may be named."""
    return format_pmid_or_opaque(article) if named else article.opaque


class CallOfServer(serializers.ModelSerializer[Call]):
    article = serializers.SerializerMethodField(help_text="the PMID; the opaque id in a test")
    mode = serializers.CharField(source="queue.mode")
    queue = serializers.CharField(source="queue.name", help_text="name of the challenge, in training and test mode")
    reason = serializers.SerializerMethodField(help_text="why it is in this state, secrets masked")

    class Meta:
        model = Call
        fields = ["id", "article", "mode", "queue", "state", "tries", "due", "reason", "created", "finished"]

    def get_article(self, call: Any) -> str:
        return _format_article_id_for_team(call.article, named=call.article_named)

    def get_reason(self, call: Call) -> str:
        return mask_secrets(call.reason)


class BrokenRuleOfAttempt(serializers.Serializer[dict[str, str]]):
    code = serializers.CharField()
    where = serializers.CharField(help_text='position in the answer, such as "mentions[3].offset"')
    message = serializers.CharField()
    mend = serializers.CharField()


class OmittedPartOfAttempt(serializers.Serializer[dict[str, str]]):
    where = serializers.CharField(help_text='position in the answer, such as "mentions[3].colour"')
    reason = serializers.CharField()


class OmittedPartsOfAttempt(serializers.Serializer[dict[str, Any]]):
    """The parts of an answer that are not stored although they break no rule."""

    count = serializers.IntegerField(default=0, help_text="of all parts")
    parts = OmittedPartOfAttempt(
        many=True, default=[], help_text="the first 100; a part can stand for several of one kind"
    )


class AttemptInList(serializers.ModelSerializer[Attempt]):
    call = serializers.IntegerField(source="call_id")
    article = serializers.SerializerMethodField(help_text="the PMID; the opaque id in a test")
    articles_in_request = serializers.IntegerField(
        help_text="if above 1, seconds and phases are those of the whole request"
    )
    seconds = serializers.FloatField(allow_null=True)
    phases = serializers.DictField(child=serializers.FloatField(), help_text="seconds spent in each phase")
    message = serializers.SerializerMethodField(help_text="what went wrong and how to fix it")

    class Meta:
        model = Attempt
        fields = [
            *("id", "call", "number", "article", "articles_in_request", "started", "finished", "seconds", "outcome"),
            *("phases", "diagnosis", "message"),
        ]

    def get_article(self, attempt: Any) -> str:
        return _format_article_id_for_team(attempt.call.article, named=attempt.article_named)

    def get_message(self, attempt: Attempt) -> str:
        return mask_secrets(attempt.message)


class AttemptInFull(AttemptInList):
    broken_rules = BrokenRuleOfAttempt(many=True, help_text="the first 100")
    omitted = OmittedPartsOfAttempt()
    request = serializers.SerializerMethodField(help_text=BODY_HELP)
    answer = serializers.SerializerMethodField(help_text=BODY_HELP)

    class Meta(AttemptInList.Meta):
        fields = [*AttemptInList.Meta.fields, "broken_rules", "omitted", "request", "answer"]

    def get_request(self, attempt: Attempt) -> str:
        return format_masked_request_and_answer(attempt)[0]

    def get_answer(self, attempt: Attempt) -> str:
        return format_masked_request_and_answer(attempt)[1]


def _build_article_named_condition(request: Request, call: str = "") -> Q:
    """Whether the user may see the PMID of a call's article: administrators, and others if the article is visible to
    them and was not sent in a test. servers/calls/dashboard.py has the same rule for the pages.

    call is the lookup path to the call ("call__").
    """
    visible = Q(Exists(list_visible_articles(request.user).filter(pk=OuterRef(f"{call}article"))))
    in_test = Q(**{f"{call}queue__mode": QueueMode.TEST})
    return visible if getattr(request.user, "is_staff", False) else visible & ~in_test


def _list_large_article_fields(prefix: str) -> list[str]:
    """The names of an article's large fields, which no list shows; prefix is the lookup path to the call."""
    return [f"{prefix}article__{name}" for name in ("passages", "text", "metadata")]


@extend_schema_view(get=extend_schema(summary="List a server's calls", parameters=[CALL_STATE_PARAMETER]))
class CallList(generics.ListAPIView[Call]):
    """The calls of the server, one per article to annotate, newest first. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]
    pagination_class = NewestFirstPages
    query_parameters = ("state",)
    serializer_class = CallOfServer
    queryset = Call.objects.none()

    def get_queryset(self) -> QuerySet[Call]:
        calls = Call.objects.filter(server=get_server_user_may_run(self.request, self.kwargs["slug"]))
        state = read_choice_parameter(self.request, "state", CallState)
        calls = calls.filter(state=state) if state else calls
        calls = calls.annotate(article_named=_build_article_named_condition(self.request))
        return calls.select_related("queue", "article").defer(*_list_large_article_fields(""))


class ServerAttemptView(generics.GenericAPIView[Attempt]):
    """Attempts of the server in the URL."""

    permission_classes = [permissions.IsAuthenticated]
    queryset = Attempt.objects.none()

    def get_queryset(self) -> QuerySet[Attempt]:
        attempts = Attempt.objects.filter(server=get_server_user_may_run(self.request, self.kwargs["slug"]))
        attempts = attempts.annotate(article_named=_build_article_named_condition(self.request, "call__"))
        return attempts.select_related("call__article").defer(*_list_large_article_fields("call__"))


@extend_schema_view(get=extend_schema(summary="List a server's attempts"))
class AttemptList(ServerAttemptView, generics.ListAPIView[Attempt]):
    """The attempts of the server's calls, newest first. For members of its team."""

    pagination_class = NewestFirstPages
    serializer_class = AttemptInList

    def get_queryset(self) -> QuerySet[Attempt]:
        return super().get_queryset().defer(*_list_large_article_fields("call__"), "broken_rules", "omitted")


@extend_schema_view(get=extend_schema(summary="Read an attempt"))
class AttemptDetail(ServerAttemptView, generics.RetrieveAPIView[Attempt]):
    """One attempt with its request, its answer and the rules that the answer broke. For members of its team."""

    serializer_class = AttemptInFull

    def get_queryset(self) -> QuerySet[Attempt]:
        return super().get_queryset().select_related("body")
