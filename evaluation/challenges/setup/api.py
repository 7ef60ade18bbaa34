"""How organizers set up a challenge, by REST: its rules, tasks, corpora and phases."""

from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import SEVEN_KINDS, Kind
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer, StrictBodyMixin
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.challenge_page.api import ChallengeList, ChallengeWithParts, reload_and_serialize_challenge
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_create_challenge
from evaluation.challenges.phases.api import PhaseInFull, RulesOfPhase
from evaluation.challenges.phases.forms import PhaseRulesForm, format_cap_field_name
from evaluation.challenges.phases.lifecycle import copy_time_limit_and_attempts_to_queues
from evaluation.challenges.setup import corrections, creation
from evaluation.challenges.setup.corpora import create_challenge_corpus, list_corpora_challenge_may_use
from evaluation.challenges.setup.forms import (
    CHALLENGE_FACTS,
    CHALLENGE_RULES,
    ChallengeRulesForm,
    CorpusForm,
    NewChallengeForm,
    TaskForm,
    get_task_fields,
    validate_task_name,
)
from evaluation.challenges.setup.task_page.api_fields import TaskSettingsField, build_settings_problem
from evaluation.measures.open_tasks import complete_task_settings
from evaluation.measures.task_settings import TaskSettings, TaskSettingsError


class NewChallenge(RequestSerializer[Any]):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=50, help_text="name of the challenge in URLs")
    description = serializers.CharField(default="", allow_blank=True)


class ChallengeCollection(ChallengeList):
    """The challenges with their tasks and phases, newest first. Only its organizers see a draft."""

    @extend_schema(summary="Set up a challenge", request=NewChallenge, responses={201: ChallengeWithParts})
    def post(self, request: Request) -> Response:
        """Create a challenge that you organize. It is a draft, which only its organizers see, until you list it."""
        if not can_create_challenge(request.user):
            raise PermissionDenied(
                "Only staff and users with the permission to add challenges can do this. Ask the administrator."
            )
        data = get_cleaned_form_data(NewChallengeForm(validate_request_data(NewChallenge, request)))
        challenge = creation.create_challenge(data["name"], data["slug"], data["description"], request.user)
        return Response(reload_and_serialize_challenge(challenge), status=status.HTTP_201_CREATED)


class RulesOfChallenge(StrictBodyMixin, serializers.ModelSerializer[Challenge]):
    class Meta:
        model = Challenge
        fields = [*CHALLENGE_RULES, *CHALLENGE_FACTS]
        # The form removes white space at the ends; lengths are those of what was sent, as the document says.
        extra_kwargs = {
            **{name: {"required": True} for name in ("entrance", "file_rules")},
            **{name: {"trim_whitespace": False} for name in ("name", *CHALLENGE_FACTS)},
        }


class ChallengeRulesDetail(OrganizerAPIView):
    @extend_schema(summary="Read the rules of a challenge", responses=RulesOfChallenge)
    def get(self, request: Request, slug: str) -> Response:
        """Which teams can take part, and the terms."""
        return Response(RulesOfChallenge(self.get_challenge()).data)

    @extend_schema(
        summary="Change the rules of a challenge",
        request=RulesOfChallenge,
        responses={200: RulesOfChallenge, **CONFLICT_RESPONSE},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Its name and description, which teams can take part, how runs are checked, the terms, and for readers:
        organizers, contact, how to cite it, licence of the data."""
        challenge = self.get_challenge()
        form = ChallengeRulesForm(validate_request_data(RulesOfChallenge, request), instance=challenge)
        get_cleaned_form_data(form)
        form.save()
        return Response(RulesOfChallenge(challenge).data)


class NewTask(RequestSerializer[Any]):
    name = serializers.CharField(max_length=20, validators=[validate_task_name], help_text="a short name, such as ACT")
    title = serializers.CharField(max_length=200)
    kind = ExplainedChoiceField(choices=RESULT_KIND_CHOICES)
    settings = TaskSettingsField(
        required=False,
        allow_null=True,
        help_text="which types and namespaces count, and how they match; only for the kinds mention, entity, relation "
        "and label; mentions without settings are those of genes",
    )
    primary = serializers.CharField(
        default="", allow_blank=True, help_text="measure that orders the leaderboard; empty: the default of the kind"
    )
    further = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="further measures on the leaderboard; empty: all of the kind",
    )
    note = serializers.CharField(default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Complete the settings, which tasks of the kinds that are not one of the seven always have."""
        kind, settings = Kind(attrs["kind"]), attrs.get("settings")
        if settings is None and kind not in SEVEN_KINDS:
            settings = TaskSettings()
        try:
            return {**attrs, "settings": settings and complete_task_settings(kind, settings)}
        except TaskSettingsError as error:
            raise build_settings_problem(error) from None


def _build_task_form(challenge: Challenge, request: Request, task: Task | None = None) -> TaskForm:
    sent = validate_request_data(NewTask, request)
    return TaskForm(challenge, sent, instance=task, task_settings=sent["settings"])


class TaskCollection(OrganizerAPIView):
    @extend_schema(summary="Add a task", request=NewTask, responses={201: ChallengeWithParts, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str) -> Response:
        """A task asks for one kind of annotation; its measures order and fill the leaderboard. With settings, it asks
        for mentions, entities, relations or labels of any types."""
        challenge = self.get_challenge()
        form = _build_task_form(challenge, request)
        get_cleaned_form_data(form)
        creation.create_task(challenge, **get_task_fields(form))
        return Response(reload_and_serialize_challenge(challenge), status=status.HTTP_201_CREATED)


class TaskDetail(OrganizerAPIView):
    def get_task(self) -> Task:
        return get_object_or_404(self.get_challenge().tasks.select_related("challenge"), name=self.kwargs["task"])

    @extend_schema(summary="Change a task", request=NewTask, responses={200: ChallengeWithParts, **CONFLICT_RESPONSE})
    def put(self, request: Request, slug: str, task: str) -> Response:
        """Name, kind and settings can change while there are no gold standard and no runs, measures until a leaderboard
        is published."""
        of_task = self.get_task()
        form = _build_task_form(of_task.challenge, request, of_task)
        get_cleaned_form_data(form)
        corrections.update_task_refusing_breaking_changes(of_task, **get_task_fields(form))
        return Response(reload_and_serialize_challenge(of_task.challenge))

    @extend_schema(summary="Remove a task", responses={204: None, **CONFLICT_RESPONSE})
    def delete(self, request: Request, slug: str, task: str) -> Response:
        """With its gold standards. Not possible once the task has runs or is published."""
        corrections.delete_task_and_gold_unless_submitted_or_published(self.get_task())
        return Response(status=status.HTTP_204_NO_CONTENT)


class NewCorpus(RequestSerializer[Any]):
    name = serializers.CharField(max_length=200)
    slug = serializers.SlugField(max_length=50)
    description = serializers.CharField(default="", allow_blank=True)
    articles = serializers.ListField(
        child=serializers.CharField(max_length=260),
        default=list,
        help_text="PMIDs, DOIs, PMCIDs or opaque ids; can be empty for a blind corpus whose articles are uploaded",
    )
    blind = serializers.BooleanField(
        default=False,
        help_text="for a test: the corpus gets copies of the articles under opaque ids, and only organizers see which "
        "article is which until the phase is published; the articles stay public",
    )


class CorpusMade(serializers.Serializer[Any]):
    slug = serializers.CharField()
    articles = serializers.IntegerField()


class CorpusCollection(OrganizerAPIView):
    @extend_schema(summary="Add a corpus", request=NewCorpus, responses={201: CorpusMade})
    def post(self, request: Request, slug: str) -> Response:
        """A corpus of articles that the site has already; servers are asked in this order. Articles that nobody else
        may see yet are uploaded to a blind corpus with POST to its articles/."""
        challenge, sent = self.get_challenge(), validate_request_data(NewCorpus, request)
        data = get_cleaned_form_data(CorpusForm(challenge, {**sent, "articles": "\n".join(sent["articles"])}))
        corpus = create_challenge_corpus(challenge, **data)
        body = {"slug": corpus.slug, "articles": len(data["articles"])}
        return Response(CorpusMade(body).data, status=status.HTTP_201_CREATED)


class NewPhase(RequestSerializer[Any]):
    sort = ExplainedChoiceField(choices=Phase.Type.choices)
    corpus = serializers.SlugField(help_text="slug of a corpus; a blind corpus must belong to this challenge")
    opens = serializers.DateTimeField(required=False, help_text="default: now")
    closes = serializers.DateTimeField(required=False, help_text="default: the phase stays open")


class PhaseCollection(OrganizerAPIView):
    @extend_schema(summary="Add a phase", request=NewPhase, responses={201: PhaseInFull, **CONFLICT_RESPONSE})
    def post(self, request: Request, slug: str) -> Response:
        """A training, development or test phase over the articles of a corpus."""
        challenge, sent = self.get_challenge(), validate_request_data(NewPhase, request)
        corpus = list_corpora_challenge_may_use(challenge, request.user).filter(slug=sent["corpus"]).first()
        if corpus is None:
            raise ValidationError({"corpus": "There is no such corpus, or this challenge cannot use it."})
        phase = creation.create_phase_claiming_blind_corpus(
            challenge, sent["sort"], corpus, sent.get("closes"), sent.get("opens")
        )
        return Response(PhaseInFull(phase).data, status=status.HTTP_201_CREATED)


class PhaseDetail(OrganizerAPIView):
    @extend_schema(summary="Read a phase", responses=PhaseInFull)
    def get(self, request: Request, slug: str, phase: str) -> Response:
        """Its dates, rules and state."""
        return Response(PhaseInFull(self.get_phase()).data)

    @extend_schema(summary="Change the rules of a phase", request=RulesOfPhase, responses=PhaseInFull)
    def put(self, request: Request, slug: str, phase: str) -> Response:
        """All of its rules. To change its end, use move-end and give a reason."""
        changed = self.get_phase()
        form = build_phase_rules_form(changed, validate_request_data(RulesOfPhase, request))
        get_cleaned_form_data(form)
        with transaction.atomic():
            form.save()
            copy_time_limit_and_attempts_to_queues(changed)
        return Response(PhaseInFull(changed).data)

    @extend_schema(summary="Remove a phase", responses={204: None, **CONFLICT_RESPONSE})
    def delete(self, request: Request, slug: str, phase: str) -> Response:
        """With its gold standards; its corpus stays. Not possible once the phase has runs or is published."""
        corrections.delete_unused_phase_and_gold(self.get_phase())
        return Response(status=status.HTTP_204_NO_CONTENT)


def build_phase_rules_form(phase: Phase, sent: dict[str, Any]) -> PhaseRulesForm:
    """The form of the page, filled with the rules of a request. ValidationError for a cap that no task can use."""
    caps = {format_cap_field_name(kind): cap for kind, cap in sent["upload_caps"].items()}
    form = PhaseRulesForm({**sent, **caps}, instance=phase)
    if unknown := [kind for kind in sent["upload_caps"] if format_cap_field_name(kind) not in form.fields]:
        error = f"{phase.challenge} has no task of the kind {unknown[0]}. Remove the cap, or add the task first."
        raise ValidationError({"upload_caps": [error]})
    return form
