"""Pages of pooled passages: the organizers collect, name judges and close; judges decide, one pair after the other."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.kinds import Kind
from evaluation.challenges import organizes
from evaluation.errors import ChallengeError
from evaluation.models import Challenge, GoldStandard, Phase, Task
from evaluation.organizing import organizers_only
from evaluation.pooling import closing, judging
from evaluation.pooling.collecting import collect, uncollected
from evaluation.pooling.decisions import decisions_file
from evaluation.pooling.forms import DecisionForm, JudgeForm, shown_at
from evaluation.pooling.models import Pool
from evaluation.pooling.reading import page_of
from evaluation.pooling.standing import standing_of

TSV = "text/tab-separated-values; charset=utf-8"


def place_of(challenge: Challenge, phase: str, task: str) -> tuple[Task, Phase]:
    """404 for a task that asks for no passages."""
    tasks = challenge.tasks.select_related("challenge").filter(kind=Kind.PASSAGE)
    phases = challenge.phases.select_related("challenge", "corpus")
    return get_object_or_404(tasks, name=task), get_object_or_404(phases, sort=phase)


def pool_at(task: Task, phase: Phase) -> Pool | None:
    return Pool.objects.select_related("task", "phase__corpus", "closed_by").filter(task=task, phase=phase).first()


@never_cache
@organizers_only
@require_safe
def pool(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """The passages, who judges them, how far they are and how far they agree."""
    of_task, in_phase = place_of(challenge, phase, task)
    found = pool_at(of_task, in_phase)
    context = {
        "challenge": challenge,
        "task": of_task,
        "phase": in_phase,
        "pool": found,
        "standing": standing_of(found) if found else None,
        "uncollected": uncollected(found) if found else 0,
        "form": JudgeForm(label_suffix=""),
    }
    return render(request, "evaluation/pool.html", context)


def button(do: Callable[[HttpRequest, Task, Phase], str]) -> Any:
    """A button of the organizers: what it did is said on the pool's page, or why it could not."""

    @organizers_only
    @require_POST
    def pressed(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
        of_task, in_phase = place_of(challenge, phase, task)
        try:
            messages.success(request, do(request, of_task, in_phase))
        except ChallengeError as error:
            messages.error(request, str(error))
        return redirect("pool", challenge.slug, phase, task)

    return pressed


def the_pool(task: Task, phase: Phase) -> Pool:
    found = pool_at(task, phase)
    if found is None:
        raise ChallengeError("No passages are collected yet; collect them first.")
    return found


def collected(request: HttpRequest, task: Task, phase: Phase) -> str:
    done = collect(task, phase)
    return f"{done.new:,} new passages were collected; there are {done.whole:,}."


def judge_named(request: HttpRequest, task: Task, phase: Phase) -> str:
    """Name somebody, or with `remove` take them out."""
    pool = the_pool(task, phase)
    if removed := request.POST.get("remove"):
        judging.unname(pool, removed)
        return f"{removed} judges no more; what they decided is kept, and does not count."
    form = JudgeForm(request.POST)
    if not form.is_valid():
        raise ChallengeError(" ".join(str(fault) for faults in form.errors.values() for fault in faults))
    named = judging.name_judge(pool, form.cleaned_data["judge"], adjudicates=form.cleaned_data["adjudicates"])
    return f"{named.name} {'decides where judges differ' if named.adjudicates else 'judges'} from now on."


def closed(request: HttpRequest, task: Task, phase: Phase) -> str:
    closing.close(the_pool(task, phase), request.user)
    return "The judging is closed; the runs are scored by it within a minute."


def reopened(request: HttpRequest, task: Task, phase: Phase) -> str:
    closing.reopen(the_pool(task, phase))
    return "Judging goes on; the scores stay as they are until you close it again."


pool_collect, pool_judges, pool_close, pool_reopen = map(button, (collected, judge_named, closed, reopened))


def judges_place(slug: str, phase: str, task: str) -> Pool:
    pools = Pool.objects.select_related("task__challenge", "phase")
    return get_object_or_404(pools, task__challenge__slug=slug, phase__sort=phase, task__name=task)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_judge(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """One pair with its passages; with ?at= the pair of that number."""
    return deciding(request, judges_place(slug, phase, task), "pool-judge", adjudicates=False)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def pool_adjudicate(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """As pool_judge, of the pairs about which judges differ."""
    return deciding(request, judges_place(slug, phase, task), "pool-adjudicate", adjudicates=True)


def deciding(request: HttpRequest, found: Pool, name: str, *, adjudicates: bool) -> HttpResponse:
    may = judging.may_adjudicate if adjudicates else judging.may_judge
    if not may(request.user, found):
        raise PermissionDenied(judging.NOT_NAMED)
    if request.method == "POST":
        return decided(request, found, name, adjudicates=adjudicates)
    at = request.GET.get("at", "")
    number = int(at) if at.isascii() and at.isdigit() and len(at) < 9 else None
    context = {
        "pool": found,
        "page": page_of(found, request.user, number, adjudicates=adjudicates),
        "adjudicates": adjudicates,
        "shown": shown_at(timezone.now()),
    }
    return render(request, "evaluation/judge.html", context)


def decided(request: HttpRequest, found: Pool, name: str, *, adjudicates: bool) -> HttpResponse:
    """Keep a decision, and go back to the pair."""
    form = DecisionForm(request.POST)
    where = [found.task.challenge.slug, found.phase.sort, found.task.name]
    if not form.is_valid():
        messages.error(request, "That was no decision: say of a passage whether it is relevant, or the best.")
        return redirect(name, *where)
    passage = get_object_or_404(found.passages, pk=form.cleaned_data["passage"])
    shown, now = form.cleaned_data["shown"], timezone.now()
    try:
        judging.decide(passage, form.said, request.user, now, shown=shown, adjudicates=adjudicates)
    except ChallengeError as error:
        messages.error(request, str(error))
    address = redirect(name, *where).url
    return redirect(f"{address}?at={form.cleaned_data['at']}#p{passage.pk}")


def may_read_judgements(user: Any, pool: Pool) -> bool:
    """Whether the user may have what was decided: organizers, and everybody once the task is published."""
    golds = GoldStandard.objects.filter(task=pool.task_id, phase=pool.phase_id, published__isnull=False)
    return golds.exists() or organizes(user, pool.task.challenge)


@never_cache
@require_safe
def pool_judgements(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The file that the runs are scored by; for everybody once the task is published."""
    found = judges_place(slug, phase, task)
    if not may_read_judgements(request.user, found):
        raise Http404
    return as_file(closing.judgements_file(found), f"{slug}-{phase}-{task}-judgements.tsv")


@never_cache
@organizers_only
@require_safe
def pool_decisions(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """Every decision, with who, when and how long."""
    found = judges_place(challenge.slug, phase, task)
    return as_file(decisions_file(found), f"{challenge.slug}-{phase}-{task}-decisions.tsv")


def as_file(content: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=TSV)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
