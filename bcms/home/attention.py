"""What needs the attention of the organizers of a challenge: on their home page, with the page where it is done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count

from evaluation.challenges.challenge_page.overview import ListedChallenge
from evaluation.challenges.models import ChallengeState, Entrant, Phase
from evaluation.gold.models import GoldStandard

SOON = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class OrganizedChallenge:
    """needs: sentences about what waits for its organizers, the most urgent first."""

    listed: ListedChallenge
    needs: Sequence[str]


def add_needs(listed: Sequence[ListedChallenge], now: datetime) -> list[OrganizedChallenge]:
    """2 queries, none without challenges."""
    if not listed:
        return []
    keys = [each.challenge.pk for each in listed]
    asking = Entrant.objects.filter(challenge__in=keys, challenge__approve_teams=True, approved=None).exclude(
        accepted=None
    )
    waiting = dict(asking.order_by().values_list("challenge").annotate(Count("pk")))
    golds: dict[int, set[str]] = defaultdict(set)
    for phase, task in GoldStandard.objects.filter(phase__challenge__in=keys).values_list("phase", "task__name"):
        golds[phase].add(task)
    return [
        OrganizedChallenge(each, [*_list_needs(each, waiting.get(each.challenge.pk, 0), golds, now)]) for each in listed
    ]


def _list_needs(listed: ListedChallenge, waiting: int, golds: Mapping[int, set[str]], now: datetime) -> list[str]:
    if listed.challenge.state != ChallengeState.LISTED:
        return []
    teams = f"{waiting:,} team{'' if waiting == 1 else 's'}"
    needs = [f"{teams} {'waits' if waiting == 1 else 'wait'} for your approval."] if waiting else []
    for row in listed.timeline:
        needs += _list_needs_of_phase(row.phase, set(listed.tasks) - golds.get(row.phase.pk, set()), now)
    return needs


def _list_needs_of_phase(phase: Phase, tasks_without_gold: set[str], now: datetime) -> list[str]:
    name = f"The {phase.sort} phase"
    if phase.published or phase.opens > now + SOON:
        return []
    missing = (
        [f"{name} has no gold standard for {', '.join(sorted(tasks_without_gold))}."] if tasks_without_gold else []
    )
    if phase.frozen:
        return [*missing, f"{name} is frozen."]
    if phase.closes and phase.closes <= now:
        return [*missing, f"{name} has ended and is not published."]
    return [*missing, f"{name} ends within three days."] if phase.closes and phase.closes <= now + SOON else missing
