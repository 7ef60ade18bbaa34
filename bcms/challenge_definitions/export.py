"""The definition of a challenge as a document, for a file or for a copy."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import yaml
from django.db.models import Prefetch
from django.utils.timezone import now

from bcms.challenge_definitions.serializers import ChallengeAsDefined
from evaluation.challenges.challenge_page.api import prefetch_challenge_parts
from evaluation.challenges.models import Challenge
from evaluation.challenges.pictures.models import ChallengePicture

DATES = ("opens", "closes", "names_shown")


def build_definition(challenge: Challenge) -> dict[str, Any]:
    """The document as ChallengeDefinition takes it, of names, numbers and lists. Corpora and pictures are named only.

    5 queries.
    """
    pictures = Prefetch("pictures", ChallengePicture.objects.defer("content").order_by("pk"))
    challenges = prefetch_challenge_parts(Challenge.objects.filter(pk=challenge.pk)).prefetch_related(pictures)
    document: dict[str, Any] = _convert_to_plain(ChallengeAsDefined(challenges.get()).data)
    return document


def format_definition_yaml(challenge: Challenge) -> str:
    return str(yaml.safe_dump(build_definition(challenge), allow_unicode=True, sort_keys=False, width=110))


def remove_past_dates(definition: Mapping[str, Any]) -> dict[str, Any]:
    """The definition without dates of phases that have passed: a new challenge begins later."""
    phases = [
        {name: value for name, value in phase.items() if name not in DATES or not _has_passed(value)}
        for phase in definition["phases"]
    ]
    return {**definition, "phases": phases}


def _has_passed(date: str | None) -> bool:
    return date is not None and datetime.fromisoformat(date) <= now()


def _convert_to_plain(value: Any) -> Any:
    """Of the mappings and lists of Django REST framework, those that YAML writes."""
    if isinstance(value, Mapping):
        return {str(name): _convert_to_plain(part) for name, part in value.items()}
    return [_convert_to_plain(part) for part in value] if isinstance(value, list | tuple) else value
