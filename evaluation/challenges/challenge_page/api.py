"""Challenges with their tasks and phases, by REST."""

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import generics, serializers

from bcms.lib.rest.pagination import OffsetPages
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.phases.api import CAPS_HELP, NamesOfTasks, RulesOfPhase, UploadCaps
from evaluation.challenges.setup.task_page.api_fields import SETTINGS_SCHEMA
from evaluation.visibility import list_visible_challenges


@extend_schema_field(SETTINGS_SCHEMA)
class SettingsOfTask(serializers.JSONField):
    """Settings as they are stored."""


class TaskOfChallenge(serializers.ModelSerializer[Task]):
    class Meta:
        model = Task
        fields = ["name", "title", "note", "kind", "settings", "primary", "further"]

    settings = SettingsOfTask(required=False, help_text="only of tasks of any types")

    def to_representation(self, instance: Task) -> dict[str, Any]:
        """The task, without settings if it has none."""
        represented = super().to_representation(instance)
        return {name: value for name, value in represented.items() if name != "settings" or value is not None}


class PhaseOfChallenge(serializers.ModelSerializer[Phase]):
    mean_rank_tasks = NamesOfTasks()
    corpus = serializers.CharField(source="corpus.slug")
    upload_caps = UploadCaps(help_text=CAPS_HELP)

    class Meta:
        model = Phase
        fields = ["sort", "corpus", "closes", "published", "frozen", *RulesOfPhase.Meta.fields]


class ChallengeWithParts(serializers.ModelSerializer[Challenge]):
    tasks = TaskOfChallenge(many=True)
    phases = PhaseOfChallenge(many=True)

    class Meta:
        model = Challenge
        fields = [
            *("slug", "name", "description", "state", "entrance", "approve_teams", "file_rules", "terms"),
            *("organizer_names", "contact", "doi", "citation", "data_licence", "tasks", "phases"),
        ]


@extend_schema_view(get=extend_schema(summary="List challenges"))
class ChallengeList(generics.ListAPIView[Challenge]):
    """The challenges with their tasks and phases, newest first. Only its organizers see a draft."""

    serializer_class = ChallengeWithParts
    pagination_class = OffsetPages
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        return prefetch_challenge_parts(list_visible_challenges(self.request.user)).order_by("-pk")


@extend_schema_view(get=extend_schema(summary="Read a challenge"))
class ChallengeDetail(generics.RetrieveAPIView[Challenge]):
    """One challenge with its tasks and phases."""

    serializer_class = ChallengeWithParts
    lookup_field = "slug"
    queryset = Challenge.objects.none()

    def get_queryset(self) -> QuerySet[Challenge]:
        return prefetch_challenge_parts(list_visible_challenges(self.request.user))


def prefetch_challenge_parts(challenges: QuerySet[Challenge]) -> QuerySet[Challenge]:
    """The same, with their tasks and phases in the order in which they were made."""
    tasks = Task.objects.order_by("pk")
    phases = Phase.objects.select_related("corpus").prefetch_related("mean_rank_tasks").order_by("pk")
    return challenges.prefetch_related(Prefetch("tasks", tasks), Prefetch("phases", phases))


def reload_and_serialize_challenge(challenge: Challenge) -> dict[str, Any]:
    """The response for a challenge that was just changed, read again from the database."""
    return dict(ChallengeWithParts(prefetch_challenge_parts(Challenge.objects.filter(pk=challenge.pk)).get()).data)
