"""REST: what the curators of a project agree on, its outcome, and the gold standard made of it."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.curation.projects.models import CurationProject
from annotations.formats.errors import RefusedFileError
from bcms.curation_projects import management
from bcms.curation_projects.access import check_may_decide, check_may_read
from bcms.curation_projects.api import CurationProjectAPIView
from bcms.curation_projects.outcomes.article_comparison import (
    RecordComparison,
    get_project_article_or_404,
    load_article_comparison,
    parse_choices,
)
from bcms.curation_projects.outcomes.gold_choices import list_gold_choices
from bcms.curation_projects.queries import ProjectOutcome, load_project_outcome
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.agreement.api import IntervalsField
from evaluation.analyses.curators.level_agreement import AgreementLevel, LevelAgreement
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer, get_challenge_phase_or_404
from evaluation.gold.api import GoldStored


class AgreementAtLevel(serializers.Serializer[LevelAgreement]):
    """Figures are null where they are 0/0 or meaningless; joint, kappa and f1 also for more than two curators."""

    level = serializers.ChoiceField(choices=[level.value for level in AgreementLevel])
    articles = serializers.IntegerField()
    instances = serializers.IntegerField(source="agreement.instances", allow_null=True, default=None)
    joint = serializers.FloatField(source="agreement.joint", allow_null=True, default=None)
    kappa = serializers.FloatField(source="agreement.kappa", allow_null=True, default=None, help_text="Cohen's")
    f1 = serializers.FloatField(source="agreement.f1", allow_null=True, default=None)
    alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's, of items or characters")
    set_alpha = serializers.FloatField(allow_null=True, help_text="Krippendorff's, of the sets of items of articles")
    intervals = IntervalsField()


class AgreementOfCurators(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    levels = AgreementAtLevel(many=True)


class ArticleWithConflict(serializers.Serializer[Any]):
    article = serializers.CharField(source="name")
    title = serializers.CharField()
    curators = serializers.ListField(child=serializers.CharField())
    differing = serializers.IntegerField(help_text="items that not all of them accepted in the same form")
    decided = serializers.BooleanField()


class OutcomeOfProject(serializers.Serializer[ProjectOutcome]):
    pairs = AgreementOfCurators(many=True)
    together = AgreementAtLevel(many=True)
    conflicts = ArticleWithConflict(many=True)
    agreed = serializers.IntegerField(help_text="articles that can be taken over at once")
    hidden = serializers.IntegerField(help_text="articles that you still curate yourself")


class VersionOfItem(serializers.Serializer[Any]):
    title = serializers.CharField()
    details = serializers.ListField(child=serializers.CharField())
    curators = serializers.ListField(child=serializers.CharField())


class ComparedItemOfArticle(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    kind = serializers.CharField()
    key = serializers.CharField()
    agreed = serializers.BooleanField()
    versions = VersionOfItem(many=True)
    rejected_by = serializers.ListField(child=serializers.CharField())
    missed_by = serializers.ListField(child=serializers.CharField())


class ComparisonOfArticle(serializers.Serializer[RecordComparison]):
    """shown: send it back with your choices."""

    curators = serializers.ListField(child=serializers.CharField())
    items = ComparedItemOfArticle(source="rows", many=True)
    decided = serializers.BooleanField()
    shown = serializers.CharField()


class ChosenVersions(RequestSerializer[Any]):
    shown = serializers.CharField(max_length=100)
    choices = serializers.DictField(
        child=serializers.CharField(max_length=5),
        help_text="by the number of each item that is not agreed: the index of a version, or none to leave it out",
    )


class StoredOutcome(serializers.Serializer[Any]):
    curation = serializers.IntegerField()
    record = serializers.JSONField()


class AcceptedArticles(serializers.Serializer[Any]):
    accepted = serializers.IntegerField()
    left = serializers.IntegerField(help_text="more than one request takes over; repeat it")


class BoardOfOutcome(RequestSerializer[Any]):
    challenge = serializers.SlugField()
    phase = serializers.SlugField()
    task = serializers.CharField(max_length=50)


class CurationProjectOutcome(CurationProjectAPIView):
    @extend_schema(summary="Read the agreement of curators", responses=OutcomeOfProject)
    def get(self, request: Request, pk: int) -> Response:
        """By entity, relation, method and so on, and the articles on which curators differ. For the owner of the
        project, its adjudicators, and the organizers of its challenge."""
        project, rights = self.get_project()
        check_may_read(rights)
        return Response(OutcomeOfProject(load_project_outcome(project, request.user)).data)


class CurationProjectArticle(CurationProjectAPIView):
    @extend_schema(summary="Compare the records of an article", responses=ComparisonOfArticle)
    def get(self, request: Request, pk: int, identifier: str) -> Response:
        """What all curators accepted, what only some did, and who rejected it."""
        project, rights = self.get_project()
        check_may_read(rights)
        return Response(ComparisonOfArticle(self._load_comparison(project, identifier)).data)

    @extend_schema(summary="Decide on an article", request=ChosenVersions, responses=StoredOutcome)
    def post(self, request: Request, pk: int, identifier: str) -> Response:
        """Store the outcome of the article, replacing an earlier one. For the owner and adjudicators."""
        project, rights = self.get_project()
        check_may_decide(rights)
        comparison = self._load_comparison(project, identifier)
        data = validate_request_data(ChosenVersions, request)
        choices = parse_choices(comparison.items, {f"item-{key}": value for key, value in data["choices"].items()})
        outcome = management.decide_outcome(
            project, comparison.article.pk, choices, data["shown"], self.get_account(), timezone.now()
        )
        return Response(StoredOutcome({"curation": outcome.pk, "record": outcome.record}).data)

    def _load_comparison(self, project: CurationProject, identifier: str) -> RecordComparison:
        return load_article_comparison(project, get_project_article_or_404(project, identifier), self.request.user)


class AcceptAgreedArticles(CurationProjectAPIView):
    @extend_schema(summary="Take over agreed articles", request=None, responses=AcceptedArticles)
    def post(self, request: Request, pk: int) -> Response:
        """Those whose curators agree on everything, and those that one person curated alone."""
        project, rights = self.get_project()
        check_may_decide(rights)
        accepted, left = management.accept_agreed(project, self.get_account(), timezone.now())
        return Response(AcceptedArticles({"accepted": accepted, "left": left}).data)


class MakeOutcomeGold(CurationProjectAPIView):
    @extend_schema(summary="Make the outcome a gold standard", request=BoardOfOutcome, responses={201: GoldStored})
    def post(self, request: Request, pk: int) -> Response:
        """In a test phase it is sealed. From then on, only the organizers see what was decided in the project, and each
        curator what they decided themselves, until the test is published. For an owner who organizes the challenge."""
        project, data = self.get_managed_project(), validate_request_data(BoardOfOutcome, request)
        challenge = get_challenge_or_403_unless_organizer(request.user, data["challenge"])
        phase = get_challenge_phase_or_404(challenge, data["phase"])
        task = get_object_or_404(challenge.tasks, name=data["task"])
        if not any((each.task, each.phase) == (task, phase) for each in list_gold_choices(project, request.user)):
            raise ValidationError({"phase": f"The {phase.sort} phase has another corpus than the project."})
        try:
            gold = management.make_gold(project, task, phase)
        except RefusedFileError as error:
            raise ValidationError({"task": [str(fault) for fault in error.faults]}) from error
        return Response(GoldStored(gold).data, status=status.HTTP_201_CREATED)
