"""For curators, by REST: the article to label now, and what they say of it, timed by the server's clock."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.api.conventions import Choice
from bcms.api.organized import REFUSED, Organized, valid
from bcms.problems import Conflict
from evaluation.labelling import reading
from evaluation.labelling.models import Labeller
from evaluation.labelling.progress import progress_of
from evaluation.labelling.views import SAID, labeller_for


class LabellingOfCurator(serializers.ModelSerializer):
    challenge = serializers.CharField(source="labelling.challenge.slug")
    corpus = serializers.CharField(source="labelling.corpus.slug")
    guideline = serializers.CharField(source="labelling.guideline")

    class Meta:
        model = Labeller
        fields = ["id", "challenge", "corpus", "guideline"]


class ArticleToLabel(serializers.Serializer):
    article = serializers.CharField(source="opaque", help_text="opaque id, to be sent back with the label")
    title = serializers.CharField()
    abstract = serializers.CharField()


class ProgressOfCurator(serializers.Serializer):
    articles = serializers.IntegerField()
    labelled = serializers.IntegerField()
    skipped = serializers.IntegerField()
    left = serializers.IntegerField(help_text="readings still to come")
    pace = serializers.FloatField(allow_null=True, help_text="median of seconds a reading")


class StandingOfCurator(LabellingOfCurator):
    """article: null while no clock goes, as in a pause and when all is done. showing: to be sent with the clock."""

    article = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Labeller
        fields = [*LabellingOfCurator.Meta.fields, "paused", "showing", "article", "progress"]

    @extend_schema_field(ArticleToLabel(allow_null=True))
    def get_article(self, own: Labeller) -> Any:
        return None if own.running is None else ArticleToLabel(own.article).data

    @extend_schema_field(ProgressOfCurator)
    def get_progress(self, own: Labeller) -> Any:
        return ProgressOfCurator(progress_of(own)).data


class NewLabel(serializers.Serializer):
    article = serializers.SlugField(help_text="opaque id of the article in sight")
    said = Choice(choices=[*SAID], help_text="whether it is relevant")


class Clock(serializers.Serializer):
    showing = serializers.IntegerField(min_value=0, max_value=10**9)
    sight = Choice(choices=["in", "out"])


class OfCurator(Organized):
    """Only for the curator; to everybody else there is nothing there."""

    def own(self) -> Labeller:
        return labeller_for(self.request.user, self.kwargs["pk"])

    def shown(self, own: Labeller) -> Response:
        return Response(StandingOfCurator(reading.show(own.pk, timezone.now())).data)


class Labels(Organized):
    @extend_schema(summary="List what you are asked to label", responses=LabellingOfCurator(many=True))
    def get(self, request: Request) -> Response:
        """The corpora for which organizers named you as curator."""
        rows = Labeller.objects.filter(user=request.user.pk, released__isnull=True).order_by("pk")
        own = rows.select_related("labelling__corpus", "labelling__challenge")
        return Response(LabellingOfCurator(own, many=True).data)


class LabellingStanding(OfCurator):
    @extend_schema(summary="Read where you are in a labelling", responses=StandingOfCurator)
    def get(self, request: Request, pk: int) -> Response:
        """With the article whose clock goes, if there is one; nothing is changed."""
        return Response(StandingOfCurator(self.own()).data)


class ShowArticle(OfCurator):
    @extend_schema(summary="Show the article to label", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """Its clock goes from now on, unless there is a pause."""
        return self.shown(self.own())


class GiveLabel(OfCurator):
    @extend_schema(
        summary="Label the article in sight", request=NewLabel, responses={200: StandingOfCurator, **REFUSED}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Relevant, not, or skipped until the end; answered by the next article."""
        own, sent = self.own(), valid(NewLabel, request)
        if not reading.answer(own.pk, sent["article"], SAID[sent["said"]], timezone.now()):
            raise Conflict("That article is not in sight any more, so nothing was stored; label the one that is.")
        return self.shown(own)


class TakeBackLabel(OfCurator):
    @extend_schema(summary="Take the last label back", request=None, responses={200: StandingOfCurator, **REFUSED})
    def post(self, request: Request, pk: int) -> Response:
        """Its article is in sight again, and its time counts on."""
        own = self.own()
        if not reading.undo(own.pk, timezone.now()):
            raise Conflict("There is no label to take back.")
        return self.shown(own)


class PauseLabelling(OfCurator):
    @extend_schema(summary="Pause", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """The clock stands, and no article is in sight."""
        own = self.own()
        reading.pause(own.pk, timezone.now())
        return self.shown(own)


class ResumeLabelling(OfCurator):
    @extend_schema(summary="End the pause", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """The article is in sight again."""
        own = self.own()
        reading.end_pause(own.pk)
        return self.shown(own)


class LabellingClock(OfCurator):
    @extend_schema(summary="Stop the clock while an article is out of sight", request=Clock, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Or let it go on: sight is out or in, of the showing that was answered last."""
        own, sent = self.own(), valid(Clock, request)
        change = reading.go_on if sent["sight"] == "in" else reading.stop
        change(own.pk, timezone.now(), sent["showing"])
        return Response(status=status.HTTP_204_NO_CONTENT)
