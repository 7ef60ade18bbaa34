"""REST resources of a labelling for organizers: curators, rulings on conflicts, and the gold standard."""

from dataclasses import asdict
from typing import Any

from django.http import Http404, HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.formats.errors import RefusedFileError
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.setup.corpora import list_corpora_challenge_may_use
from evaluation.gold.api import GoldStored
from evaluation.labelling import adjudication, curators
from evaluation.labelling.lookup import get_labelling_or_404
from evaluation.labelling.models import Labelling
from evaluation.labelling.organizing.forms import CuratorForm, LabellingForm
from evaluation.labelling.outcome import (
    CuratorOutcome,
    CuratorPair,
    LabelConflict,
    LabellingOutcome,
    load_labelling_outcome,
)
from evaluation.pooling.views import build_tsv_download


class LabellingInList(serializers.ModelSerializer[Labelling]):
    corpus = serializers.CharField(source="corpus.slug")

    class Meta:
        model = Labelling
        fields = ["corpus", "order", "again_every", "guideline", "begun"]


class NewLabelling(RequestSerializer[Any]):
    corpus = serializers.SlugField()
    order = ExplainedChoiceField(choices=Labelling.Order.choices, default=Labelling.Order.GIVEN)
    again_every = ExplainedChoiceField(
        choices=Labelling.SecondReading.choices,
        default=Labelling.SecondReading.TWENTIETH,
        help_text="each curator reads every n-th article a second time; 0: none",
    )
    guideline = serializers.CharField(default="", allow_blank=True, help_text="what counts as relevant")


class CuratorOfLabelling(serializers.Serializer[CuratorOutcome]):
    """hours: of all readings; itself: agreement of second with first readings, null without second readings, with
    intervals as in agreements.
    """

    curator = serializers.CharField(source="labeller")
    released = serializers.DateTimeField(source="labeller.released", allow_null=True)
    labelled = serializers.SerializerMethodField()
    relevant = serializers.IntegerField()
    skipped = serializers.IntegerField()
    seconds = serializers.FloatField(source="times.median", allow_null=True, help_text="median per reading")
    hours = serializers.FloatField(source="times.hours")
    itself = serializers.SerializerMethodField()

    def get_labelled(self, curator: CuratorOutcome) -> int:
        return len(curator.labels)

    def get_itself(self, curator: CuratorOutcome) -> dict[str, Any] | None:
        return {**asdict(curator.itself), "intervals": curator.itself_intervals} if curator.itself else None


class CuratorsAgreed(serializers.Serializer[CuratorPair]):
    """agreement: over the articles that both labelled. Its intervals have the 95 % interval [low, high] by the name of
    the figure: joint, kappa, f1. Articles are resampled; a figure has none if the two have fewer than two articles in
    common.
    """

    first = serializers.CharField(source="first.labeller")
    second = serializers.CharField(source="second.labeller")
    agreement = serializers.SerializerMethodField()

    def get_agreement(self, pair: CuratorPair) -> dict[str, Any]:
        return {**asdict(pair.agreement), "intervals": pair.intervals}


class ConflictOfCurators(serializers.Serializer[LabelConflict]):
    """An article that curators labelled differently. ruling: null while open."""

    article = serializers.CharField(help_text="opaque id")
    yes = serializers.ListField(child=serializers.CharField())
    no = serializers.ListField(child=serializers.CharField())
    ruling = serializers.BooleanField(allow_null=True)


class LabellingInFull(serializers.Serializer[LabellingOutcome]):
    articles = serializers.SerializerMethodField()
    decided = serializers.SerializerMethodField()
    unlabelled = serializers.IntegerField()
    open_conflicts = serializers.IntegerField()
    complete = serializers.BooleanField(help_text="whether the gold standard can be made")
    curators = CuratorOfLabelling(many=True)
    agreements = CuratorsAgreed(many=True, source="pairs")
    fleiss_kappa = serializers.FloatField(source="fleiss", allow_null=True)
    conflicts = ConflictOfCurators(many=True)

    def get_articles(self, outcome: LabellingOutcome) -> int:
        return len(outcome.names)

    def get_decided(self, outcome: LabellingOutcome) -> int:
        return len(outcome.classes)


class NewCurator(RequestSerializer[Any]):
    curator = serializers.CharField(
        max_length=254, help_text="user name or confirmed e-mail address; to release a curator, the user name"
    )
    released = serializers.BooleanField(
        default=False, help_text="true: the curator can no longer label; labels given so far still count"
    )


class NewRuling(RequestSerializer[Any]):
    article = serializers.SlugField(help_text="opaque id")
    relevant = serializers.BooleanField()


class PlaceOfGold(RequestSerializer[Any]):
    task = serializers.CharField(max_length=20)
    phase = serializers.CharField(max_length=11)


class LabellingAPIView(OrganizerAPIView):
    def get_labelling(self) -> Labelling:
        return get_labelling_or_404(self.get_challenge(), self.kwargs["corpus"])

    def build_labelling_response(self, labelling: Labelling) -> Response:
        return Response(LabellingInFull(load_labelling_outcome(labelling)).data)


class LabellingCollection(OrganizerAPIView):
    @extend_schema(summary="List the labellings of a challenge", responses=LabellingInList(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The corpora that curators label for the challenge."""
        rows = self.get_challenge().labellings.select_related("corpus").order_by("pk")
        return Response(LabellingInList(rows, many=True).data)

    @extend_schema(
        summary="Label a corpus", request=NewLabelling, responses={201: LabellingInList, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str) -> Response:
        """Curators, whom you add next, label its articles as relevant or not."""
        challenge, data = self.get_challenge(), validate_request_data(NewLabelling, request)
        corpus = (
            list_corpora_challenge_may_use(challenge, request.user)
            .filter(slug=data["corpus"])
            .values_list("pk", flat=True)
            .first()
        )
        if corpus is None:
            raise ValidationError({"corpus": "There is no such corpus, or this challenge cannot use it."})
        form = LabellingForm(challenge, request.user, {**data, "corpus": corpus})
        labelling = curators.begin_labelling_claiming_blind_corpus(challenge, **get_cleaned_form_data(form))
        return Response(LabellingInList(labelling).data, status=status.HTTP_201_CREATED)


class LabellingState(LabellingAPIView):
    @extend_schema(summary="Read the progress of a labelling", responses=LabellingInFull)
    def get(self, request: Request, slug: str, corpus: str) -> Response:
        """Progress, pace and agreement of the curators, and the articles that they label differently."""
        return self.build_labelling_response(self.get_labelling())


class LabellingCurators(LabellingAPIView):
    @extend_schema(
        summary="Add or release a curator", request=NewCurator, responses={200: LabellingInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """A new curator is notified by mail. With released: true, the curator can no longer label."""
        labelling, data = self.get_labelling(), validate_request_data(NewCurator, request)
        if data["released"]:
            labeller = labelling.labellers.filter(user__username=data["curator"]).first()
            if labeller is None or not curators.release_labeller_keeping_labels(labelling, labeller.pk):
                raise Http404(f"{data['curator']} is not a curator of this labelling.")
        else:
            curators.add_and_mail_or_readmit_curator(
                labelling, get_cleaned_form_data(CuratorForm({"name": data["curator"]}), {"name": "curator"})["name"]
            )
        return self.build_labelling_response(labelling)


class LabellingRulings(LabellingAPIView):
    @extend_schema(
        summary="Rule on an article", request=NewRuling, responses={200: LabellingInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """Settles an article that curators label differently; an earlier ruling is superseded."""
        labelling, data = self.get_labelling(), validate_request_data(NewRuling, request)
        adjudication.store_ruling_and_supersede_earlier(
            labelling, data["article"], data["relevant"], request.user, timezone.now()
        )
        return self.build_labelling_response(labelling)


class LabellingGold(LabellingAPIView):
    @extend_schema(
        summary="Download the decided labels",
        responses={(200, "text/tab-separated-values"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str, corpus: str) -> HttpResponse:
        """As a gold standard: article, tab, 1 or 0."""
        return build_tsv_download(
            adjudication.format_decided_labels_tsv(load_labelling_outcome(self.get_labelling())).decode(),
            f"{corpus}-gold.tsv",
        )

    @extend_schema(
        summary="Make the labels a gold standard", request=PlaceOfGold, responses={201: GoldStored, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """For a task in a phase with this corpus, once every article is decided; stored or sealed like a file."""
        labelling, data = self.get_labelling(), validate_request_data(PlaceOfGold, request)
        task = labelling.challenge.tasks.filter(name=data["task"]).first()
        phase = labelling.challenge.phases.filter(sort=data["phase"]).first()
        if task is None or phase is None:
            raise ValidationError({"task" if task is None else "phase": ["The challenge has none with this name."]})
        try:
            gold = adjudication.store_completed_labels_as_gold(labelling, task, phase)
        except RefusedFileError as error:
            raise ValidationError({"phase": [str(fault) for fault in error.faults]}) from None
        return Response(GoldStored(gold).data, status=status.HTTP_201_CREATED)
