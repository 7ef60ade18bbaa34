"""Correct the set-up of a challenge while nothing depends on it: change a task, delete a task or a phase."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from annotations.schema import Kind
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.measures.open_tasks import complete_task_settings, get_default_measure
from evaluation.measures.task_settings import TaskSettings, build_task_settings_json
from evaluation.pooling.models import Pool
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event


@transaction.atomic
def update_task_refusing_breaking_changes(
    task: Task,
    *,
    name: str,
    kind: Kind,
    title: str,
    note: str,
    primary: str,
    further: Sequence[str],
    settings: TaskSettings | None = None,
) -> None:
    """Change a task.

    primary: measure that orders the leaderboard, empty for the default of the kind; further: other measures on the
    leaderboard, empty for all; settings: as in create_task. ChallengeError for a new name, kind or new settings of a
    task that has a gold standard or runs, and for new measures of a task that is published.
    """
    before = Task.objects.select_for_update().get(pk=task.pk)
    settings = settings and complete_task_settings(kind, settings)
    primary, further = primary or get_default_measure(kind, settings), list(further)
    stored_settings = None if settings is None else build_task_settings_json(settings)
    is_other = (name, kind, stored_settings) != (before.name, before.kind, before.settings)
    if is_other and _is_task_used(before):
        what = "name, kind and settings" if stored_settings or before.settings else "name and kind"
        raise ChallengeError(
            f"{before} has a gold standard or runs, so its {what} cannot change. Add another task instead."
        )
    if (primary, further) != (before.primary, before.further) and _is_task_published(before):
        raise ChallengeError(f"A leaderboard of {before} is published, so its measures cannot change.")
    fields: dict[str, object] = {"name": name, "kind": kind, "title": title, "note": note, "settings": stored_settings}
    fields |= {"primary": primary, "further": further}
    Task.objects.filter(pk=task.pk).update(**fields)
    changed = [key for key, value in fields.items() if getattr(before, key) != value]
    record_audit_event(
        AuditAction.TASK_CHANGED,
        f"{before.challenge} {before}",
        before={key: getattr(before, key) for key in changed},
        after={key: fields[key] for key in changed},
        challenge_id=before.challenge_id,
    )
    task.refresh_from_db()


def _is_task_used(task: Task) -> bool:
    """Whether the task has a gold standard, runs, uploads or a pool."""
    return _has_submissions(Q(task=task)) or task.golds.exists()


def _is_task_published(task: Task) -> bool:
    """Whether the task is published in any phase, or its publication was requested."""
    requested = Q(publish_asked__isnull=False) | Q(phase__publish_asked__isnull=False)
    return task.golds.filter(requested | Q(published__isnull=False)).exists()


def _has_submissions(condition: Q) -> bool:
    """Whether there is a run (also a withdrawn one), an upload (also a refused one) or a pool."""
    return any(model.objects.filter(condition).exists() for model in (Run, Upload, Pool))


@transaction.atomic
def delete_task_and_gold_unless_submitted_or_published(task: Task) -> None:
    """Delete a task and its gold standards. ChallengeError if it has runs or is published."""
    task = Task.objects.select_for_update().get(pk=task.pk)
    if _has_submissions(Q(task=task)) or _is_task_published(task):
        raise ChallengeError(
            f"{task} has runs or is published and cannot be removed. Change its title and note instead."
        )
    _delete_gold_standards(list(task.golds.select_related("producer")))
    record_audit_event(AuditAction.TASK_DELETED, f"{task.challenge} {task}", challenge_id=task.challenge_id)
    task.delete()


@transaction.atomic
def delete_unused_phase_and_gold(phase: Phase) -> None:
    """Delete a phase and its gold standards, not its corpus. ChallengeError if it has runs or is published."""
    phase = Phase.objects.select_for_update().get(pk=phase.pk)
    if phase.published or phase.publish_asked or _has_submissions(Q(phase=phase)):
        raise ChallengeError(
            f"The {phase.sort} phase has runs or is published and cannot be removed. Change its end instead."
        )
    _delete_gold_standards(list(phase.golds.select_related("producer")))
    record_audit_event(AuditAction.PHASE_DELETED, phase, challenge_id=phase.challenge_id)
    phase.delete()


def _delete_gold_standards(golds: Sequence[GoldStandard]) -> None:
    """Delete gold standards with their producers and Results."""
    for gold in golds:
        producer = gold.producer
        gold.delete()
        if producer is not None:
            producer.results.all().delete()
            producer.delete()
