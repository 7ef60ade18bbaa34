"""Files to be downloaded beside a leaderboard: what the commands that it prints make its figures from."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation import score_files
from evaluation.board_pages import as_file, task_and_phase
from evaluation.models import Phase, Run, Task


def table(lines: Iterable[str], name: str) -> HttpResponse:
    return as_file("".join(lines), "text/tab-separated-values", name)


def file_of_gold(user: Any, task: Task, phase: Phase, file: str) -> HttpResponse:
    """The one of GOLD_FILES with that name; 404 for who may not have the gold standard."""
    gold, own = score_files.gold_read_by(user, task, phase), score_files.GOLD_FILES.get(file)
    if gold is None or own is None:
        raise Http404("There is no gold standard that you may see; that of a test is public once it is published.")
    return table(own.lines(gold, user), score_files.names_of(task, phase)[own.word])


def file_of_run(user: Any, task: Task, phase: Phase, run: int) -> HttpResponse:
    """What a run says; 404 for who may not have it."""
    rows = phase.runs.filter(task=task, withdrawn__isnull=True)
    found: Run | None = rows.select_related("team", "task", "phase__challenge", "phase__corpus").filter(pk=run).first()
    # Whether there is such a run is not told: nobody shall count those of others.
    if found is None or not score_files.may_read_run(user, found):
        raise Http404("There is no such run that you may read; only its team may until it is published by name.")
    return table(score_files.run_file(found), score_files.run_name(found.pk))


@require_safe
def of_gold(request: HttpRequest, slug: str, phase: str, task: str, file: str) -> HttpResponse:
    return file_of_gold(request.user, *task_and_phase(slug, phase, task), file)


@require_safe
def of_run(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    return file_of_run(request.user, *task_and_phase(slug, phase, task), run)
