"""Files to be downloaded beside a leaderboard: what the commands that it prints make its figures from."""

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from evaluation import score_files
from evaluation.board_pages import as_file, task_and_phase
from evaluation.leaderboard import runs_seen_by
from evaluation.models import GoldStandard, Phase, Run, Task


def gold_for(request: HttpRequest, task: Task, phase: Phase) -> GoldStandard:
    gold = score_files.gold_read_by(request.user, task, phase)
    if gold is None:
        raise Http404("There is no gold standard that you may see; that of a test is public once it is published.")
    return gold


def table(lines: Iterable[str], name: str) -> HttpResponse:
    return as_file("".join(lines), "text/tab-separated-values", name)


@require_safe
def gold(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    of_task, in_phase = task_and_phase(slug, phase, task)
    own = gold_for(request, of_task, in_phase)
    return table(score_files.gold_file(own), score_files.names_of(of_task, in_phase)["GOLD"])


@require_safe
def organisms(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """Of the accessions of the gold standard and of all runs that the reader may have."""
    of_task, in_phase = task_and_phase(slug, phase, task)
    own = gold_for(request, of_task, in_phase)
    runs = runs_seen_by(request.user, in_phase).filter(task=of_task).select_related("team", "phase__challenge")
    read = [run for run in runs if score_files.may_read_run(request.user, run)]
    return table(score_files.organisms_file(own, read), score_files.names_of(of_task, in_phase)["ORGANISMS.tsv"])


@require_safe
def swissprot(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    of_task, in_phase = task_and_phase(slug, phase, task)
    own = gold_for(request, of_task, in_phase)
    return table(score_files.swissprot_file(own), score_files.names_of(of_task, in_phase)["SWISSPROT.txt"])


@require_safe
def run(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    of_task, in_phase = task_and_phase(slug, phase, task)
    rows = in_phase.runs.filter(task=of_task, withdrawn__isnull=True)
    found: Run = get_object_or_404(rows.select_related("team", "task", "phase__challenge", "phase__corpus"), pk=run)
    if not score_files.may_read_run(request.user, found):
        raise Http404("What this run says is read by its team and the organizers until it is published by name.")
    return table(score_files.run_file(found), score_files.run_name(found.pk))
