"""REST resources of a pool: collect passages, appoint judges, judge, adjudicate, close."""

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

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.numbers import MAX_INT32
from bcms.lib.rest.query_parameters import read_number_parameter
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView, OrganizerAPIView
from evaluation.challenges.models import Phase, Task
from evaluation.measures.passages import Verdict
from evaluation.pooling import closure
from evaluation.pooling.collection import add_run_passages_to_open_pool, count_uncollected_passages
from evaluation.pooling.decision_export import format_judgement_history_tsv
from evaluation.pooling.forms import VERDICT_BY_KEY, DecisionForm, JudgeForm, sign_shown_time
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import (
    add_or_change_noncompeting_judge_and_mail,
    remove_judge_keeping_uncounted_judgements,
)
from evaluation.pooling.judging_page import JudgingPage, PairProtein, ShownPassage, find_chosen_or_first_undecided_pair
from evaluation.pooling.judging_status import AgreementOfJudges, JudgeProgress, JudgingStatus, build_judging_status
from evaluation.pooling.lookup import (
    NOT_A_JUDGE_MESSAGE,
    can_adjudicate,
    can_judge,
    get_passage_task_and_phase_or_404,
    get_pool_or_404,
    get_pool_or_challenge_error,
    is_organizer_or_gold_published,
)
from evaluation.pooling.models import Pool
from evaluation.pooling.views import build_tsv_download

# The verdicts, with their keys in the form of the page.
VERDICT_KEYS = {"relevant": "y", "not relevant": "n", "best": "b"}
POOL_TSV_RESPONSE = {(200, "text/tab-separated-values"): OpenApiTypes.STR}
NO_PAIR_RESPONSE = OpenApiResponse(description="no pair is left to decide")
PAIR_NUMBER_PARAMETER = OpenApiParameter(
    "at",
    {"type": "integer", "minimum": 1, "maximum": MAX_INT32},
    description="the number of a pair; default: the first undecided one",
)


class JudgeOfPool(serializers.Serializer[JudgeProgress]):
    judge = serializers.CharField(source="judge.name")
    judged = serializers.IntegerField(help_text="passages")
    seconds = serializers.FloatField(allow_null=True, help_text="median per judgement")


class JudgesAgreed(serializers.Serializer[AgreementOfJudges]):
    """The agreement of two judges; a figure is null if it is 0/0.

    intervals: the 95 % interval [low, high] by the name of the figure: joint, kappa and f1 of relevance, and same_best.
    Articles are resampled; a figure has none if fewer than two articles have instances.
    """

    first = serializers.CharField(source="first.name")
    second = serializers.CharField(source="second.name")
    agreement = serializers.SerializerMethodField()

    def get_agreement(self, pair: AgreementOfJudges) -> dict[str, Any]:
        return asdict(pair.agreement)


class PoolInFull(serializers.Serializer[JudgingStatus]):
    """unjudged: passages that not every judge has judged; uncollected: passages of runs that are not in the pool."""

    passages = serializers.SerializerMethodField()
    articles = serializers.IntegerField()
    pairs = serializers.IntegerField()
    relevant = serializers.IntegerField(help_text="passages that are relevant by the verdicts so far")
    unjudged = serializers.IntegerField()
    conflicts = serializers.SerializerMethodField()
    uncollected = serializers.SerializerMethodField()
    closed = serializers.DateTimeField(source="pool.closed", allow_null=True)
    judges = JudgeOfPool(many=True)
    adjudicators = serializers.SerializerMethodField()
    agreements = JudgesAgreed(many=True)

    def get_passages(self, pool_status: JudgingStatus) -> int:
        return len(pool_status.passages)

    def get_conflicts(self, pool_status: JudgingStatus) -> int:
        return len(pool_status.conflicts)

    def get_uncollected(self, pool_status: JudgingStatus) -> int:
        return count_uncollected_passages(pool_status.pool)

    def get_adjudicators(self, pool_status: JudgingStatus) -> list[str]:
        return [judge.name for judge in pool_status.adjudicators]


class NewJudge(RequestSerializer[Any]):
    judge = serializers.CharField(
        max_length=254, help_text="user name or confirmed e-mail address; to remove, the user name"
    )
    adjudicates = serializers.BooleanField(
        default=False, help_text="true: decides where judges disagree, instead of judging"
    )
    remove = serializers.BooleanField(default=False, help_text="true: remove the judge; the judgements are kept")


class VerdictOnPassage(serializers.Serializer[Verdict]):
    relevant = serializers.BooleanField()
    best = serializers.BooleanField()


class PassageToJudge(serializers.Serializer[ShownPassage]):
    """verdict: yours; others: those of the judges, for adjudicators; conflict: the judges disagree."""

    passage = serializers.IntegerField(source="key")
    text = serializers.CharField()
    verdict = VerdictOnPassage(allow_null=True)
    others = VerdictOnPassage(many=True)
    conflict = serializers.BooleanField()


class ProteinOfPair(serializers.Serializer[PairProtein]):
    identifier = serializers.CharField()
    name = serializers.CharField()


class PairToJudge(serializers.Serializer[JudgingPage]):
    """A pair in an article with its passages. unjudged: the number of the next undecided pair, null if there is none.

    shown: the signed time of this response; send it back with each decision, so that its duration is known.
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

    def get_article(self, page: JudgingPage) -> str:
        return "".join(piece.text for piece in page.pieces)

    def get_shown(self, page: JudgingPage) -> str:
        return sign_shown_time(timezone.now())


class NewDecision(RequestSerializer[Any]):
    passage = serializers.IntegerField(min_value=1, max_value=MAX_INT32)
    verdict = ExplainedChoiceField(choices=[*VERDICT_KEYS])
    shown = serializers.CharField(
        default="", allow_blank=True, help_text="as sent with the pair; if empty, the duration is unknown"
    )


class PoolAPIView(OrganizerAPIView):
    """A resource of a pool for organizers."""

    def get_task_and_phase(self) -> tuple[Task, Phase]:
        return get_passage_task_and_phase_or_404(self.get_challenge(), self.kwargs["phase"], self.kwargs["task"])

    def build_pool_response(self) -> Response:
        return Response(PoolInFull(build_judging_status(get_pool_or_challenge_error(*self.get_task_and_phase()))).data)


class PoolState(PoolAPIView):
    @extend_schema(summary="Read the progress of a judging", responses={200: PoolInFull, **CONFLICT_RESPONSE})
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The pooled passages, the judges with their progress, and their agreement."""
        return self.build_pool_response()


class CollectPassages(PoolAPIView):
    @extend_schema(
        summary="Collect the passages of all runs", request=None, responses={200: PoolInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Each once; existing passages keep their judgements."""
        add_run_passages_to_open_pool(*self.get_task_and_phase())
        return self.build_pool_response()


class PoolJudges(PoolAPIView):
    @extend_schema(summary="Add or remove a judge", request=NewJudge, responses={200: PoolInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """With adjudicates: true, an adjudicator; with remove: true, the judge is removed."""
        pool, data = get_pool_or_challenge_error(*self.get_task_and_phase()), validate_request_data(NewJudge, request)
        if data["remove"]:
            if not remove_judge_keeping_uncounted_judgements(pool, data["judge"]):
                raise Http404(f"{data['judge']} is not a judge of this pool.")
        else:
            form_data = get_cleaned_form_data(JudgeForm(data))
            add_or_change_noncompeting_judge_and_mail(pool, form_data["judge"], adjudicates=form_data["adjudicates"])
        return self.build_pool_response()


class ClosePool(PoolAPIView):
    @extend_schema(summary="Close a judging", request=None, responses={200: PoolInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The judgements become the gold standard, and the runs are scored."""
        closure.close_decided_pool_and_store_gold(get_pool_or_challenge_error(*self.get_task_and_phase()), request.user)
        return self.build_pool_response()


class ReopenPool(PoolAPIView):
    @extend_schema(summary="Reopen a judging", request=None, responses={200: PoolInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """The scores stay as they are until it is closed again."""
        closure.reopen_pool(get_pool_or_challenge_error(*self.get_task_and_phase()))
        return self.build_pool_response()


class PoolDecisions(PoolAPIView):
    @extend_schema(summary="Download all judgements of a pool", responses=POOL_TSV_RESPONSE)
    def get(self, request: Request, slug: str, phase: str, task: str) -> HttpResponse:
        """Every judgement with judge, time and duration, as tab-separated values."""
        return build_tsv_download(
            format_judgement_history_tsv(get_pool_or_challenge_error(*self.get_task_and_phase())),
            f"{slug}-{phase}-{task}-decisions.tsv",
        )


class PoolJudgements(ChallengeAPIView):
    permission_classes = []

    @extend_schema(summary="Download the final verdicts on passages", responses=POOL_TSV_RESPONSE)
    def get(self, request: Request, slug: str, phase: str, task: str) -> HttpResponse:
        """The file that runs are scored with, for organizers, and for everybody once the task is published."""
        pool = get_pool_or_404(request.user, slug, phase, task)
        if not is_organizer_or_gold_published(request.user, pool):
            raise Http404
        return build_tsv_download(closure.format_final_verdicts_tsv(pool), f"{slug}-{phase}-{task}-judgements.tsv")


class DecisionAPIView(ChallengeAPIView):
    """Only for judges, or for adjudicators."""

    adjudicates = False

    def get_judged_pool(self) -> Pool:
        pool = get_pool_or_404(self.request.user, self.kwargs["slug"], self.kwargs["phase"], self.kwargs["task"])
        is_allowed = can_adjudicate if self.adjudicates else can_judge
        if not is_allowed(self.request.user, pool):
            raise PermissionDenied(NOT_A_JUDGE_MESSAGE)
        return pool

    def build_pair_response(self, pool: Pool, at: int | None) -> Response:
        page = find_chosen_or_first_undecided_pair(pool, self.request.user, at, adjudicates=self.adjudicates)
        if page is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(PairToJudge(page).data)

    def get_pair_response(self, request: Request) -> Response:
        at = read_number_parameter(request, "at", 0, low=1, high=MAX_INT32)
        return self.build_pair_response(self.get_judged_pool(), at or None)

    def store_decision(self, request: Request) -> Response:
        pool, data = self.get_judged_pool(), validate_request_data(NewDecision, request)
        form = DecisionForm({**data, "verdict": VERDICT_KEYS[data["verdict"]], "at": 1})
        shown = get_cleaned_form_data(form)["shown"]
        passage = get_object_or_404(pool.passages, pk=data["passage"])
        verdict = VERDICT_BY_KEY[VERDICT_KEYS[data["verdict"]]]
        store_judgement_and_demote_other_best(
            passage, verdict, request.user, timezone.now(), shown=shown, adjudicates=self.adjudicates
        )
        return self.build_pair_response(pool, None)


class PoolJudging(DecisionAPIView):
    query_parameters = ("at",)

    @extend_schema(
        summary="Read a pair to judge",
        parameters=[PAIR_NUMBER_PARAMETER],
        responses={200: PairToJudge, 204: NO_PAIR_RESPONSE},
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """An article, a pair and its passages, in an order of your own and without the runs that submitted them."""
        return self.get_pair_response(request)

    @extend_schema(
        summary="Judge a passage",
        request=NewDecision,
        responses={200: PairToJudge, 204: NO_PAIR_RESPONSE, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Relevant, not relevant, or best of its pair; the response is the next undecided pair."""
        return self.store_decision(request)


class PoolAdjudication(DecisionAPIView):
    query_parameters = ("at",)
    adjudicates = True

    @extend_schema(
        summary="Read a pair on which judges disagree",
        parameters=[PAIR_NUMBER_PARAMETER],
        responses={200: PairToJudge, 204: NO_PAIR_RESPONSE},
    )
    def get(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """An article, a pair and its passages, with the verdicts of the judges but not their names."""
        return self.get_pair_response(request)

    @extend_schema(
        summary="Adjudicate a passage",
        request=NewDecision,
        responses={200: PairToJudge, 204: NO_PAIR_RESPONSE, **CONFLICT_RESPONSE},
    )
    def post(self, request: Request, slug: str, phase: str, task: str) -> Response:
        """Your verdict counts instead of those of the judges."""
        return self.store_decision(request)
