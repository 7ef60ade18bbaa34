"""REST: the results of a project, and its tables as CSV files."""

from collections.abc import Sequence
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.curation.projects.models import CurationProject
from bcms.curation_projects.access import check_may_read
from bcms.curation_projects.api import CurationProjectAPIView
from bcms.curation_projects.outcomes.api import AgreementAtLevel
from bcms.curation_projects.results.counted_curations import CountedCuration, CurationRole
from bcms.curation_projects.results.downloads import TABLES, build_results_csv_response
from bcms.curation_projects.results.queries import ProjectResults, ScoredUnit, load_project_results
from bcms.curation_projects.results.references import ResultsReference, find_reference, list_references
from bcms.lib.rest.limits import FileLimit, RequestLimit
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.query_parameters import read_filled_text_parameter
from evaluation.analyses.curators.producer_scores import ArticleMeans

REFERENCE_PARAMETER = OpenApiParameter(
    "reference", str, description="outcome, or the id of a gold standard in references; the outcome if it is missing"
)

ARM_HELP = '"with" or "without" help; empty for authors'


class IntervalField(serializers.ListField):
    """The ends of an interval; null if it could not be computed."""

    child = serializers.FloatField()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_null=True, help_text="95 %: low, high", **kwargs)


class ReferenceOfResults(serializers.Serializer[ResultsReference]):
    value = serializers.CharField(help_text="send it as reference")
    name = serializers.CharField(source="label")


class MeanOfArm(serializers.Serializer[Any]):
    mean = serializers.FloatField()
    sd = serializers.FloatField(allow_null=True)
    median = serializers.FloatField()
    interval = IntervalField()


class DifferenceOfArms(serializers.Serializer[Any]):
    value = serializers.FloatField(help_text="the mean with help less that without")
    interval = IntervalField()


class FiguresOfArm(serializers.Serializer[Any]):
    """seconds, decisions: per article."""

    with_help = serializers.BooleanField()
    curations = serializers.IntegerField()
    articles = serializers.IntegerField()
    seconds = MeanOfArm(allow_null=True)
    decisions = MeanOfArm(allow_null=True)


class ComparedArms(serializers.Serializer[Any]):
    """The differences are null unless both arms have a finished curation."""

    arms = FiguresOfArm(many=True)
    seconds = DifferenceOfArms(allow_null=True)
    decisions = DifferenceOfArms(allow_null=True)


class MeansOfArticles(serializers.Serializer[ArticleMeans]):
    """The macro-average: means over the articles with items in the reference. Figures are null without one."""

    articles = serializers.IntegerField(help_text="with items in the reference")
    precision = serializers.FloatField(allow_null=True)
    recall = serializers.FloatField(allow_null=True)
    f1 = serializers.FloatField(allow_null=True)
    precision_interval = IntervalField()
    recall_interval = IntervalField()
    f1_interval = IntervalField()


class ScoreOfProducer(serializers.Serializer[Any]):
    """Figures outside of macro are micro-averages: of the counts, which are added up over articles."""

    name = serializers.CharField()
    unit = serializers.ChoiceField(choices=[each.value for each in ScoredUnit])
    articles = serializers.IntegerField(source="score.articles", help_text="of the reference that it has annotated")
    tp = serializers.IntegerField(source="score.counts.tp")
    fp = serializers.IntegerField(source="score.counts.fp")
    fn = serializers.IntegerField(source="score.counts.fn")
    precision = serializers.FloatField(source="score.precision")
    recall = serializers.FloatField(source="score.recall")
    f1 = serializers.FloatField(source="score.f1")
    precision_interval = IntervalField(source="score.precision_interval")
    recall_interval = IntervalField(source="score.recall_interval")
    f1_interval = IntervalField(source="score.f1_interval")
    macro = MeansOfArticles(source="score.macro")


class ScoresOfKind(serializers.Serializer[Any]):
    kind = serializers.CharField(source="kind.value")
    articles = serializers.IntegerField(help_text="in the reference")
    producers = ScoreOfProducer(many=True)


class AgreementOfGroups(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField(help_text="the same as first: within a group")
    articles = serializers.IntegerField()
    pairs = serializers.IntegerField(help_text="of curations that are compared")
    levels = AgreementAtLevel(many=True)


class SummaryOfStatement(serializers.Serializer[Any]):
    name = serializers.CharField()
    statement = serializers.CharField()
    arm = serializers.CharField(help_text=ARM_HELP)
    counts = serializers.ListField(
        child=serializers.IntegerField(), help_text="from strongly disagree to strongly agree"
    )
    mean = serializers.FloatField(help_text="from 1 to 5")


class CommentOfCurator(serializers.Serializer[Any]):
    name = serializers.CharField()
    article = serializers.CharField()
    arm = serializers.CharField(help_text=ARM_HELP)
    comment = serializers.CharField()


class SummaryOfQuestionnaire(serializers.Serializer[Any]):
    replies = serializers.IntegerField()
    skipped = serializers.IntegerField()
    statements = SummaryOfStatement(many=True)
    comments = CommentOfCurator(many=True)


class MeasuredCurationOfProject(serializers.Serializer[CountedCuration]):
    id = serializers.IntegerField()
    article = serializers.CharField(source="article_name")
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=[each.value for each in CurationRole])
    arm = serializers.CharField(help_text=ARM_HELP)
    finished = serializers.DateTimeField()
    seconds = serializers.FloatField()
    decisions = serializers.IntegerField(source="decision_count")


class ResultsOfProject(serializers.Serializer[Any]):
    """hidden: how many articles you still curate, of which nothing is here."""

    references = ReferenceOfResults(many=True)
    reference = serializers.CharField(source="results.reference.value")
    arms = ComparedArms(source="results.arms")
    scores = ScoresOfKind(source="results.scores", many=True)
    agreements = AgreementOfGroups(source="results.agreements", many=True)
    questionnaire = SummaryOfQuestionnaire(source="results.questionnaire")
    curations = MeasuredCurationOfProject(source="results.curations", many=True)
    hidden = serializers.IntegerField(source="results.hidden")


def _read_reference(request: Request, references: Sequence[ResultsReference]) -> ResultsReference:
    value = read_filled_text_parameter(request, "reference")
    chosen = find_reference(references, value)
    if chosen is None:
        offered = ", ".join(reference.value for reference in references)
        raise ValidationError({"reference": f"This is no reference of the project; send one of: {offered}."})
    return chosen


def _load_results(request: Request, project: CurationProject) -> tuple[Sequence[ResultsReference], ProjectResults]:
    references = list_references(project, request.user)
    return references, load_project_results(project, request.user, _read_reference(request, references))


class CurationProjectResults(CurationProjectAPIView):
    query_parameters = ("reference",)

    @extend_schema(
        summary="Read the results of a project", parameters=[REFERENCE_PARAMETER], responses=ResultsOfProject
    )
    def get(self, request: Request, pk: int) -> Response:
        """Time and decisions per article with and without help, scores of authors, curators and systems against a
        reference, their agreement, and the questionnaire. For the owner of the project, its adjudicators, and the
        organizers of its challenge."""
        project, rights = self.get_project()
        check_may_read(rights)
        references, results = _load_results(request, project)
        return Response(ResultsOfProject({"references": references, "results": results}).data)


class CurationProjectResultsTable(CurationProjectAPIView):
    throttle_classes = (RequestLimit, FileLimit)
    content_negotiation_class = UrlFormatNegotiation
    query_parameters = ("reference",)

    @extend_schema(
        summary="Download a table of results",
        parameters=[
            REFERENCE_PARAMETER,
            OpenApiParameter("table", str, OpenApiParameter.PATH, enum=list(TABLES)),
        ],
        responses={(200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int, table: str) -> StreamingHttpResponse:
        """A line for each finished curation, each score, or each level of the agreement of two groups. Curators get the
        table of their own curations."""
        project, rights = self.get_project()
        reference = read_filled_text_parameter(request, "reference")
        return build_results_csv_response(project, rights, request.user, table, reference)
