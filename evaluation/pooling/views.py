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
from evaluation.pooling.collection import add_run_passages_to_open_pool, count_uncollected_passages
from evaluation.pooling.decision_export import format_judgement_history_tsv
from evaluation.pooling.forms import DecisionForm, JudgeForm, sign_shown_time
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import (
    add_or_change_noncompeting_judge_and_mail,
    remove_judge_keeping_uncounted_judgements,
)
from evaluation.pooling.judging_page import find_chosen_or_first_undecided_pair
from evaluation.pooling.judging_status import build_judging_status
from evaluation.pooling.lookup import (
    NOT_A_JUDGE_MESSAGE,
    can_adjudicate,
    can_judge,
    find_pool,
    get_passage_task_and_phase_or_404,
    get_pool_or_404,
    get_pool_or_challenge_error,
    is_organizer_or_gold_published,
)
from evaluation.pooling.models import Pool

TSV_CONTENT_TYPE = "text/tab-separated-values; charset=utf-8"


@never_cache
@organizer_required
@require_safe
def show_pool_status_to_organizers(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
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


def _make_pool_action(act: Callable[[HttpRequest, Task, Phase], str]) -> Callable[..., HttpResponseBase]:
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


def _collect_into_pool(request: HttpRequest, task: Task, phase: Phase) -> str:
    collected = add_run_passages_to_open_pool(task, phase)
    return f"{collected.new:,} new passages were collected; the pool now has {collected.total:,}."


def _add_or_remove_judge(request: HttpRequest, task: Task, phase: Phase) -> str:
    """Add the judge of the form, or remove the one named by the parameter `remove`."""
    pool = get_pool_or_challenge_error(task, phase)
    if removed := request.POST.get("remove", "").replace("\0", ""):
        remove_judge_keeping_uncounted_judgements(pool, removed)
        return f"{removed} is no longer a judge; the judgements are kept but no longer count."
    form = JudgeForm(request.POST)
    if not form.is_valid():
        raise ChallengeError(" ".join(str(fault) for faults in form.errors.values() for fault in faults))
    judge = add_or_change_noncompeting_judge_and_mail(
        pool, form.cleaned_data["judge"], adjudicates=form.cleaned_data["adjudicates"]
    )
    return f"{judge.name} is now {'an adjudicator' if judge.adjudicates else 'a judge'}."


def _close_pool_by_organizer(request: HttpRequest, task: Task, phase: Phase) -> str:
    closure.close_decided_pool_and_store_gold(get_pool_or_challenge_error(task, phase), request.user)
    return "The judging is closed; the runs will be scored within a minute."


def _reopen_pool_by_organizer(request: HttpRequest, task: Task, phase: Phase) -> str:
    closure.reopen_pool(get_pool_or_challenge_error(task, phase))
    return "The judging is open again; the scores stay as they are until you close it."


collect_pool = _make_pool_action(_collect_into_pool)
edit_pool_judges = _make_pool_action(_add_or_remove_judge)
close_pool_judging = _make_pool_action(_close_pool_by_organizer)
reopen_pool_judging = _make_pool_action(_reopen_pool_by_organizer)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_judge_pair(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """A pair with its passages: the pair with the number of the parameter `at`, or the first undecided one."""
    return _show_pair_or_store_decision(
        request, get_pool_or_404(request.user, slug, phase, task), "pool-judge", adjudicates=False
    )


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_pair_or_store_adjudication(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """A pair on which judges disagree, with their verdicts: that of the parameter `at`, or the first undecided one."""
    return _show_pair_or_store_decision(
        request, get_pool_or_404(request.user, slug, phase, task), "pool-adjudicate", adjudicates=True
    )


def _show_pair_or_store_decision(request: HttpRequest, pool: Pool, url_name: str, *, adjudicates: bool) -> HttpResponse:
    is_allowed = can_adjudicate if adjudicates else can_judge
    if not is_allowed(request.user, pool):
        raise PermissionDenied(NOT_A_JUDGE_MESSAGE)
    if request.method == "POST":
        return _store_submitted_decision(request, pool, url_name, adjudicates=adjudicates)
    at = request.GET.get("at", "")
    number = int(at) if at.isascii() and at.isdigit() and len(at) < 9 else None
    context = {
        "pool": pool,
        "page": find_chosen_or_first_undecided_pair(pool, request.user, number, adjudicates=adjudicates),
        "adjudicates": adjudicates,
        "shown": sign_shown_time(timezone.now()),
    }
    return render(request, "evaluation/pooling/judge.html", context)


def _store_submitted_decision(request: HttpRequest, pool: Pool, url_name: str, *, adjudicates: bool) -> HttpResponse:
    """Store a decision, and go back to its pair."""
    form = DecisionForm(request.POST)
    url_arguments = [pool.task.challenge.slug, pool.phase.sort, pool.task.name]
    if not form.is_valid():
        messages.error(request, "No decision was sent: choose relevant, not relevant or best for a passage.")
        return redirect(url_name, *url_arguments)
    passage = get_object_or_404(pool.passages, pk=form.cleaned_data["passage"])
    shown, now = form.cleaned_data["shown"], timezone.now()
    try:
        store_judgement_and_demote_other_best(
            passage, form.chosen_verdict, request.user, now, shown=shown, adjudicates=adjudicates
        )
    except ChallengeError as error:
        messages.error(request, str(error))
    url = redirect(url_name, *url_arguments).url
    return redirect(f"{url}?at={form.cleaned_data['at']}#p{passage.pk}")


@never_cache
@require_safe
def download_final_verdicts(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The file that the runs are scored with, for organizers, and for everybody once the task is published."""
    pool = get_pool_or_404(request.user, slug, phase, task)
    if not is_organizer_or_gold_published(request.user, pool):
        raise Http404
    return build_tsv_download(closure.format_final_verdicts_tsv(pool), f"{slug}-{phase}-{task}-judgements.tsv")


@never_cache
@organizer_required
@require_safe
def download_judgement_history(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """Every judgement, with judge, time and duration."""
    pool = get_pool_or_404(request.user, challenge.slug, phase, task)
    return build_tsv_download(format_judgement_history_tsv(pool), f"{challenge.slug}-{phase}-{task}-decisions.tsv")


def build_tsv_download(content: str, file_name: str) -> HttpResponse:
    """Return tab-separated values as a download with this file name."""
    response = HttpResponse(content, content_type=TSV_CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response
