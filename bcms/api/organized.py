"""What the resources for organizers have in common: whose they are, and what is sent to and fro."""

from collections.abc import Callable
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse
from rest_framework import permissions, serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.kinds import Kind
from bcms.api.conventions import Choice, refusal_of
from bcms.problems import Conflict
from evaluation import challenges
from evaluation.caps import check_caps
from evaluation.errors import ChallengeError
from evaluation.models import Challenge, Entrant, GoldStandard, Phase
from evaluation.organizers.forms import PhaseRulesForm, cap_name
from evaluation.sealing import SealError

REFUSED = {409: OpenApiResponse(description="cannot be done in its present state; the detail says what to do")}
REFUSED_FILE = {**REFUSED, 422: OpenApiResponse(description="refused, with all faults by line and column")}


class Organized(APIView):
    """For the challenge's organizers; 403 for everybody else. An error of the challenge is a 409 with its sentence."""

    permission_classes = [permissions.IsAuthenticated]

    def challenge(self) -> Challenge:
        found = get_object_or_404(Challenge, slug=self.kwargs["slug"])
        if not challenges.organizes(self.request.user, found):
            raise PermissionDenied(f"Only the organizers of {found} may do this: ask one of them.")
        return found

    def phase(self) -> Phase:
        rows = self.challenge().phases.select_related("challenge", "corpus")
        return get_object_or_404(rows, sort=self.kwargs["phase"])

    def handle_exception(self, exc: Exception) -> Response:
        return super().handle_exception(Conflict(str(exc)) if isinstance(exc, ChallengeError | SealError) else exc)


class NewChallenge(serializers.Serializer):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=50, help_text="its name in addresses")
    description = serializers.CharField(default="", allow_blank=True)


class RulesOfChallenge(serializers.ModelSerializer):
    class Meta:
        model = Challenge
        fields = ["name", "description", "entrance", "approve_teams", "file_rules", "terms"]


class NewTask(serializers.Serializer):
    name = serializers.CharField(max_length=20, help_text="short, as in ACT")
    title = serializers.CharField(max_length=200)
    kind = Choice(choices=[kind.value for kind in Kind])
    primary = serializers.CharField(
        default="", allow_blank=True, help_text="the measure that orders the leaderboard; empty: the usual one"
    )
    further = serializers.ListField(child=serializers.CharField(), default=list, help_text="measures shown beside it")
    note = serializers.CharField(default="", allow_blank=True)


class NewCorpus(serializers.Serializer):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=50)
    description = serializers.CharField(default="", allow_blank=True)
    articles = serializers.ListField(
        child=serializers.CharField(max_length=260), allow_empty=False, help_text="PMIDs, DOIs, PMCIDs or opaque ids"
    )
    blind = serializers.BooleanField(default=False, help_text="for a test")


class CorpusMade(serializers.Serializer):
    slug = serializers.CharField()
    articles = serializers.IntegerField()


class NewPhase(serializers.Serializer):
    sort = Choice(choices=Phase.Sort.choices)
    corpus = serializers.SlugField(help_text="slug of a corpus; of the blind ones one that was added to this challenge")
    opens = serializers.DateTimeField(required=False, help_text="default: at once")
    closes = serializers.DateTimeField(required=False, help_text="default: it stays open")


class UploadCaps(serializers.DictField):
    """{kind: the most results of an article in an uploaded run}"""

    child = serializers.IntegerField()
    default_validators = [check_caps]


class RulesOfPhase(serializers.ModelSerializer):
    upload_caps = UploadCaps(default=dict, help_text="by kind, of an article in an uploaded run; without one: no cap")

    class Meta:
        model = Phase
        fields = [*PhaseRulesForm.Meta.fields, "upload_caps"]


class PhaseInFull(serializers.ModelSerializer):
    corpus = serializers.CharField(source="corpus.slug")
    upload_caps = UploadCaps(help_text="by kind, of an article in an uploaded run; without one: no cap")

    class Meta:
        model = Phase
        fields = [
            *("sort", "corpus", "closes", "frozen", "published", "publish_asked", "publish_fault"),
            *RulesOfPhase.Meta.fields,
        ]


class SentGold(serializers.Serializer):
    file = serializers.FileField(help_text="at most 20 MB")
    alternatives = serializers.FileField(required=False, help_text="of mentions: what is right in place of a gene")
    source = serializers.CharField(max_length=300, default="", help_text="where it comes from, in words")  # type: ignore[assignment]


class GoldStored(serializers.ModelSerializer):
    """sealed: it is kept encrypted until it is published."""

    task = serializers.CharField(source="task.name")
    phase = serializers.CharField(source="phase.sort")
    sealed = serializers.SerializerMethodField()

    class Meta:
        model = GoldStandard
        fields = ["task", "phase", "checksum", "source", "imported", "published", "sealed"]

    def get_sealed(self, gold: GoldStandard) -> bool:
        return gold.producer_id is None


class Reason(serializers.Serializer):
    reason = serializers.CharField(max_length=500, help_text="shown to everybody")


class NewEnd(Reason):
    closes = serializers.DateTimeField(allow_null=True, help_text="null: it stays open")


class ArticleNamed(serializers.Serializer):
    article = serializers.CharField(max_length=260, help_text="PMID, DOI or opaque id")


class ArticleExcluded(ArticleNamed, Reason):
    pass


class CheckMade(serializers.Serializer):
    name = serializers.CharField()
    state = serializers.CharField(help_text="good, look at this, or mend this")
    said = serializers.CharField()


class Resolved(serializers.Serializer):
    task = serializers.CharField(source="task.name")
    articles = serializers.IntegerField()
    difference = serializers.FloatField(allow_null=True, help_text="the smallest one that can be called significant")
    unit = serializers.CharField()
    source = serializers.CharField(help_text="where the spread of two runs comes from")  # type: ignore[assignment]
    needed = serializers.IntegerField(help_text="articles that would tell a difference of 0.05")


class DryRunMade(serializers.Serializer):
    checks = CheckMade(many=True)
    resolutions = Resolved(many=True)


class RowOfMatrix(serializers.Serializer):
    server = serializers.CharField(source="server.slug")
    team = serializers.CharField(source="server.team.slug")
    states = serializers.CharField(
        help_text="a letter for each article of the corpus in order: "
        "a answered, e empty, f failed, n being asked, w waiting, - not in its queue"
    )
    trouble = serializers.CharField(help_text="why it does not get on, and what its team does next; empty: it does")
    last = serializers.CharField(help_text="what its last failed try said")


class MatrixOfPhase(serializers.Serializer):
    articles = serializers.IntegerField()
    rows = RowOfMatrix(many=True)


class EntrantOfChallenge(serializers.ModelSerializer):
    team = serializers.CharField(source="team.slug")

    class Meta:
        model = Entrant
        fields = ["team", "accepted", "approved"]


class OrganizerOfChallenge(serializers.Serializer):
    username = serializers.CharField()


class NewOrganizer(serializers.Serializer):
    organizer = serializers.CharField(max_length=254, help_text="user name, or the e-mail address of an account")
    released = serializers.BooleanField(default=False, help_text="somebody, by user name, organizes it no more")


class TeamNamed(serializers.Serializer):
    team = serializers.SlugField(help_text="slug of the team")


class TeamJudged(TeamNamed):
    approved = serializers.BooleanField(default=True, help_text="false takes the approval back")


def valid(kind: Callable[..., serializers.BaseSerializer], request: Request) -> dict[str, Any]:
    sent = kind(data=request.data)
    sent.is_valid(raise_exception=True)
    return dict(sent.validated_data)


def phase_form(phase: Phase, sent: dict[str, Any]) -> PhaseRulesForm:
    """The page's form with rules as they are sent. ValidationError for a cap of what no task asks for."""
    caps = {cap_name(kind): most for kind, most in sent["upload_caps"].items()}
    form = PhaseRulesForm({**sent, **caps}, instance=phase)
    if strange := [kind for kind in sent["upload_caps"] if cap_name(kind) not in form.fields]:
        said = f"No task of {phase.challenge} is of the kind {strange[0]}; leave its cap out, or add the task first."
        raise ValidationError({"upload_caps": [said]})
    return form


def saved(form: Any) -> Any:
    if not form.is_valid():
        raise refusal_of(form)
    return form.cleaned_data
