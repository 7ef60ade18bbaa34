"""REST resources for curators: the article to label, and its label, timed by the server's clock."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.articles.models import Article
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.problems import ConflictProblem
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, ChallengeAPIView
from evaluation.labelling.lookup import get_active_labeller_or_403_if_competing, list_open_labellers
from evaluation.labelling.models import Labeller
from evaluation.labelling.session import timed_labels
from evaluation.labelling.session.progress import LabellingProgress, load_labelling_counts_and_pace
from evaluation.labelling.session.timed_labels import LABEL_VALUES


class LabellingOfCurator(serializers.ModelSerializer[Labeller]):
    challenge = serializers.CharField(source="labelling.challenge.slug")
    corpus = serializers.CharField(source="labelling.corpus.slug")
    guideline = serializers.CharField(source="labelling.guideline")

    class Meta:
        model = Labeller
        fields = ["id", "challenge", "corpus", "guideline"]


class ArticleToLabel(serializers.Serializer[Article]):
    article = serializers.CharField(source="opaque", help_text="opaque id; send it back with the label")
    title = serializers.CharField()
    abstract = serializers.CharField()


class ProgressOfCurator(serializers.Serializer[LabellingProgress]):
    articles = serializers.IntegerField()
    labelled = serializers.IntegerField()
    skipped = serializers.IntegerField()
    left = serializers.IntegerField(help_text="readings left")
    pace = serializers.FloatField(allow_null=True, help_text="median seconds per reading")


class StandingOfCurator(LabellingOfCurator):
    """article: null while the timer is stopped, as in a pause or at the end. showing: send it back with the clock."""

    article = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Labeller
        fields = [*LabellingOfCurator.Meta.fields, "paused", "showing", "article", "progress"]

    @extend_schema_field(ArticleToLabel(allow_null=True))
    def get_article(self, labeller: Labeller) -> Any:
        return None if labeller.running is None else ArticleToLabel(labeller.article).data

    @extend_schema_field(ProgressOfCurator)
    def get_progress(self, labeller: Labeller) -> Any:
        return ProgressOfCurator(load_labelling_counts_and_pace(labeller)).data


class NewLabel(RequestSerializer[Any]):
    article = serializers.SlugField(help_text="opaque id of the visible article")
    said = ExplainedChoiceField(choices=[*LABEL_VALUES], help_text="whether it is relevant")


class Clock(RequestSerializer[Any]):
    showing = serializers.IntegerField(min_value=0, max_value=10**9)
    sight = ExplainedChoiceField(choices=["in", "out"])


class LabellerAPIView(ChallengeAPIView):
    """Only for the curator; 404 for everybody else."""

    def get_labeller(self) -> Labeller:
        return get_active_labeller_or_403_if_competing(self.request.user, self.kwargs["pk"])

    def build_session_response(self, labeller: Labeller) -> Response:
        return Response(
            StandingOfCurator(
                timed_labels.keep_or_choose_article_starting_unpaused_clock(labeller.pk, timezone.now())
            ).data
        )


class OwnLabellingList(ChallengeAPIView):
    @extend_schema(summary="List your labellings", responses=LabellingOfCurator(many=True))
    def get(self, request: Request) -> Response:
        """The corpora for which organizers added you as a curator."""
        rows = list_open_labellers(request.user).order_by("pk")
        labellers = rows.select_related("labelling__corpus", "labelling__challenge")
        return Response(LabellingOfCurator(labellers, many=True).data)


class LabellingSession(LabellerAPIView):
    @extend_schema(summary="Read your progress in a labelling", responses=StandingOfCurator)
    def get(self, request: Request, pk: int) -> Response:
        """With the article whose timer is running, if any; changes nothing."""
        return Response(StandingOfCurator(self.get_labeller()).data)


class ShowArticle(LabellerAPIView):
    @extend_schema(summary="Show the article to label", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """Starts its timer, unless you have paused."""
        return self.build_session_response(self.get_labeller())


class GiveLabel(LabellerAPIView):
    @extend_schema(
        summary="Label the visible article", request=NewLabel, responses={200: StandingOfCurator, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Relevant, not relevant, or skipped until the end; the response is the next article."""
        labeller, data = self.get_labeller(), validate_request_data(NewLabel, request)
        if not timed_labels.store_label_if_shown(
            labeller.pk, data["article"], LABEL_VALUES[data["said"]], timezone.now()
        ):
            raise ConflictProblem(
                "This article is no longer visible, so the label was not stored; label the current article."
            )
        return self.build_session_response(labeller)


class TakeBackLabel(LabellerAPIView):
    @extend_schema(summary="Undo the last label", request=None, responses={200: StandingOfCurator, **CONFLICT_RESPONSE})
    def post(self, request: Request, pk: int) -> Response:
        """Shows its article again; its timer continues."""
        labeller = self.get_labeller()
        if not timed_labels.undo_last_label_and_reshow_article(labeller.pk, timezone.now()):
            raise ConflictProblem("There is no label to undo.")
        return self.build_session_response(labeller)


class PauseLabelling(LabellerAPIView):
    @extend_schema(summary="Pause", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """Stops the timer and hides the article."""
        labeller = self.get_labeller()
        timed_labels.stop_clock_and_hide_article(labeller.pk, timezone.now())
        return self.build_session_response(labeller)


class ResumeLabelling(LabellerAPIView):
    @extend_schema(summary="End the pause", request=None, responses=StandingOfCurator)
    def post(self, request: Request, pk: int) -> Response:
        """Shows the article again."""
        labeller = self.get_labeller()
        timed_labels.clear_paused_flag_of_labeller(labeller.pk)
        return self.build_session_response(labeller)


class LabellingClock(LabellerAPIView):
    @extend_schema(summary="Stop the timer while the article is not visible", request=Clock, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """sight: out stops the timer, in resumes it; showing: from the last response."""
        labeller, data = self.get_labeller(), validate_request_data(Clock, request)
        change_timer = (
            timed_labels.resume_reading_clock_unless_paused
            if data["sight"] == "in"
            else timed_labels.stop_reading_clock_without_pausing
        )
        change_timer(labeller.pk, timezone.now(), data["showing"])
        return Response(status=status.HTTP_204_NO_CONTENT)
