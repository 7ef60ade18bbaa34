"""REST resources of a run: its figures, its errors by cause and by article, its best cut-offs, and changes to it.

As on the run's page, errors are shown only if the user may see the score and the gold standard is not sealed.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.query_parameters import read_flag_parameter
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.analyses.item_groups import ItemGroup
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.runs.descriptions.api import DescriptionOfRun
from evaluation.runs.descriptions.description import get_description_of_run
from evaluation.runs.models import Run
from evaluation.runs.run_page.article_comparison import (
    ArticleComparison,
    compare_run_with_gold_by_article,
    list_unexcluded_article_ids_in_corpus_order,
)
from evaluation.runs.run_page.baseline_mark import set_baseline_mark_until_publication
from evaluation.runs.run_page.cut_upload import upload_cut_run
from evaluation.runs.run_page.error_analysis.analysis import (
    BestCutoff,
    CauseRow,
    RunErrorAnalysis,
    get_or_compute_cached_error_analysis,
)
from evaluation.runs.run_page.figures import count_articles_failed_by_meta_server, get_visible_figures
from evaluation.runs.run_page.forms import CutForm
from evaluation.runs.run_page.lookup import (
    find_visible_gold_and_score,
    get_organized_run_or_403,
    get_own_team_run_or_403,
    get_visible_run_or_404,
)
from evaluation.runs.run_page.withdrawal_and_final_tag import (
    set_run_final_in_open_phase,
    withdraw_and_hide_run_if_allowed,
)
from evaluation.runs.uploads.api import UPLOAD_RESPONSES, UploadOfTeam, build_upload_response_or_raise_422
from evaluation.scoring.models import Score
from servers.teams.permissions import User

FAULTY_PARAMETER = OpenApiParameter(
    "faulty", bool, description="true: only articles with a false negative or false positive"
)


def _get_gold_and_score_or_404(run: Run, user: User) -> tuple[GoldStandard, Score]:
    basis = find_visible_gold_and_score(run, user)
    if basis is None:
        raise NotFound("There is no gold standard that you may compare this run with; read its figures.")
    return basis


class CauseOfFaults(serializers.Serializer[CauseRow]):
    """One cause of false negatives or of false positives, and its share of them."""

    miss = serializers.BooleanField(help_text="true: false negatives; false: false positives")
    cause = serializers.CharField()
    number = serializers.IntegerField()
    share = serializers.FloatField()


class CutOfLists(serializers.Serializer[BestCutoff]):
    """The best cut-off of lists: drop results with a confidence below the value, or after the rank."""

    by = ExplainedChoiceField(["confidence", "rank"])
    value = serializers.FloatField()
    fap = serializers.FloatField(help_text="the FAP with this cut-off")
    uncut = serializers.FloatField(help_text="the FAP without a cut-off; if fap is not higher, cutting gains nothing")


class GroupOfItems(serializers.Serializer[ItemGroup]):
    """The items of one type, organism, label, class or entry."""

    name = serializers.CharField()
    found = serializers.IntegerField(help_text="true positives")
    missed = serializers.IntegerField(help_text="false negatives")
    false = serializers.IntegerField(help_text="false positives")


class AnalysisOfRun(serializers.Serializer[RunErrorAnalysis]):
    causes = CauseOfFaults(many=True)
    cuts = CutOfLists(many=True, help_text="none for classifications, mentions and passages")
    groups_by = serializers.CharField(help_text="what the groups are, such as Organism; empty without groups")
    groups = GroupOfItems(many=True, help_text="those with the most items of the gold standard first")
    faulty = serializers.SerializerMethodField(help_text="number of articles with a false negative or false positive")

    def get_faulty(self, run_analysis: RunErrorAnalysis) -> int:
        return len(run_analysis.faulty)


class ItemNames(serializers.ListField):
    """Items as the page of the run names them."""

    child = serializers.CharField()

    def to_representation(self, data: Any) -> list[str]:
        return [item.text for item in data]


class ComparedArticle(serializers.Serializer[ArticleComparison]):
    """An article, named as in the phase. said and right are the classes of a classification, else empty."""

    article = serializers.CharField(source="name")
    title = serializers.CharField()
    answered = serializers.BooleanField()
    found = ItemNames(help_text="true positives")
    missed = ItemNames(help_text="false negatives: only in the gold standard")
    false = ItemNames(help_text="false positives: only in the run")
    said = serializers.CharField(help_text="class in the run")
    right = serializers.CharField(help_text="class in the gold standard")


class NewCut(RequestSerializer[Any]):
    by = ExplainedChoiceField(["confidence", "rank"])
    value = serializers.FloatField(help_text="the lowest confidence, or the last rank, to keep")


@extend_schema_view(get=extend_schema(summary="Read the error analysis of a run"))
class RunAnalysis(generics.RetrieveAPIView[Any]):
    """The causes of its false negatives and false positives, and the cut-offs with the highest FAP."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = AnalysisOfRun
    queryset = Run.objects.none()

    def get_object(self) -> RunErrorAnalysis:
        run = get_visible_run_or_404(self.request.user, self.kwargs["pk"])
        return get_or_compute_cached_error_analysis(run, *_get_gold_and_score_or_404(run, self.request.user))


@extend_schema_view(get=extend_schema(summary="Compare a run with the gold standard", parameters=[FAULTY_PARAMETER]))
class RunArticles(generics.ListAPIView[Any]):
    """Its true positives, false negatives and false positives by article, in the order of the corpus."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = ComparedArticle
    pagination_class = OffsetPages
    query_parameters = ("faulty",)
    queryset = Run.objects.none()

    def paginate_queryset(self, queryset: QuerySet[Run]) -> Sequence[ArticleComparison]:  # type: ignore[override]
        run = get_visible_run_or_404(self.request.user, self.kwargs["pk"])
        gold, score = _get_gold_and_score_or_404(run, self.request.user)
        faulty = read_flag_parameter(self.request, "faulty")
        keys = (
            get_or_compute_cached_error_analysis(run, gold, score).faulty
            if faulty
            else list_unexcluded_article_ids_in_corpus_order(run.phase)
        )
        return compare_run_with_gold_by_article(run, gold, super().paginate_queryset(list(keys)) or [])


class CutRun(ChallengeAPIView):
    @extend_schema(summary="Cut the lists of a run", request=NewCut, responses=UPLOAD_RESPONSES | CONFLICT_RESPONSE)
    def post(self, request: Request, pk: int) -> Response:
        """Uploads a copy of the run with its lists cut, which counts as another run of your team. Choose the cut-off on
        training data (see analysis) and apply it unchanged to the test."""
        run, cutoff = (
            get_own_team_run_or_403(request.user, pk),
            get_cleaned_form_data(CutForm(validate_request_data(NewCut, request))),
        )
        return build_upload_response_or_raise_422(upload_cut_run(run, cutoff["by"], cutoff["value"], request.user))


class FiguresOfRun(serializers.Serializer[Score]):
    figures = serializers.DictField(child=serializers.FloatField(allow_null=True))
    intervals = serializers.DictField(help_text="95 % confidence intervals, [low, high]")
    curve = serializers.ListField(child=serializers.ListField(child=serializers.FloatField()))
    answered = serializers.IntegerField()
    articles = serializers.IntegerField()
    signature = serializers.CharField(help_text="the data, software and options that the figures were computed with")
    computed = serializers.DateTimeField()


class RunOfTeam(serializers.ModelSerializer[Run]):
    """A run. score is null if there is none that you may see; upload is null for the runs of servers."""

    challenge = serializers.CharField(source="phase.challenge.slug")
    phase = serializers.CharField(source="phase.sort")
    task = serializers.CharField(source="task.name")
    team = serializers.CharField(source="team.slug", default=None, allow_null=True)
    sort = serializers.CharField(help_text="online, upload, baseline or imported")
    upload = serializers.SerializerMethodField()
    description = serializers.SerializerMethodField()
    unanswered = serializers.SerializerMethodField(
        help_text="articles that have no answer because of an error of the meta-server"
    )
    score = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields = ["id", "challenge", "phase", "task", "team", "name", "sort", "baseline", "final"]
        fields += ["withdrawn", "description", "upload", "unanswered", "score"]

    @extend_schema_field(DescriptionOfRun)
    def get_description(self, run: Run) -> Any:
        return DescriptionOfRun(get_description_of_run(run)).data

    @extend_schema_field(UploadOfTeam(allow_null=True))
    def get_upload(self, run: Run) -> Any:
        upload = getattr(run, "upload", None)
        return UploadOfTeam(upload).data if upload else None

    def get_unanswered(self, run: Run) -> int:
        return count_articles_failed_by_meta_server(run)

    @extend_schema_field(FiguresOfRun(allow_null=True))
    def get_score(self, run: Run) -> Any:
        score = get_visible_figures(run, self.context["request"].user).score
        return FiguresOfRun(score).data if score else None


@extend_schema_view(get=extend_schema(summary="Read a run"))
class RunDetail(generics.RetrieveAPIView[Run]):
    """A run with its figures, if you may see them: those of a test once it is published."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = RunOfTeam
    queryset = Run.objects.none()

    def get_object(self) -> Run:
        return get_visible_run_or_404(self.request.user, self.kwargs["pk"])


class RunChangeAPIView(APIView):
    """Change a run of your team."""

    permission_classes = [permissions.IsAuthenticated]

    def build_changed_run_response(self, request: Request, pk: int, change_run: Callable[[Run], None]) -> Response:
        try:
            change_run(get_own_team_run_or_403(request.user, pk))
        except ChallengeError as error:
            raise ConflictProblem(str(error)) from error
        return Response(RunOfTeam(get_visible_run_or_404(request.user, pk), context={"request": request}).data)


class BaselineMark(ChallengeAPIView):
    @extend_schema(summary="Mark a run as a baseline", request=None, responses={200: RunOfTeam, **CONFLICT_RESPONSE})
    def post(self, request: Request, pk: int) -> Response:
        """For organizers, until a part of the phase is published. It stays on the leaderboard without a rank."""
        return self._build_marked_run_response(request, pk, is_baseline=True)

    @extend_schema(summary="Remove the mark baseline", request=None, responses={200: RunOfTeam, **CONFLICT_RESPONSE})
    def delete(self, request: Request, pk: int) -> Response:
        """The run has a rank again."""
        return self._build_marked_run_response(request, pk, is_baseline=False)

    def _build_marked_run_response(self, request: Request, pk: int, *, is_baseline: bool) -> Response:
        set_baseline_mark_until_publication(get_organized_run_or_403(request.user, pk), is_baseline=is_baseline)
        return Response(RunOfTeam(get_visible_run_or_404(request.user, pk), context={"request": request}).data)


class WithdrawRun(RunChangeAPIView):
    @extend_schema(summary="Withdraw a run", request=None, responses={200: RunOfTeam, **CONFLICT_RESPONSE})
    def post(self, request: Request, pk: int) -> Response:
        """It is no longer scored or listed. 409 if the rules of the phase forbid it."""
        return self.build_changed_run_response(request, pk, withdraw_and_hide_run_if_allowed)


class FinalRun(RunChangeAPIView):
    @extend_schema(summary="Tag a run as final", request=None, responses={200: RunOfTeam, **CONFLICT_RESPONSE})
    def post(self, request: Request, pk: int) -> Response:
        """Your team wants to be judged by its final runs. Possible while the phase is open."""
        return self.build_changed_run_response(request, pk, lambda run: set_run_final_in_open_phase(run, is_final=True))

    @extend_schema(summary="Remove the tag final", request=None, responses={200: RunOfTeam, **CONFLICT_RESPONSE})
    def delete(self, request: Request, pk: int) -> Response:
        """The run stays, but is no longer final."""
        return self.build_changed_run_response(
            request, pk, lambda run: set_run_final_in_open_phase(run, is_final=False)
        )
