"""REST: data sets, their files, and what their owners, reviewers and organizers do with them."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.data_sets.models import DataSet, Licence
from annotations.formats.exports import DOWNLOADS
from annotations.results.consensus.methods import CONSENSUS_METHODS, MentionMatching, SpanMatching
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from bcms.consensus.article_consensus import DEFAULT_CONSENSUS_METHOD
from bcms.data_sets.boards import list_teams
from bcms.data_sets.creation import create_data_set, update_outdated_data_set
from bcms.data_sets.errors import DataSetError
from bcms.data_sets.files import build_data_set_download, describe_data_set_files
from bcms.data_sets.forms import LONGEST_SEARCH, LONGEST_WEIGHTS
from bcms.data_sets.publication import (
    can_read_annotations,
    check_may_change_data_set,
    decline_proposed_data_set,
    list_visible_data_sets,
    propose_data_set,
    publish_proposed_data_set,
    withdraw_data_set,
)
from bcms.data_sets.queries import DataSetView, build_data_set_view, list_data_sets_newest_first
from bcms.data_sets.recipes import MOST_SOURCES, RecipeInput
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.limits import FileLimit, RequestLimit
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from bcms.search.exports.api import get_export_format_or_404
from bcms.search.exports.croissant import CROISSANT_SLUG, build_croissant_response
from evaluation.challenges.lookup import (
    get_challenge_or_403_unless_organizer,
    get_challenge_phase_or_404,
    get_task_and_phase_or_404,
)
from evaluation.errors import ChallengeError
from evaluation.runs.data_set_runs import store_data_set_as_baseline, upload_data_set_as_run
from evaluation.visibility import list_loadable_corpora
from servers.review.decisions import check_may_review
from servers.review.states import ReviewState

LARGEST_ID = 2**63 - 1
JSON_TYPES = ("application/json", "application/ld+json")
FILE_RESPONSES = {
    (200, export.media_type): OpenApiTypes.ANY if export.media_type in JSON_TYPES else OpenApiTypes.BINARY
    for export in DOWNLOADS.values()
}


class DataSetInList(serializers.ModelSerializer[DataSet]):
    """state: building, current, outdated (an update is due), failed or withdrawn. Only published ones have a size."""

    articles = serializers.SerializerMethodField()
    annotations = serializers.SerializerMethodField()

    class Meta:
        model = DataSet
        fields = [
            *("id", "name", "licence", "kinds", "state", "articles", "annotations"),
            *("created", "built", "proposed", "published"),
        ]

    def get_articles(self, data_set: DataSet) -> int | None:
        return data_set.number_of_articles if data_set.published else None

    def get_annotations(self, data_set: DataSet) -> int | None:
        return data_set.number_of_annotations if data_set.published else None


class NewDataSet(RequestSerializer[Any]):
    name = serializers.CharField(max_length=100)
    description = serializers.CharField(max_length=4000, default="", allow_blank=True)
    licence = ExplainedChoiceField(Licence.values, help_text="of the annotations, by its SPDX identifier")
    corpus = serializers.CharField(max_length=50, default="", allow_blank=True, help_text="slug of a corpus, or")
    search = serializers.CharField(
        max_length=LONGEST_SEARCH, default="", allow_blank=True, help_text="the query string of a search for articles"
    )
    kinds = serializers.ListField(
        child=ExplainedChoiceField(RESULT_KIND_CHOICES), allow_empty=False, max_length=len(Kind)
    )
    servers = serializers.ListField(
        child=serializers.CharField(max_length=50),
        default=list,
        max_length=MOST_SOURCES,
        help_text="ids of the servers that vote with their live annotations; without servers and producers, all "
        "accepted servers do",
    )
    producers = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID),
        default=list,
        max_length=MOST_SOURCES,
        help_text="ids of further servers in phases, and of runs, as corpora/{slug}/compare/ lists them",
    )
    method = ExplainedChoiceField(list(CONSENSUS_METHODS), default=DEFAULT_CONSENSUS_METHOD)
    threshold = serializers.FloatField(default=None, allow_null=True, help_text="null: the default of the method")
    spans = ExplainedChoiceField([own.value for own in SpanMatching], default=SpanMatching.STRICT.value)
    match = ExplainedChoiceField([own.value for own in MentionMatching], default=MentionMatching.POSITION.value)
    weights = serializers.CharField(
        max_length=LONGEST_WEIGHTS,
        default="",
        allow_blank=True,
        help_text="for the weighted method, for example genedict:2,17:0.5, by ids of servers and producers",
    )


class SourceOfDataSet(serializers.Serializer[Any]):
    """A producer that votes. server: its slug if it votes with its live annotations."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    server = serializers.CharField()
    weight = serializers.FloatField(allow_null=True, help_text="null: 1")


class SizeOfDataSet(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES)
    articles = serializers.IntegerField(help_text="that at least one producer annotated")
    annotations = serializers.IntegerField()


class PairInDataSet(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    instances = serializers.IntegerField()
    f1 = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)


class TypeInDataSet(serializers.Serializer[Any]):
    """The agreement of the producers that report a type, for what they report of it."""

    type = serializers.CharField()
    articles = serializers.IntegerField(help_text="that all producers annotated")
    mean_f1 = serializers.FloatField(allow_null=True)
    fleiss_kappa = serializers.FloatField(source="fleiss", allow_null=True)
    pairs = PairInDataSet(many=True)


class AgreementInDataSet(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES)
    articles = serializers.IntegerField(help_text="that all producers annotated")
    mean_f1 = serializers.FloatField(allow_null=True)
    fleiss_kappa = serializers.FloatField(source="fleiss", allow_null=True)
    pairs = PairInDataSet(many=True)
    types = TypeInDataSet(many=True, help_text="types of mentions, entities, relations and labels that two report")


class ProgressOfDataSet(serializers.Serializer[Any]):
    done = serializers.IntegerField(help_text="articles that are built")
    total = serializers.IntegerField(help_text="articles to build in this update")


class DataSetInFull(serializers.Serializer[DataSetView]):
    """Sizes, agreement and files are only there for those who may read its annotations (readable)."""

    id = serializers.IntegerField(source="data_set.pk")
    name = serializers.CharField(source="data_set.name")
    description = serializers.CharField(source="data_set.description")
    licence = serializers.CharField(source="data_set.licence")
    owner = serializers.CharField(source="data_set.owner.username")
    state = serializers.CharField(source="data_set.state")
    problem = serializers.CharField(source="data_set.problem")
    progress = ProgressOfDataSet(source="data_set")
    producer = serializers.IntegerField(source="data_set.producer_id", help_text="as corpora/{slug}/compare/ has it")
    corpus = serializers.SerializerMethodField(help_text="its slug; null for a search, and if you do not see it")
    search = serializers.CharField(source="data_set.search")
    kinds = serializers.ListField(child=serializers.CharField(), source="data_set.kinds")
    method = serializers.CharField(source="data_set.method")
    threshold = serializers.FloatField(allow_null=True)
    spans = serializers.CharField(source="data_set.spans")
    match = serializers.CharField(source="data_set.match")
    producers = SourceOfDataSet(many=True, source="sources")
    hidden_producers = serializers.IntegerField(source="hidden_sources", help_text="that vote and that you do not see")
    cuts = serializers.SerializerMethodField(help_text="where lists end: [producer, kind, criterion, value] each")
    readable = serializers.BooleanField()
    sizes = SizeOfDataSet(many=True)
    agreement = AgreementInDataSet(many=True, source="agreements")
    files = serializers.SerializerMethodField(help_text="URL of the file by format")
    created = serializers.DateTimeField(source="data_set.created")
    built = serializers.DateTimeField(source="data_set.built", allow_null=True)
    proposed = serializers.DateTimeField(source="data_set.proposed", allow_null=True)
    published = serializers.DateTimeField(source="data_set.published", allow_null=True)
    withdrawn = serializers.DateTimeField(source="data_set.withdrawn", allow_null=True)

    def get_corpus(self, view: DataSetView) -> str | None:
        return view.data_set.corpus.slug if view.data_set.corpus and view.corpus_visible else None

    def get_cuts(self, view: DataSetView) -> list[list[Any]]:
        return list(view.data_set.cuts) if view.readable else []

    def get_files(self, view: DataSetView) -> dict[str, str]:
        if not view.has_files:
            return {}
        address = self.context["request"].build_absolute_uri(f"/api/v1/data/{view.data_set.pk}/files/")
        return {slug: f"{address}{slug}/" for slug in (*DOWNLOADS, CROISSANT_SLUG)}


class DecisionOnDataSet(RequestSerializer[Any]):
    decision = serializers.ChoiceField(choices=[ReviewState.ACCEPTED.value, ReviewState.DECLINED.value])
    note = serializers.CharField(max_length=400, default="", allow_blank=True, help_text="shown to the owner")


class BoardOfDataSet(RequestSerializer[Any]):
    challenge = serializers.SlugField()
    phase = serializers.SlugField()
    task = serializers.CharField(max_length=50)


class BoardAndTeam(BoardOfDataSet):
    team = serializers.SlugField(help_text="one of your teams")


class RunOfDataSet(serializers.Serializer[Any]):
    run = serializers.IntegerField(allow_null=True, help_text="null while the file is checked, and if it is refused")
    upload = serializers.IntegerField(allow_null=True, help_text="at uploads/{id}/; null for a baseline")


class DataSetAPIView(APIView):
    """Answers 409 with the message of a DataSetError or ChallengeError."""

    permission_classes = [permissions.IsAuthenticated]
    conflict_description = "not possible in its present state; the detail says why"

    def get_data_set(self) -> DataSet:
        visible = list_visible_data_sets(self.request.user).select_related("owner", "corpus", "producer")
        return get_object_or_404(visible, pk=self.kwargs["pk"])

    def build_response(self, code: int = status.HTTP_200_OK) -> Response:
        view = build_data_set_view(self.get_data_set(), self.request.user)
        return Response(DataSetInFull(view, context={"request": self.request}).data, status=code)

    def handle_exception(self, exc: Exception) -> Response:
        conflict = isinstance(exc, DataSetError | ChallengeError)
        return super().handle_exception(ConflictProblem(str(exc)) if conflict else exc)


class DataSetList(generics.ListAPIView[DataSet]):
    """The data sets that you may see, published ones first."""

    serializer_class = DataSetInList
    pagination_class = OffsetPages
    queryset = DataSet.objects.none()

    def get_queryset(self) -> QuerySet[DataSet]:
        return list_data_sets_newest_first(self.request.user)

    @extend_schema(summary="List data sets")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(summary="Make a data set", request=NewDataSet, responses={201: DataSetInFull})
    def post(self, request: Request) -> Response:
        """A worker builds the consensus of the producers on the articles of a corpus or search. Only you and
        administrators see it until it is published."""
        values = validate_request_data(NewDataSet, request)
        try:
            data_set = create_data_set(cast(AbstractBaseUser, request.user), _build_recipe(request, values))
        except DataSetError as error:
            raise ValidationError({error.field: str(error)} if error.field else str(error)) from error
        view = build_data_set_view(data_set, request.user)
        return Response(DataSetInFull(view, context={"request": request}).data, status=status.HTTP_201_CREATED)


def _build_recipe(request: Request, values: dict[str, Any]) -> RecipeInput:
    corpus = None
    if values["corpus"]:
        corpus = list_loadable_corpora(request.user).filter(slug=values["corpus"]).first()
        if corpus is None:
            raise DataSetError("There is no such corpus that you can see, or it is blind.", "corpus")
    converted = {
        "corpus": corpus,
        "licence": Licence(values["licence"]),
        "kinds": [Kind(kind) for kind in values["kinds"]],
        "spans": SpanMatching(values["spans"]),
        "match": MentionMatching(values["match"]),
    }
    return RecipeInput(**values | converted)


class DataSetDetail(DataSetAPIView):
    permission_classes = [permissions.AllowAny]

    @extend_schema(summary="Read a data set", responses=DataSetInFull)
    def get(self, request: Request, pk: int) -> Response:
        """Its recipe, state, size, the agreement of its producers, and its files."""
        return self.build_response()


class DataSetFile(DataSetAPIView):
    permission_classes = [permissions.AllowAny]
    content_negotiation_class = UrlFormatNegotiation
    throttle_classes = (RequestLimit, FileLimit)

    @extend_schema(summary="Download a data set", responses=FILE_RESPONSES)
    def get(self, request: Request, pk: int, slug: str) -> HttpResponseBase:
        """Its articles with its annotations, in one of the formats at export/. The format croissant is a description of
        both Parquet files in Croissant 1.0."""
        data_set = self.get_data_set()
        export = None if slug == CROISSANT_SLUG else get_export_format_or_404(slug)
        if not can_read_annotations(request.user, data_set):
            raise PermissionDenied("You do not see all producers of this data set.")
        if export is None:
            return build_croissant_response(describe_data_set_files(data_set))
        return build_data_set_download(request._request, data_set, export)


class UpdateDataSet(DataSetAPIView):
    @extend_schema(summary="Update a data set", request=None, responses={200: DataSetInFull})
    def post(self, request: Request, pk: int) -> Response:
        """Build the articles that have changed. For its owner, if it is outdated."""
        data_set = self.get_data_set()
        check_may_change_data_set(request.user, data_set)
        update_outdated_data_set(data_set)
        return self.build_response()


class ProposeDataSet(DataSetAPIView):
    @extend_schema(summary="Ask for the publication of a data set", request=None, responses={200: DataSetInFull})
    def post(self, request: Request, pk: int) -> Response:
        """For its owner. All of its producers have to be public."""
        data_set = self.get_data_set()
        check_may_change_data_set(request.user, data_set)
        propose_data_set(data_set)
        return self.build_response()


class ReviewDataSet(DataSetAPIView):
    @extend_schema(summary="Publish or decline a data set", request=DecisionOnDataSet, responses={200: DataSetInFull})
    def post(self, request: Request, pk: int) -> Response:
        """Published annotations are on the pages of articles, in searches and exports. For reviewers."""
        check_may_review(request.user)
        data_set, values = self.get_data_set(), validate_request_data(DecisionOnDataSet, request)
        if values["decision"] == ReviewState.ACCEPTED:
            publish_proposed_data_set(data_set, request.user)
        else:
            decline_proposed_data_set(data_set, request.user, values["note"])
        view = build_data_set_view(DataSet.objects.select_related("owner", "corpus").get(pk=pk), request.user)
        return Response(DataSetInFull(view, context={"request": request}).data)


class WithdrawDataSet(DataSetAPIView):
    @extend_schema(summary="Withdraw a data set", request=None, responses={200: DataSetInFull})
    def post(self, request: Request, pk: int) -> Response:
        """Nobody sees it any more, and its annotations are deleted. For its owner."""
        data_set = self.get_data_set()
        check_may_change_data_set(request.user, data_set)
        withdraw_data_set(data_set, request.user)
        return self.build_response()


class EnterDataSetAsBaseline(DataSetAPIView):
    @extend_schema(summary="Enter a data set as a baseline", request=BoardOfDataSet, responses={200: RunOfDataSet})
    def post(self, request: Request, pk: int) -> Response:
        """Copy a published data set to a run without a rank, replacing an earlier copy. For organizers."""
        data_set, values = self.get_data_set(), validate_request_data(BoardOfDataSet, request)
        challenge = get_challenge_or_403_unless_organizer(request.user, values["challenge"])
        phase = get_challenge_phase_or_404(challenge, values["phase"])
        task = get_object_or_404(challenge.tasks, name=values["task"])
        run = store_data_set_as_baseline(data_set, task, phase)
        return Response(RunOfDataSet({"run": run.pk, "upload": None}).data)


class EnterDataSetAsRun(DataSetAPIView):
    @extend_schema(summary="Enter a data set as a run", request=BoardAndTeam, responses={200: RunOfDataSet})
    def post(self, request: Request, pk: int) -> Response:
        """Upload a published data set as a run of a team, which is checked and counted like any upload. For its owner,
        as a member of the team."""
        data_set, values = self.get_data_set(), validate_request_data(BoardAndTeam, request)
        if data_set.owner_id != request.user.pk:
            raise PermissionDenied("Only its owner enters a data set as a run of a team.")
        task, phase = get_task_and_phase_or_404(request.user, values["challenge"], values["phase"], values["task"])
        team = list_teams(request.user).filter(slug=values["team"]).first()
        if team is None:
            raise ValidationError({"team": "You are on no such team. Send the slug of one of your teams."})
        upload = upload_data_set_as_run(data_set, task, phase, team, request.user)
        return Response(RunOfDataSet({"run": upload.run_id, "upload": upload.pk}).data)
