"""What a definition of a challenge holds: its rules, tasks, corpora and phases, as one document."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework import serializers

from annotations.formats.errors import quote_file_text
from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import StrictBodyMixin
from evaluation.challenges.challenge_page.api import TaskOfChallenge
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.phases.api import NamesOfTasks, RulesOfPhase
from evaluation.challenges.pictures.models import ChallengePicture
from evaluation.challenges.pictures.storage import MOST_PICTURES
from evaluation.challenges.setup.api import NewCorpus, NewTask, RulesOfChallenge

MOST_TASKS, MOST_CORPORA = 50, 20


def _drop_required(extra_kwargs: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The same, for rules that can be missing."""
    return {
        name: {key: value for key, value in given.items() if key != "required"} for name, given in extra_kwargs.items()
    }


class PhaseOfDefinition(RulesOfPhase):
    """A phase; a rule that is missing is as in a new phase. opens: default now; closes: default none."""

    sort = ExplainedChoiceField(choices=Phase.Type.choices)
    corpus = serializers.SlugField()

    class Meta(RulesOfPhase.Meta):
        fields = ["sort", "corpus", "closes", *RulesOfPhase.Meta.fields]
        extra_kwargs = {**_drop_required(RulesOfPhase.Meta.extra_kwargs), "opens": {"required": False}}


class PictureOfDefinition(StrictBodyMixin, serializers.ModelSerializer[ChallengePicture]):
    """A picture that a challenge on this site has, which the new challenge gets, too."""

    name = serializers.CharField(max_length=40)

    class Meta:
        model = ChallengePicture
        fields = ["name", "alternative_text"]


class ChallengeDefinition(StrictBodyMixin, serializers.ModelSerializer[Challenge]):
    """Everything but name and slug can be missing, and added later."""

    slug = serializers.SlugField(max_length=50)
    pictures: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=PictureOfDefinition(), required=False, max_length=MOST_PICTURES
    )
    tasks: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=NewTask(), required=False, max_length=MOST_TASKS
    )
    corpora: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=NewCorpus(), required=False, max_length=MOST_CORPORA
    )
    phases: serializers.ListSerializer[Any] = serializers.ListSerializer(
        child=PhaseOfDefinition(), required=False, max_length=len(Phase.Type)
    )

    class Meta:
        model = Challenge
        fields = ["slug", *RulesOfChallenge.Meta.fields, "pictures", "tasks", "corpora", "phases"]
        extra_kwargs = _drop_required(RulesOfChallenge.Meta.extra_kwargs)

    def to_internal_value(self, data: Any) -> Any:
        """The validated values. ValidationError also for names that mean nothing: what is there would be lost."""
        unknown = dict(_iter_unknown_names(self, data, ""))
        if unknown:
            raise serializers.ValidationError(unknown)
        return super().to_internal_value(data)


def _iter_unknown_names(serializer: Any, data: Any, parent_path: str) -> Iterator[tuple[str, list[str]]]:
    """(path, [fault]) of each name in a document that no field of the serializer has."""
    if isinstance(serializer, serializers.ListSerializer):
        for place, part in enumerate(data if isinstance(data, list) else []):
            yield from _iter_unknown_names(serializer.child, part, f"{parent_path}{place}.")
    elif isinstance(serializer, serializers.Serializer) and isinstance(data, dict):
        for name, part in data.items():
            if name in serializer.fields:
                yield from _iter_unknown_names(serializer.fields[name], part, f"{parent_path}{name}.")
            else:
                known = ", ".join(serializer.fields)
                yield f"{parent_path}{name}", [f"There is no {quote_file_text(name)} here. Use one of: {known}."]


class _PhaseAsDefined(serializers.ModelSerializer[Phase]):
    mean_rank_tasks = NamesOfTasks()
    corpus = serializers.CharField(source="corpus.slug")

    class Meta:
        model = Phase
        fields = PhaseOfDefinition.Meta.fields


class ChallengeAsDefined(serializers.ModelSerializer[Challenge]):
    """The definition of a challenge that this site has; its corpora and pictures are named only."""

    pictures = PictureOfDefinition(many=True)
    tasks = TaskOfChallenge(many=True)
    phases = _PhaseAsDefined(many=True)

    class Meta:
        model = Challenge
        fields = [
            *("name", "slug", *(name for name in RulesOfChallenge.Meta.fields if name != "name")),
            *("pictures", "tasks", "phases"),
        ]

    def to_representation(self, instance: Challenge) -> dict[str, Any]:
        """The definition, without pictures if there are none."""
        represented = super().to_representation(instance)
        return {name: value for name, value in represented.items() if name != "pictures" or value}
