"""Passages pooled from all runs, by REST: collect them, name judges, judge, adjudicate, close."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.conventions import Choice
from bcms.api.organized import REFUSED, Organized, saved, valid
from evaluation.models import Phase, Task
from evaluation.pooling import closing, judging
from evaluation.pooling.collecting import collect, uncollected
from evaluation.pooling.decisions import decisions_file
from evaluation.pooling.forms import VERDICTS, DecisionForm, JudgeForm, shown_at
from evaluation.pooling.models import Pool
from evaluation.pooling.pages import as_file, judges_place, may_read_judgements, place_of, the_pool
from evaluation.pooling.reading import page_of
from evaluation.pooling.standing import standing_of

# What a judge says of a passage, and the key for it on the page.
WORDS = {"relevant": "y", "not relevant": "n", "best": "b"}
TABLE = {(200, "text/tab-separated-values"): OpenApiTypes.STR}
NOTHING = OpenApiResponse(description="there is no pair to decide")
AT = OpenApiParameter("at", int, description="the number of a pair; default: the first that is not decided")


class JudgeOfPool(serializers.Serializer):
    judge = serializers.CharField(source="judge.name")
    judged = serializers.IntegerField(help_text="passages")
    seconds = serializers.FloatField(allow_null=True, help_text="median of a decision")


class JudgesAgreed(serializers.Serializer):
    """How far two judges agree; null where it is 0/0."""

    first = serializers.CharField(source="first.name")
    second = serializers.CharField(source="second.name")
    agreement = serializers.SerializerMethodField()

    def get_agreement(self, own: Any) -> dict[str, Any]:
        return asdict(own.agreement)


class PoolInFull(serializers.Serializer):
    """unjudged: passages that not every judge has judged; uncollected: those of runs that are not in it."""

    passages = serializers.SerializerMethodField()
    articles = serializers.IntegerField()
    pairs = serializers.IntegerField()
    relevant = serializers.IntegerField(help_text="passages that count as relevant as it stands")
    unjudged = serializers.IntegerField()
    conflicts = serializers.SerializerMethodField()
    uncollected = serializers.SerializerMethodField()
    closed = serializers.DateTimeField(source="pool.closed", allow_null=True)
    judges = JudgeOfPool(many=True)
    adjudicators = serializers.SerializerMethodField()
    agreements = JudgesAgreed(many=True)

    def get_passages(self, own: Any) -> int:
        return len(own.passages)

    def get_conflicts(self, own: Any) -> int:
        return len(own.conflicts)

    def get_uncollected(self, own: Any) -> int:
        return uncollected(own.pool)

    def get_adjudicators(self, own: Any) -> list[str]:
        return [each.name for each in own.adjudicators]


class NewJudge(serializers.Serializer):
    judge = serializers.CharField(max_length=254, help_text="user name or e-mail address; to remove, the user name")
    adjudicates = serializers.BooleanField(default=False, help_text="decides where judges differ, and judges not")
    remove = serializers.BooleanField(default=False, help_text="judges no more; what was decided is kept")


class VerdictOnPassage(serializers.Serializer):
    relevant = serializers.BooleanField()
    best = serializers.BooleanField()


class PassageToJudge(serializers.Serializer):
    """verdict: what you said; others: what judges say, for who adjudicates; conflict: they differ."""

    passage = serializers.IntegerField(source="key")
    text = serializers.CharField()
    verdict = VerdictOnPassage(allow_null=True)
    others = VerdictOnPassage(many=True)
    conflict = serializers.BooleanField()


class ProteinOfPair(serializers.Serializer):
    identifier = serializers.CharField()
    name = serializers.CharField()


class PairToJudge(serializers.Serializer):
    """A pair of an article with its passages; unjudged: the number of the next pair to be decided, null when none is.

    shown: when this was answered, to be sent back with each decision, so that its time is known.
    """

    at = serializers.IntegerField(source="number")
    pairs = serializers.IntegerField(source="whole")
    judged = serializers.IntegerField(help_text="passages")
    of = serializers.IntegerField(source="passages", help_text="passages")
    unjudged = serializers.IntegerField(allow_null=True)
    article = serializers.SerializerMethodField(help_text="its text")
    pair = ProteinOfPair(many=True)
    passages = PassageToJudge(source="shown", many=True)
    shown = serializers.SerializerMethodField()

    def get_article(self, page: Any) -> str:
        return "".join(piece.text for piece in page.pieces)

    def get_shown(self, page: Any) -> str:
        return shown_at(timezone.now())


class NewDecision(serializers.Serializer):
    passage = serializers.IntegerField()
    verdict = Choice(choices=[*WORDS])
    shown = serializers.CharField(default="", help_text="as it was sent with the pair; empty: the time is not known")


class OfPool(Organized):
    """One action of the organizers on a pool."""

    def place(self) -> tuple[Task, Phase]:
        return place_of(self.challenge(), self.kwargs["phase"], self.kwargs["task"])

    def told(self) -> Response:
        return Response(PoolInFull(standing_of(the_pool(*self.place()))).data)


class PoolState(OfPool):
    @extend_schema(summary="Read how far a judging is", responses={200: PoolInFull, **REFUSED})
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The pooled passages, who judges them, and how far judges agree."""
        return self.told()


class CollectPassages(OfPool):
    @extend_schema(summary="Collect the passages of all runs", request=None, responses={200: PoolInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Each once; what is there already stays, with what was decided of it."""
        collect(*self.place())
        return self.told()


class PoolJudges(OfPool):
    @extend_schema(summary="Name a judge", request=NewJudge, responses={200: PoolInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Or somebody who decides where judges differ; with remove: true somebody judges no more."""
        pool, sent = the_pool(*self.place()), valid(NewJudge, request)
        if sent["remove"]:
            if not judging.unname(pool, sent["judge"]):
                raise Http404(f"{sent['judge']} is no judge here.")
        else:
            form = saved(JudgeForm(sent))
            judging.name_judge(pool, form["judge"], adjudicates=form["adjudicates"])
        return self.told()


class ClosePool(OfPool):
    @extend_schema(summary="Close a judging", request=None, responses={200: PoolInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """What was decided becomes the gold standard, by which the runs are scored."""
        closing.close(the_pool(*self.place()), request.user)
        return self.told()


class ReopenPool(OfPool):
    @extend_schema(summary="Let a judging go on", request=None, responses={200: PoolInFull, **REFUSED})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The opposite of close; the scores stay until it is closed anew."""
        closing.reopen(the_pool(*self.place()))
        return self.told()


class PoolDecisions(OfPool):
    @extend_schema(summary="Download all decisions of judges", responses=TABLE)
    def get(self, request: Request, slug: str, phase: str, task: str) -> HttpResponse:
        """Who decided what, when, and how long it took, as tab-separated values."""
        return as_file(decisions_file(the_pool(*self.place())), f"{slug}-{phase}-{task}-decisions.tsv")


class PoolJudgements(Organized):
    permission_classes = []

    @extend_schema(summary="Download what was decided of passages", responses=TABLE)
    def get(self, request: Request, slug: str, phase: str, task: str) -> HttpResponse:
        """The file that runs are scored by; for the organizers, and for everybody once the task is published."""
        found = judges_place(slug, phase, task)
        if not may_read_judgements(request.user, found):
            raise Http404
        return as_file(closing.judgements_file(found), f"{slug}-{phase}-{task}-judgements.tsv")


class Deciding(Organized):
    """For those who were named."""

    adjudicates = False

    def pool(self) -> Pool:
        found = judges_place(self.kwargs["slug"], self.kwargs["phase"], self.kwargs["task"])
        may = judging.may_adjudicate if self.adjudicates else judging.may_judge
        if not may(self.request.user, found):
            raise PermissionDenied(judging.NOT_NAMED)
        return found

    def told(self, pool: Pool, at: int | None) -> Response:
        page = page_of(pool, self.request.user, at, adjudicates=self.adjudicates)
        if page is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(PairToJudge(page).data)

    def asked(self, request: Request) -> Response:
        at = request.query_params.get("at", "")
        return self.told(self.pool(), int(at) if at.isascii() and at.isdigit() and len(at) < 9 else None)

    def decided(self, request: Request) -> Response:
        pool, sent = self.pool(), valid(NewDecision, request)
        form = DecisionForm({**sent, "verdict": WORDS[sent["verdict"]], "at": 1})
        shown = saved(form)["shown"]
        passage = get_object_or_404(pool.passages, pk=sent["passage"])
        said = VERDICTS[WORDS[sent["verdict"]]]
        judging.decide(passage, said, request.user, timezone.now(), shown=shown, adjudicates=self.adjudicates)
        return self.told(pool, None)


class Judging(Deciding):
    @extend_schema(summary="Read a pair to judge", parameters=[AT], responses={200: PairToJudge, 204: NOTHING})
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """An article, a pair and its passages, in an order of your own and with nothing of whose they are."""
        return self.asked(request)

    @extend_schema(
        summary="Judge a passage", request=NewDecision, responses={200: PairToJudge, 204: NOTHING, **REFUSED}
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Whether it is relevant, not, or the best of its pair; answered by what is to be judged next."""
        return self.decided(request)


class Adjudicating(Deciding):
    adjudicates = True

    @extend_schema(
        summary="Read a pair of which judges differ", parameters=[AT], responses={200: PairToJudge, 204: NOTHING}
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """As for judges, with what they say and not who says it."""
        return self.asked(request)

    @extend_schema(
        summary="Decide where judges differ", request=NewDecision, responses={200: PairToJudge, 204: NOTHING, **REFUSED}
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """It counts instead of what the judges say."""
        return self.decided(request)
