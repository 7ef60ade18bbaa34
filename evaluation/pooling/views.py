"""Pages of pools: organizers collect passages, appoint judges and close; judges decide one pair after another."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.errors import ChallengeError
from evaluation.pooling import closure
from evaluation.pooling.access import (
    NOT_A_JUDGE_MESSAGE,
    can_adjudicate,
    can_judge,
    can_read_judgements,
    find_pool,
    get_collected_pool,
    get_passage_task_and_phase_or_404,
    get_pool_or_404,
)
from evaluation.pooling.collection import collect_passages, count_uncollected_passages
from evaluation.pooling.decision_export import format_decisions_tsv
from evaluation.pooling.forms import DecisionForm, JudgeForm, sign_shown_time
from evaluation.pooling.judgements import store_judgement
from evaluation.pooling.judges import add_judge, remove_judge
from evaluation.pooling.judging_page import find_judging_page
from evaluation.pooling.judging_status import build_judging_status
from evaluation.pooling.models import Pool

TSV_CONTENT_TYPE = "text/tab-separated-values; charset=utf-8"


@never_cache
@organizer_required
@require_safe
def show_pool(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """The passages, the judges with their progress, and their agreement."""
    found_task, found_phase = get_passage_task_and_phase_or_404(challenge, phase, task)
    pool = find_pool(found_task, found_phase)
    context = {
        "challenge": challenge,
        "task": found_task,
        "phase": found_phase,
        "pool": pool,
        "standing": build_judging_status(pool) if pool else None,
        "uncollected": count_uncollected_passages(pool) if pool else 0,
        "form": JudgeForm(label_suffix=""),
    }
    return render(request, "evaluation/pooling/pool.html", context)


def make_pool_action(act: Callable[[HttpRequest, Task, Phase], str]) -> Callable[..., HttpResponseBase]:
    """Make the view of an organizer's button; the pool's page then shows the returned message, or the error."""

    @organizer_required
    @require_POST
    def view(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
        found_task, found_phase = get_passage_task_and_phase_or_404(challenge, phase, task)
        try:
            messages.success(request, act(request, found_task, found_phase))
        except ChallengeError as error:
            messages.error(request, str(error))
        return redirect("pool", challenge.slug, phase, task)

    return view


def collect_into_pool(request: HttpRequest, task: Task, phase: Phase) -> str:
    collected = collect_passages(task, phase)
    return f"{collected.new:,} new passages were collected; the pool now has {collected.total:,}."


def add_or_remove_judge(request: HttpRequest, task: Task, phase: Phase) -> str:
    """Add the judge of the form, or remove the one named by the parameter `remove`."""
    pool = get_collected_pool(task, phase)
    if removed := request.POST.get("remove"):
        remove_judge(pool, removed)
        return f"{removed} is no longer a judge; the judgements are kept but no longer count."
    form = JudgeForm(request.POST)
    if not form.is_valid():
        raise ChallengeError(" ".join(str(fault) for faults in form.errors.values() for fault in faults))
    judge = add_judge(pool, form.cleaned_data["judge"], adjudicates=form.cleaned_data["adjudicates"])
    return f"{judge.name} is now {'an adjudicator' if judge.adjudicates else 'a judge'}."


def close_pool_by_organizer(request: HttpRequest, task: Task, phase: Phase) -> str:
    closure.close_pool(get_collected_pool(task, phase), request.user)
    return "The judging is closed; the runs will be scored within a minute."


def reopen_pool_by_organizer(request: HttpRequest, task: Task, phase: Phase) -> str:
    closure.reopen_pool(get_collected_pool(task, phase))
    return "The judging is open again; the scores stay as they are until you close it."


collect_pool = make_pool_action(collect_into_pool)
edit_pool_judges = make_pool_action(add_or_remove_judge)
close_pool_judging = make_pool_action(close_pool_by_organizer)
reopen_pool_judging = make_pool_action(reopen_pool_by_organizer)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def judge_pool(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """A pair with its passages: the pair with the number of the parameter `at`, or the first undecided one."""
    return show_pair_or_store_decision(request, get_pool_or_404(slug, phase, task), "pool-judge", adjudicates=False)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_pool(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """A pair on which judges disagree, with their verdicts: that of the parameter `at`, or the first undecided one."""
    return show_pair_or_store_decision(request, get_pool_or_404(slug, phase, task), "pool-adjudicate", adjudicates=True)


def show_pair_or_store_decision(request: HttpRequest, pool: Pool, url_name: str, *, adjudicates: bool) -> HttpResponse:
    is_allowed = can_adjudicate if adjudicates else can_judge
    if not is_allowed(request.user, pool):
        raise PermissionDenied(NOT_A_JUDGE_MESSAGE)
    if request.method == "POST":
        return store_submitted_decision(request, pool, url_name, adjudicates=adjudicates)
    at = request.GET.get("at", "")
    number = int(at) if at.isascii() and at.isdigit() and len(at) < 9 else None
    context = {
        "pool": pool,
        "page": find_judging_page(pool, request.user, number, adjudicates=adjudicates),
        "adjudicates": adjudicates,
        "shown": sign_shown_time(timezone.now()),
    }
    return render(request, "evaluation/pooling/judge.html", context)


def store_submitted_decision(request: HttpRequest, pool: Pool, url_name: str, *, adjudicates: bool) -> HttpResponse:
    """Store a decision, and go back to its pair."""
    form = DecisionForm(request.POST)
    url_arguments = [pool.task.challenge.slug, pool.phase.sort, pool.task.name]
    if not form.is_valid():
        messages.error(request, "No decision was sent: choose relevant, not relevant or best for a passage.")
        return redirect(url_name, *url_arguments)
    passage = get_object_or_404(pool.passages, pk=form.cleaned_data["passage"])
    shown, now = form.cleaned_data["shown"], timezone.now()
    try:
        store_judgement(passage, form.chosen_verdict, request.user, now, shown=shown, adjudicates=adjudicates)
    except ChallengeError as error:
        messages.error(request, str(error))
    url = redirect(url_name, *url_arguments).url
    return redirect(f"{url}?at={form.cleaned_data['at']}#p{passage.pk}")


@never_cache
@require_safe
def download_judgements(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The file that the runs are scored with, for organizers, and for everybody once the task is published."""
    pool = get_pool_or_404(slug, phase, task)
    if not can_read_judgements(request.user, pool):
        raise Http404
    return build_tsv_download(closure.format_judgements_tsv(pool), f"{slug}-{phase}-{task}-judgements.tsv")


@never_cache
@organizer_required
@require_safe
def download_decisions(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """Every judgement, with judge, time and duration."""
    pool = get_pool_or_404(challenge.slug, phase, task)
    return build_tsv_download(format_decisions_tsv(pool), f"{challenge.slug}-{phase}-{task}-decisions.tsv")


def build_tsv_download(content: str, name: str) -> HttpResponse:
    """Return tab-separated values as a download with this file name."""
    response = HttpResponse(content, content_type=TSV_CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
