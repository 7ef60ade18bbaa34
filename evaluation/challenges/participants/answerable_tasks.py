"""Which tasks a server can answer: those of a kind that it returns, and of a type of entity that it annotates."""

from collections.abc import Collection, Iterable

from annotations.schema import Kind
from evaluation.challenges.models import Task
from evaluation.measures.open_tasks import list_counted_result_kinds
from evaluation.measures.task_settings import EVERY_TYPE, TaskSettings
from servers.registry.models import Server


def list_answered_kinds(task: Task, server: Server) -> list[str]:
    """The kinds of annotation that the server returns and that count in the task; none if its types do not count."""
    settings = task.get_settings()
    if settings is None:
        return [task.kind] if task.kind in server.kinds else []
    if not _share_a_type(settings, server.entity_types):
        return []
    return [kind.value for kind in list_counted_result_kinds(Kind(task.kind)) if kind in server.kinds]


def _share_a_type(settings: TaskSettings, server_types: Collection[str]) -> bool:
    """Whether the server annotates a type that counts; one that does not say its types may."""
    if not server_types or not settings.entity_types or EVERY_TYPE in settings.entity_types:
        return True
    of_server = set(map(settings.normalize_type, server_types))
    return not of_server.isdisjoint(map(settings.normalize_type, settings.entity_types))


def list_kinds_to_answer(tasks: Iterable[Task], server: Server) -> set[str]:
    """The kinds of annotation of the server that count in these tasks."""
    return {kind for task in tasks for kind in list_answered_kinds(task, server)}


def describe_demands(tasks: Iterable[Task]) -> str:
    """The kinds and types of entities that tasks ask for, for messages."""
    demands = []
    for task in tasks:
        settings = task.get_settings()
        types = settings.entity_types if settings and EVERY_TYPE not in settings.entity_types else ()
        kind = "entity or mention" if task.kind == Kind.ENTITY else task.kind
        demands.append(f"{kind} of the types {', '.join(types)}" if types else kind)
    return ", ".join(sorted(set(demands))) or "none yet"
