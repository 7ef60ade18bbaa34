"""Gold standards by labelling, by REST: organizers name curators, rule on conflicts, and make the gold standard."""

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
from bcms.api.conventions import Choice
from bcms.api.organized import REFUSED, GoldStored, Organized, saved, valid
from evaluation.challenges import corpora_for
from evaluation.labelling import curators, deciding
from evaluation.labelling.forms import CuratorForm, LabellingForm
from evaluation.labelling.models import Labelling
from evaluation.labelling.organizing import labelling_of
from evaluation.labelling.outcome import outcome_of
from evaluation.pooling.pages import as_file


class LabellingInList(serializers.ModelSerializer):
    corpus = serializers.CharField(source="corpus.slug")

    class Meta:
        model = Labelling
        fields = ["corpus", "order", "again_every", "guideline", "begun"]


class NewLabelling(serializers.Serializer):
    corpus = serializers.SlugField()
    order = Choice(choices=Labelling.Order.choices, default=Labelling.Order.GIVEN)
    again_every = Choice(
        choices=Labelling.Every.choices,
        default=Labelling.Every.TWENTIETH,
        help_text="which articles each curator reads a second time; 0: none",
    )
    guideline = serializers.CharField(default="", allow_blank=True, help_text="what counts as relevant")


class CuratorOfLabelling(serializers.Serializer):
    """hours: of all readings; itself: how far second readings agree with the first, null before any."""

    curator = serializers.CharField(source="labeller")
    released = serializers.DateTimeField(source="labeller.released", allow_null=True)
    labelled = serializers.SerializerMethodField()
    relevant = serializers.IntegerField()
    skipped = serializers.IntegerField()
    seconds = serializers.FloatField(source="times.median", allow_null=True, help_text="median of a reading")
    hours = serializers.FloatField(source="times.hours")
    itself = serializers.SerializerMethodField()

    def get_labelled(self, own: Any) -> int:
        return len(own.labels)

    def get_itself(self, own: Any) -> dict[str, Any] | None:
        return asdict(own.itself) if own.itself else None


class CuratorsAgreed(serializers.Serializer):
    first = serializers.CharField(source="first.labeller")
    second = serializers.CharField(source="second.labeller")
    agreement = serializers.SerializerMethodField()

    def get_agreement(self, own: Any) -> dict[str, Any]:
        return asdict(own.agreement)


class ConflictOfCurators(serializers.Serializer):
    """ruling: null as long as it is open."""

    article = serializers.CharField(help_text="opaque id")
    yes = serializers.ListField(child=serializers.CharField())
    no = serializers.ListField(child=serializers.CharField())
    ruling = serializers.BooleanField(allow_null=True)


class LabellingInFull(serializers.Serializer):
    articles = serializers.SerializerMethodField()
    decided = serializers.SerializerMethodField()
    unlabelled = serializers.IntegerField()
    open_conflicts = serializers.IntegerField()
    complete = serializers.BooleanField(help_text="whether the gold standard can be made")
    curators = CuratorOfLabelling(many=True)
    agreements = CuratorsAgreed(many=True, source="pairs")
    fleiss_kappa = serializers.FloatField(source="fleiss", allow_null=True)
    conflicts = ConflictOfCurators(many=True)

    def get_articles(self, own: Any) -> int:
        return len(own.names)

    def get_decided(self, own: Any) -> int:
        return len(own.classes)


class NewCurator(serializers.Serializer):
    curator = serializers.CharField(max_length=150, help_text="user name")
    released = serializers.BooleanField(default=False, help_text="take no more labels; those given stay and count")


class NewRuling(serializers.Serializer):
    article = serializers.SlugField(help_text="opaque id")
    relevant = serializers.BooleanField()


class PlaceOfGold(serializers.Serializer):
    task = serializers.CharField(max_length=20)
    phase = serializers.CharField(max_length=11)


class OfLabelling(Organized):
    def labelling(self) -> Labelling:
        return labelling_of(self.challenge(), self.kwargs["corpus"])

    def told(self, found: Labelling) -> Response:
        return Response(LabellingInFull(outcome_of(found)).data)


class Labellings(Organized):
    @extend_schema(summary="List the labellings of a challenge", responses=LabellingInList(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The corpora that curators label for it."""
        rows = self.challenge().labellings.select_related("corpus").order_by("pk")
        return Response(LabellingInList(rows, many=True).data)

    @extend_schema(summary="Have a corpus labelled", request=NewLabelling, responses={201: LabellingInList, **REFUSED})
    def post(self, request: Request, slug: str) -> Response:
        """As relevant or not, by curators who are named next."""
        found, sent = self.challenge(), valid(NewLabelling, request)
        corpus = corpora_for(found, request.user).filter(slug=sent["corpus"]).values_list("pk", flat=True).first()
        form = LabellingForm(found, request.user, {**sent, "corpus": corpus})
        made = curators.begin_labelling(found, **saved(form))
        return Response(LabellingInList(made).data, status=status.HTTP_201_CREATED)


class LabellingState(OfLabelling):
    @extend_schema(summary="Read how far a labelling is", responses=LabellingInFull)
    def get(self, request: Request, slug: str, corpus: str) -> Response:
        """Pace and agreement of the curators, and the articles of which they differ."""
        return self.told(self.labelling())


class LabellingCurators(OfLabelling):
    @extend_schema(summary="Name a curator", request=NewCurator, responses={200: LabellingInFull, **REFUSED})
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """Who is told so by mail; with released: true no more labels of a curator are taken."""
        found, sent = self.labelling(), valid(NewCurator, request)
        if sent["released"]:
            own = found.labellers.filter(user__username=sent["curator"]).first()
            if own is None or not curators.release(found, own.pk):
                raise Http404(f"{sent['curator']} labels nothing here.")
        else:
            curators.name_curator(found, saved(CuratorForm({"name": sent["curator"]}))["name"])
        return self.told(found)


class LabellingRulings(OfLabelling):
    @extend_schema(summary="Rule on an article", request=NewRuling, responses={200: LabellingInFull, **REFUSED})
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """Of which curators differ; an earlier ruling is kept as superseded."""
        found, sent = self.labelling(), valid(NewRuling, request)
        deciding.rule_on(found, sent["article"], sent["relevant"], request.user, timezone.now())
        return self.told(found)


class LabellingGold(OfLabelling):
    @extend_schema(
        summary="Download what is decided of labelled articles",
        responses={(200, "text/tab-separated-values"): OpenApiTypes.STR},
    )
    def get(self, request: Request, slug: str, corpus: str) -> HttpResponse:
        """As a gold standard: the article, a tab, 1 or 0."""
        return as_file(deciding.gold_lines(outcome_of(self.labelling())).decode(), f"{corpus}-gold.tsv")

    @extend_schema(summary="Make labels the gold standard", request=PlaceOfGold, responses={201: GoldStored, **REFUSED})
    def post(self, request: Request, slug: str, corpus: str) -> Response:
        """Of a task in a phase with this corpus, when every article is decided; stored or sealed like a file."""
        found, sent = self.labelling(), valid(PlaceOfGold, request)
        task = found.challenge.tasks.filter(name=sent["task"]).first()
        phase = found.challenge.phases.filter(sort=sent["phase"]).first()
        if task is None or phase is None:
            raise ValidationError({"task" if task is None else "phase": ["The challenge has none of that name."]})
        try:
            gold = deciding.make_gold(found, task, phase)
        except RefusedFileError as error:
            raise ValidationError({"phase": [str(fault) for fault in error.faults]}) from None
        return Response(GoldStored(gold).data, status=status.HTTP_201_CREATED)
