"""How organizers control a phase, by REST: begin, end or freeze it, exclude articles, score runs again."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer, StrictBodyMixin
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.caps import MAX_CAP
from evaluation.challenges.models import CountedRuns, Phase, Task
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.forms import MAX_MINUTES, MAX_TRIES, PhaseRulesForm
from evaluation.challenges.phases.scored_articles import (
    exclude_article_and_request_rescoring,
    get_phase_article,
    include_article_and_request_rescoring,
    mark_phase_scores_stale,
)
from evaluation.challenges.validators import check_caps


class PhaseActionAPIView(OrganizerAPIView):
    """An action of organizers on a phase, which answers with the changed phase."""

    def build_phase_response(self, phase: Phase) -> Response:
        """The phase with its rules and state, read again from the database."""
        phase.refresh_from_db()
        return Response(PhaseInFull(phase).data)


CAPS_HELP = "largest number of results for an article in an uploaded run, by kind; a kind without a cap is missing"


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_CAP})
class CapNumber(serializers.IntegerField):
    """A cap, whose range check_caps() checks: it names the kind."""


class UploadCaps(serializers.DictField):
    """{kind: largest number of results for an article in an uploaded run}"""

    child = CapNumber()
    default_validators = [check_caps]


MEAN_RANK_HELP = "names of the tasks whose ranks are averaged, two or more or none"


class NamesOfTasks(serializers.ManyRelatedField):
    """The names of the tasks of a phase whose ranks are averaged, in the order in which the tasks were made."""

    def __init__(self) -> None:
        names: serializers.SlugRelatedField[Task] = serializers.SlugRelatedField(slug_field="name", read_only=True)
        super().__init__(child_relation=names, read_only=True, help_text=MEAN_RANK_HELP)

    def get_attribute(self, instance: Phase) -> list[Task]:
        """The tasks of the phase, sorted here, so that it does not matter who prefetched them."""
        return sorted(super().get_attribute(instance) or (), key=lambda task: task.pk)


class RulesOfPhase(StrictBodyMixin, serializers.ModelSerializer[Phase]):
    mean_rank_tasks = serializers.ListField(child=serializers.CharField(), default=list, help_text=MEAN_RANK_HELP)
    counted_runs = ExplainedChoiceField(choices=CountedRuns.choices, default=CountedRuns.ALL)
    upload_caps = UploadCaps(default=dict, help_text=CAPS_HELP)

    class Meta:
        model = Phase
        fields = [*PhaseRulesForm.Meta.fields, "upload_caps"]
        # As in the form, whatever new phases have by default.
        extra_kwargs = {
            "online_runs": {"required": True},
            "offline_runs": {"required": True},
            "daily_runs": {"min_value": 1},
            "minutes": {"required": True, "min_value": 1, "max_value": MAX_MINUTES},
            "tries": {"required": True, "min_value": 1, "max_value": MAX_TRIES},
        }


class PhaseInFull(serializers.ModelSerializer[Phase]):
    mean_rank_tasks = NamesOfTasks()
    corpus = serializers.CharField(source="corpus.slug")
    upload_caps = UploadCaps(help_text=CAPS_HELP)

    class Meta:
        model = Phase
        fields = [
            *("sort", "corpus", "closes", "frozen", "published", "publish_asked", "publish_fault"),
            *RulesOfPhase.Meta.fields,
        ]


class Reason(RequestSerializer[Any]):
    reason = serializers.CharField(max_length=500, help_text="shown on the page of the challenge")


class BeginPhase(PhaseActionAPIView):
    @extend_schema(summary="Begin a phase now", request=Reason, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Begin it before its date, with a reason that everybody can read. A phase that is open is not changed."""
        changed = self.get_phase()
        lifecycle.begin_unpublished_phase_early(changed, request.user, validate_request_data(Reason, request)["reason"])
        return self.build_phase_response(changed)


class EndPhase(PhaseActionAPIView):
    @extend_schema(summary="End a phase now", request=Reason, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """End it before its date, with a reason that everybody can read. A phase that is over is not changed."""
        changed = self.get_phase()
        lifecycle.end_begun_phase_early(changed, request.user, validate_request_data(Reason, request)["reason"])
        return self.build_phase_response(changed)


class FreezePhase(PhaseActionAPIView):
    @extend_schema(summary="Freeze a phase", request=Reason, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Until it is unfrozen, no server is called and nobody can enter, upload or withdraw."""
        changed = self.get_phase()
        lifecycle.freeze_phase_and_hold_queues(changed, request.user, validate_request_data(Reason, request)["reason"])
        return self.build_phase_response(changed)


class ThawPhase(PhaseActionAPIView):
    @extend_schema(summary="Unfreeze a phase", request=None, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Continue a frozen phase."""
        changed = self.get_phase()
        lifecycle.unfreeze_phase_and_update_queues(changed, request.user)
        return self.build_phase_response(changed)


class NewEnd(Reason):
    closes = serializers.DateTimeField(allow_null=True, help_text="null: the phase stays open")


class MovePhaseEnd(PhaseActionAPIView):
    @extend_schema(
        summary="Change the end of a phase", request=NewEnd, responses={200: PhaseInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """With a reason that everybody can read. A phase that has ended continues until its new end."""
        changed, sent = self.get_phase(), validate_request_data(NewEnd, request)
        lifecycle.change_end_of_unpublished_phase(changed, sent["closes"], request.user, sent["reason"])
        return self.build_phase_response(changed)


class ArticleNamed(RequestSerializer[Any]):
    article = serializers.CharField(max_length=260, help_text="PMID, DOI or opaque id")


class ArticleExcluded(ArticleNamed, Reason):
    pass


class ExcludeArticle(PhaseActionAPIView):
    @extend_schema(
        summary="Exclude an article", request=ArticleExcluded, responses={200: PhaseInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """It is no longer scored, in any run of the phase. Every run is scored again."""
        changed, sent = self.get_phase(), validate_request_data(ArticleExcluded, request)
        exclude_article_and_request_rescoring(
            changed, get_phase_article(changed, sent["article"]), request.user, sent["reason"]
        )
        return self.build_phase_response(changed)


class IncludeArticle(PhaseActionAPIView):
    @extend_schema(
        summary="Include an excluded article", request=ArticleNamed, responses={200: PhaseInFull, **CONFLICT_RESPONSE}
    )
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """It is scored again, in every run of the phase."""
        changed, sent = self.get_phase(), validate_request_data(ArticleNamed, request)
        include_article_and_request_rescoring(changed, get_phase_article(changed, sent["article"]), request.user)
        return self.build_phase_response(changed)


class RescorePhase(PhaseActionAPIView):
    @extend_schema(summary="Score a phase again", request=None, responses={200: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str, phase: str) -> Response:
        """Compute new scores of every run. Earlier scores are kept."""
        changed = self.get_phase()
        mark_phase_scores_stale(changed, request.user)
        return self.build_phase_response(changed)
