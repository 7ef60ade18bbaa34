"""Mend what was set up wrongly, for as long as no team has built on it: change a task, remove a task or a phase."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from annotations.kinds import Kind
from evaluation.errors import ChallengeError
from evaluation.measures.registry import PRIMARY
from evaluation.models import GoldStandard, Phase, Pool, Run, Task, Upload


@transaction.atomic
def change_task(
    task: Task, *, name: str, kind: Kind, title: str, note: str, primary: str, further: Sequence[str]
) -> None:
    """Give a task other words or measures; primary and further as in challenges.add_task.

    ChallengeError for another name or kind of a task that is used, and for other measures of one that is published.
    """
    before = Task.objects.select_for_update().get(pk=task.pk)
    primary, further = primary or PRIMARY[kind], list(further)
    if (name, kind) != (before.name, before.kind) and is_used(before):
        raise ChallengeError(
            f"{before} has a gold standard or runs already, so its name and kind stay; add another task instead."
        )
    if (primary, further) != (before.primary, before.further) and is_published(before):
        raise ChallengeError(f"A leaderboard of {before} is published, so its measures stay as they are.")
    new = {"name": name, "kind": kind, "title": title, "note": note, "primary": primary, "further": further}
    Task.objects.filter(pk=task.pk).update(**new)
    task.refresh_from_db()


def is_used(task: Task) -> bool:
    return has_runs(Q(task=task)) or task.golds.exists()


def is_published(task: Task) -> bool:
    asked = Q(publish_asked__isnull=False) | Q(phase__publish_asked__isnull=False)
    return task.golds.filter(asked | Q(published__isnull=False)).exists()


def has_runs(of: Q) -> bool:
    """Whether there is a run, withdrawn or not, a file that a team tried, or a judging."""
    return any(model.objects.filter(of).exists() for model in (Run, Upload, Pool))


@transaction.atomic
def remove_task(task: Task) -> None:
    """With its gold standards. ChallengeError when it has runs, or a leaderboard of it is published."""
    task = Task.objects.select_for_update().get(pk=task.pk)
    if has_runs(Q(task=task)) or is_published(task):
        raise ChallengeError(f"{task} has runs or is published, so it stays; change its title and note instead.")
    discard(list(task.golds.select_related("producer")))
    task.delete()


@transaction.atomic
def remove_phase(phase: Phase) -> None:
    """With its gold standards; its corpus stays. ChallengeError when it has runs or is published."""
    phase = Phase.objects.select_for_update().get(pk=phase.pk)
    if phase.published or phase.publish_asked or has_runs(Q(phase=phase)):
        raise ChallengeError(f"The {phase.sort} phase has runs or is published, so it stays; move its end instead.")
    discard(list(phase.golds.select_related("producer")))
    phase.delete()


def discard(golds: Sequence[GoldStandard]) -> None:
    """Delete gold standards, and the Results of those that are not sealed."""
    for gold in golds:
        producer = gold.producer
        gold.delete()
        if producer is not None:
            producer.results.all().delete()
            producer.delete()
