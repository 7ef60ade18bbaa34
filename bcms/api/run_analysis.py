"""What is wrong with a run and why, article by article, and where its lists are best cut; for its team and organizers.

As on the run's page: only where the gold standard is open to its reader.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.conventions import Choice, Pages
from bcms.api.organized import REFUSED, Organized, saved, valid
from bcms.api.runs import TAKEN, run_owned, run_seen, upload_made
from evaluation import comparison, own_runs
from evaluation.comparison import Compared
from evaluation.cut_runs import make_cut_run
from evaluation.models import GoldStandard, Run, Score
from evaluation.run_forms import CutForm

FAULTY = OpenApiParameter("faulty", bool, description="true: only articles with a miss or a false alarm")


class CauseOfFaults(serializers.Serializer):
    """One cause of misses or of false alarms, and its share of them."""

    miss = serializers.BooleanField(help_text="false: a false alarm")
    cause = serializers.CharField()
    number = serializers.IntegerField()
    share = serializers.FloatField()


class CutOfLists(serializers.Serializer):
    """Where lists are best cut: at confidences below the value, or after the rank."""

    by = Choice(["confidence", "rank"])
    value = serializers.FloatField()
    fap = serializers.FloatField(help_text="with this cut")
    uncut = serializers.FloatField(help_text="the FAP without a cut; where fap is no better, cutting gains nothing")


class AnalysisOfRun(serializers.Serializer):
    causes = CauseOfFaults(many=True)
    cuts = CutOfLists(many=True, help_text="none for classifications, mentions and passages")
    faulty = serializers.SerializerMethodField(help_text="articles with a miss or a false alarm")

    def get_faulty(self, own: comparison.Analysis) -> int:
        return len(own.faulty)


class Names(serializers.ListField):
    """Items as a page of the run names them."""

    child = serializers.CharField()

    def to_representation(self, data: Any) -> list[str]:
        return [named.text for named in data]


class ComparedArticle(serializers.Serializer):
    """An article as the phase calls it. Of a classification said and right are the two calls, else both are empty."""

    article = serializers.CharField(source="name")
    title = serializers.CharField()
    answered = serializers.BooleanField()
    found = Names(help_text="right, and in the gold standard")
    missed = Names(help_text="in the gold standard alone")
    false = Names(help_text="in the run alone")
    said = serializers.CharField()
    right = serializers.CharField(help_text="by the gold standard")


class NewCut(serializers.Serializer):
    by = Choice(["confidence", "rank"])
    value = serializers.FloatField(help_text="the lowest confidence that stays, or the last rank")


def scored_by(run: Run, user: Any) -> tuple[GoldStandard, Score]:
    """What a run may be compared with before the eyes of a user; 404 where there is nothing."""
    score = own_runs.figures_of(run, user).score
    gold = comparison.gold_of(run) if score else None
    if gold is None or score is None:
        raise NotFound("This run has nothing to be compared with that you may see; look at its figures.")
    return gold, score


@extend_schema_view(get=extend_schema(summary="Read what is wrong with a run"))
class RunAnalysis(generics.RetrieveAPIView):
    """The causes of its misses and false alarms, and where its lists are best cut (highest FAP)."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = AnalysisOfRun
    queryset = Run.objects.none()

    def get_object(self) -> comparison.Analysis:
        run = run_seen(self.request, self.kwargs["pk"])
        return comparison.analysis(run, *scored_by(run, self.request.user))


@extend_schema_view(get=extend_schema(summary="Compare a run with the gold standard", parameters=[FAULTY]))
class RunArticles(generics.ListAPIView):
    """What it found, missed and reported wrongly, article by article, in the order of the corpus."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = ComparedArticle
    pagination_class = Pages
    queryset = Run.objects.none()

    def paginate_queryset(self, queryset: QuerySet[Run]) -> Sequence[Compared]:  # type: ignore[override]
        run = run_seen(self.request, self.kwargs["pk"])
        gold, score = scored_by(run, self.request.user)
        faulty = self.request.query_params.get("faulty", "") in ("1", "true")
        keys = comparison.analysis(run, gold, score).faulty if faulty else comparison.articles_in_order(run.phase)
        return comparison.compared(run, gold, super().paginate_queryset(list(keys)) or [])


class CutRun(Organized):
    @extend_schema(summary="Cut the lists of a run", request=NewCut, responses=TAKEN | REFUSED)
    def post(self, request: Request, pk: int) -> Response:
        """It makes another run of your team, which counts as one. A cut-off is found on training data (see analysis)
        and applied unchanged to the test."""
        run, cut = run_owned(request, pk), saved(CutForm(valid(NewCut, request)))
        return upload_made(make_cut_run(run, cut["by"], cut["value"], request.user))
