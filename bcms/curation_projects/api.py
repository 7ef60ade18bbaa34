"""REST: the worklist of a curator, and curation projects for their owners and curators."""

from typing import Any, cast

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.models import Corpus
from annotations.curation.errors import CurationError
from annotations.curation.projects.assignment import assign_article
from annotations.curation.projects.models import CurationProject, ProjectHelp
from annotations.curation.states import ItemKind
from annotations.results.consensus.methods import CONSENSUS_METHOD_CHOICES
from bcms.curation.access import get_own_curation_or_404
from bcms.curation.bulk.acceptance import AcceptanceRule, accept_consensus
from bcms.curation_projects import management
from bcms.curation_projects.access import (
    ProjectRights,
    check_may_curate,
    check_may_manage,
    get_curation_to_hand_over_or_404,
    get_visible_project_or_404,
    list_visible_projects,
    load_project_rights,
)
from bcms.curation_projects.forms import LONGEST_GUIDELINE, ProjectPersonForm
from bcms.curation_projects.management import LARGEST_SEED
from bcms.curation_projects.outcomes.article_comparison import get_project_article_or_404
from bcms.curation_projects.queries import CuratorProgress, list_projects_newest_first, load_project_progress
from bcms.curation_projects.worklist import Worklist, WorklistOrder, load_worklist
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.pagination import OffsetPages
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.query_parameters import read_choice_parameter, read_number_parameter
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.errors import ChallengeError
from evaluation.visibility import is_staff, list_visible_corpora

LARGEST_ID = 2**31 - 1
PROJECT_SCHEMA = {"type": "integer", "minimum": 1, "maximum": LARGEST_ID}


class ProjectInList(serializers.ModelSerializer[CurationProject]):
    """arm_seed: of the random assignment in an experiment, null without one and for those who do not manage it."""

    corpus = serializers.CharField(source="corpus.slug")
    owner = serializers.CharField(source="owner.username")
    arm_seed = serializers.SerializerMethodField()

    class Meta:
        model = CurationProject
        fields = ["id", "name", "corpus", "owner", "help", "arm_seed", "created", "closed"]

    def get_arm_seed(self, project: CurationProject) -> int | None:
        reader = self.context["request"].user
        return project.arm_seed if reader.pk == project.owner_id or is_staff(reader) else None


class CuratorOfProject(serializers.Serializer[CuratorProgress]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    released = serializers.BooleanField()
    assigned = serializers.IntegerField()
    open = serializers.IntegerField()
    finished = serializers.IntegerField()
    hours = serializers.FloatField()


class ProgressOfProject(serializers.Serializer[Any]):
    articles = serializers.IntegerField()
    unassigned = serializers.IntegerField(help_text="articles that nobody curates")
    decided = serializers.IntegerField(help_text="articles with an outcome")
    curators = CuratorOfProject(many=True)


class ProjectInFull(serializers.Serializer[Any]):
    """progress: null for those who only curate in the project. curator: your id there, null if you do not curate."""

    project = ProjectInList()
    guideline = serializers.CharField(source="project.guideline")
    recipe = serializers.JSONField(source="project.recipe", help_text="what is proposed; empty for the default")
    sealed = serializers.BooleanField(source="rights.sealed", help_text="gold standard of a test not published yet")
    curator = serializers.IntegerField(source="rights.curator.pk", allow_null=True, default=None)
    progress = ProgressOfProject(allow_null=True)


class NewProject(RequestSerializer[Any]):
    name = serializers.CharField(max_length=100)
    corpus = serializers.SlugField()
    guideline = serializers.CharField(max_length=LONGEST_GUIDELINE, default="", allow_blank=True)
    help = ExplainedChoiceField(choices=ProjectHelp.choices, default=ProjectHelp.SYSTEMS.value)
    method = ExplainedChoiceField(
        choices=CONSENSUS_METHOD_CHOICES, allow_blank=True, default="", help_text="rule of what is proposed"
    )
    threshold = serializers.FloatField(default=None, allow_null=True, min_value=0)
    arm_seed = serializers.IntegerField(
        default=None,
        allow_null=True,
        min_value=0,
        max_value=LARGEST_SEED,
        help_text="of the random assignment in an experiment; drawn if it is missing",
    )


class PersonOfProject(RequestSerializer[Any]):
    person = serializers.CharField(max_length=254, help_text="user name or confirmed e-mail address")


class CuratorToRemove(RequestSerializer[Any]):
    curator = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)


class SplitOfCorpus(RequestSerializer[Any]):
    overlap = serializers.FloatField(min_value=0, max_value=100, help_text="percentage of articles that two curate")
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=1)


class AssignmentOfArticle(CuratorToRemove):
    article = serializers.CharField(max_length=32, help_text="PMID, or the id of a blind article")


class ArticleToTake(RequestSerializer[Any]):
    article = serializers.CharField(max_length=32, help_text="PMID, or the id of a blind article")


class ClosedState(RequestSerializer[Any]):
    closed = serializers.BooleanField()


class CurationId(serializers.Serializer[Any]):
    curation = serializers.IntegerField()


class RuleOfAcceptance(RequestSerializer[Any]):
    method = ExplainedChoiceField(choices=CONSENSUS_METHOD_CHOICES)
    threshold = serializers.FloatField(default=None, allow_null=True, min_value=0)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(choices=[kind.value for kind in ItemKind]), allow_empty=False, max_length=7
    )
    seen = serializers.IntegerField(min_value=0, max_value=LARGEST_ID, help_text="number of the last decision you know")
    token = serializers.CharField(max_length=36, help_text="a request that is sent again with it changes nothing")


class AcceptedConsensus(serializers.Serializer[Any]):
    decision = serializers.IntegerField(help_text="its number; undo takes it back as one")
    items = serializers.IntegerField()


class CurationInWorklist(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    article = serializers.CharField()
    title = serializers.CharField()
    state = serializers.CharField(help_text="assigned, open or finished")
    project = serializers.IntegerField(source="project_id", allow_null=True)
    changed = serializers.DateTimeField()
    seconds = serializers.FloatField(help_text="time in sight")
    nothing_found = serializers.BooleanField()
    arm = serializers.CharField(help_text='in an experiment: "with" or "without" help; empty outside of one')


class ArticleSuggestion(serializers.Serializer[Any]):
    article = serializers.CharField()
    title = serializers.CharField()


class WorklistOfCurator(serializers.Serializer[Worklist]):
    """to_curate and finished have the first 50; suggestions are articles that you do not curate yet."""

    unfinished = serializers.IntegerField()
    to_curate = CurationInWorklist(source="rows", many=True)
    finished = serializers.IntegerField()
    done = CurationInWorklist(many=True)
    suggestions = ArticleSuggestion(many=True)


class CurationProjectAPIView(APIView):
    """Answers 409 with the message of a CurationError or ChallengeError."""

    permission_classes = [permissions.IsAuthenticated]
    conflict_description = "not possible in its present state; the detail says what to do"

    def get_account(self) -> AbstractBaseUser:
        return cast(AbstractBaseUser, self.request.user)

    def get_project(self) -> tuple[CurationProject, ProjectRights]:
        project = get_visible_project_or_404(self.request.user, self.kwargs["pk"])
        return project, load_project_rights(self.request.user, project)

    def get_managed_project(self) -> CurationProject:
        project, rights = self.get_project()
        check_may_manage(rights)
        return project

    def build_response(self, code: int = status.HTTP_200_OK, project_id: int | None = None) -> Response:
        project = get_visible_project_or_404(self.request.user, project_id or self.kwargs["pk"])
        rights = load_project_rights(self.request.user, project)
        progress = load_project_progress(project) if rights.manage or rights.read else None
        values = {"project": project, "rights": rights, "progress": progress}
        return Response(ProjectInFull(values, context={"request": self.request}).data, status=code)

    def find_person(self) -> AbstractBaseUser:
        data = validate_request_data(PersonOfProject, self.request)
        person: AbstractBaseUser = get_cleaned_form_data(ProjectPersonForm(data))["person"]
        return person

    def handle_exception(self, exc: Exception) -> Response:
        conflict = isinstance(exc, CurationError | ChallengeError)
        return super().handle_exception(ConflictProblem(str(exc)) if conflict else exc)


class CurationWorklist(CurationProjectAPIView):
    query_parameters = ("order", "project")

    @extend_schema(
        summary="Read your worklist",
        parameters=[
            OpenApiParameter("order", str, enum=[order.value for order in WorklistOrder]),
            OpenApiParameter("project", PROJECT_SCHEMA, description="only of this project"),
        ],
        responses=WorklistOfCurator,
    )
    def get(self, request: Request) -> Response:
        """Your curations, and articles to curate next."""
        order = read_choice_parameter(request, "order", WorklistOrder) or WorklistOrder.GIVEN
        pk = read_number_parameter(request, "project", 0, low=1, high=LARGEST_ID)
        project = list_visible_projects(request.user).filter(pk=pk).first() if pk else None
        if pk and project is None:
            raise ValidationError({"project": "There is no project with this id that you take part in."})
        return Response(WorklistOfCurator(load_worklist(request.user, order, project)).data)


class CurationProjectList(CurationProjectAPIView, generics.ListAPIView[CurationProject]):
    """The curation projects that you take part in."""

    serializer_class = ProjectInList
    pagination_class = OffsetPages
    queryset = CurationProject.objects.none()

    def get_queryset(self) -> QuerySet[CurationProject]:
        return list_projects_newest_first(list_visible_projects(self.request.user))

    @extend_schema(summary="List curation projects")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    @extend_schema(summary="Create a curation project", request=NewProject, responses={201: ProjectInFull})
    def post(self, request: Request) -> Response:
        """Over a corpus that you see. Add curators next."""
        values = validate_request_data(NewProject, request)
        corpus = self._get_corpus(values.pop("corpus"))
        values["help"] = ProjectHelp(values["help"])
        project = management.create_project(self.get_account(), corpus=corpus, **values)
        return self.build_response(status.HTTP_201_CREATED, project.pk)

    def _get_corpus(self, slug: str) -> Corpus:
        corpus = list_visible_corpora(self.request.user).filter(slug=slug).first()
        if corpus is None:
            raise ValidationError({"corpus": "There is no such corpus that you can see."})
        return corpus


class CurationProjectDetail(CurationProjectAPIView):
    @extend_schema(summary="Read a curation project", responses=ProjectInFull)
    def get(self, request: Request, pk: int) -> Response:
        """Its guideline and rule, and for its owner, adjudicators and organizers how far its curators are."""
        return self.build_response()


class AddProjectCurator(CurationProjectAPIView):
    @extend_schema(summary="Add a curator to a project", request=PersonOfProject, responses=ProjectInFull)
    def post(self, request: Request, pk: int) -> Response:
        """A new curator is notified by mail. For the owner."""
        management.add_curator(self.get_managed_project(), self.find_person())
        return self.build_response()


class RemoveProjectCurator(CurationProjectAPIView):
    @extend_schema(summary="Remove a curator from a project", request=CuratorToRemove, responses=ProjectInFull)
    def post(self, request: Request, pk: int) -> Response:
        """What they began or finished stays. For the owner."""
        project, data = self.get_managed_project(), validate_request_data(CuratorToRemove, request)
        management.remove_curator(project, data["curator"], timezone.now())
        return self.build_response()


class LeaveProject(CurationProjectAPIView):
    @extend_schema(summary="Leave a curation project", request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """What you began or finished stays."""
        project, rights = self.get_project()
        management.leave_project(project, rights.curator, timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class AddProjectAdjudicator(CurationProjectAPIView):
    @extend_schema(summary="Add an adjudicator to a project", request=PersonOfProject, responses=ProjectInFull)
    def post(self, request: Request, pk: int) -> Response:
        """They see what was decided, and decide on the outcome. For the owner."""
        management.add_adjudicator(self.get_managed_project(), self.find_person())
        return self.build_response()


class SplitProjectCorpus(CurationProjectAPIView):
    @extend_schema(summary="Split a corpus among curators", request=SplitOfCorpus, responses=ProjectInFull)
    def post(self, request: Request, pk: int) -> Response:
        """Assign every article that nobody curates to one curator, and a share of them to two. For the owner."""
        project, data = self.get_managed_project(), validate_request_data(SplitOfCorpus, request)
        management.split_corpus(project, data["overlap"], data["seed"])
        return self.build_response()


class AssignProjectArticle(CurationProjectAPIView):
    @extend_schema(summary="Assign an article to a curator", request=AssignmentOfArticle, responses=CurationId)
    def post(self, request: Request, pk: int) -> Response:
        """The article may have other curators, too. For the owner."""
        project, data = self.get_managed_project(), validate_request_data(AssignmentOfArticle, request)
        article = get_project_article_or_404(project, data["article"])
        return Response(CurationId({"curation": assign_article(project, article, data["curator"]).pk}).data)


class TakeProjectArticle(CurationProjectAPIView):
    @extend_schema(summary="Take an article of a project", request=ArticleToTake, responses=CurationId)
    def post(self, request: Request, pk: int) -> Response:
        """One that nobody curates. For curators of the project."""
        project, rights = self.get_project()
        check_may_curate(rights)
        article = get_project_article_or_404(project, validate_request_data(ArticleToTake, request)["article"])
        curation = management.take_article(project, rights.curator, article)
        return Response(CurationId({"curation": curation.pk}).data)


class CloseProject(CurationProjectAPIView):
    @extend_schema(summary="Close or open a curation project", request=ClosedState, responses=ProjectInFull)
    def post(self, request: Request, pk: int) -> Response:
        """In a closed project nothing is assigned or curated. For the owner."""
        project, data = self.get_managed_project(), validate_request_data(ClosedState, request)
        management.set_closed(project, timezone.now(), closed=data["closed"])
        return self.build_response()


class HandCurationOver(CurationProjectAPIView):
    @extend_schema(summary="Hand a curation over", request=CuratorToRemove, responses=CurationId)
    def post(self, request: Request, pk: int) -> Response:
        """To a colleague in its project, by their id there. For the owner of the project and, except in an
        experiment, for its curator."""
        curation = get_curation_to_hand_over_or_404(request.user, pk)
        data = validate_request_data(CuratorToRemove, request)
        management.hand_over(curation.pk, data["curator"], timezone.now())
        return Response(CurationId({"curation": curation.pk}).data)


class AcceptConsensus(CurationProjectAPIView):
    @extend_schema(summary="Accept a whole consensus", request=RuleOfAcceptance, responses=AcceptedConsensus)
    def post(self, request: Request, pk: int) -> Response:
        """Accept everything of these kinds that a rule keeps and that is not decided yet, as one decision."""
        curation, data = get_own_curation_or_404(request.user, pk), validate_request_data(RuleOfAcceptance, request)
        rule = AcceptanceRule(data["method"], data["threshold"], [ItemKind(kind) for kind in data["kinds"]])
        decision = accept_consensus(curation, rule, data["seen"], data["token"], self.get_account().pk, timezone.now())
        return Response(AcceptedConsensus({"decision": decision.number, "items": decision.items.count()}).data)
