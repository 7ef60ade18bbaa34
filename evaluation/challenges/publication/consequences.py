"""What everybody will see once a phase or a task is published, as sentences for the second question."""

from bcms.lib.confirmation import UNDONE
from evaluation.challenges.models import Challenge, Phase
from evaluation.gold.models import GoldStandard
from servers.review.states import ReviewState

CLOSED_TO_TEAMS = "Nobody can enter servers or upload runs any more."


def list_consequences_of_phase_publication(phase: Phase) -> list[str]:
    """Two or three queries."""
    tasks = list(phase.golds.order_by("task").values_list("task__name", flat=True))
    runs = phase.runs.filter(withdrawn__isnull=True).count()
    named = f" from {phase.names_shown:%-d %B %Y, %H:%M UTC} on" if phase.names_shown else ""
    return [
        f"Everybody sees the leaderboards and gold standards of {_join_names(tasks)}."
        if tasks
        else "No task has a gold standard yet, so there is nothing on the leaderboards to see.",
        f"Everybody sees the annotations of {_count(runs, 'run')} with the names of their teams{named}.",
        _describe_default_view(phase.challenge),
        *_list_consequences_for_articles(phase),
        *([CLOSED_TO_TEAMS] if phase.sort == Phase.Type.TEST else []),
        UNDONE,
    ]


def _describe_default_view(challenge: Challenge) -> str:
    """What articles show without the reader's asking for it."""
    if challenge.review == ReviewState.ACCEPTED:
        return "Articles show those of uploads by default, and those of servers while the server is accepted."
    return (
        "Articles show those of servers by default while the server is accepted, and those of uploads once a reviewer "
        f"accepts this challenge, which is {challenge.review}."
    )


def _list_consequences_for_articles(phase: Phase) -> list[str]:
    if not phase.corpus.blind:
        return []
    articles = _count(phase.corpus.articles.count(), "article")
    return [
        f"{phase.corpus} is no longer blind: everybody sees its {articles} with their real ids. Those that are not on "
        "this site yet become public articles with their texts."
    ]


def list_consequences_of_task_publication(gold: GoldStandard) -> list[str]:
    """One query."""
    runs = gold.phase.runs.filter(task=gold.task_id, withdrawn__isnull=True).count()
    return [
        f"Everybody sees the leaderboard of {gold.task} with {_count(runs, 'run')}, and its gold standard.",
        "The annotations of the runs and the articles become public with the phase.",
        *([CLOSED_TO_TEAMS] if gold.phase.sort == Phase.Type.TEST else []),
        UNDONE,
    ]


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _join_names(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
