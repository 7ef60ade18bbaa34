"""Pages for curators: one article at a time, two keys, and a timer kept by the server."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from evaluation.labelling.lookup import get_active_labeller_or_403_if_competing
from evaluation.labelling.models import Labeller
from evaluation.labelling.session import timed_labels
from evaluation.labelling.session.progress import list_own_labellings, load_labelling_counts_and_pace
from evaluation.labelling.session.timed_labels import LABEL_VALUES

P = ParamSpec("P")


def _own_labeller_required(
    view: Callable[Concatenate[HttpRequest, Labeller, P], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Pass the labeller to the view; 404 for everybody but this curator."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, get_active_labeller_or_403_if_competing(request.user, pk), *args, **kwargs)

    return guarded


@login_required
@require_safe
def show_own_labellings(request: HttpRequest) -> HttpResponse:
    return render(request, "evaluation/labelling/label_list.html", {"labellings": list_own_labellings(request.user)})


@never_cache
@_own_labeller_required
@require_GET
def show_article_and_start_reading_clock(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    shown = timed_labels.keep_or_choose_article_starting_unpaused_clock(labeller.pk, timezone.now())
    context = {
        "own": shown,
        "labelling": labeller.labelling,
        "article": None if shown.paused else shown.article,
        "progress": load_labelling_counts_and_pace(labeller),
        "most": int(timed_labels.MAX_READING_TIME.total_seconds() // 60),
    }
    return render(request, "evaluation/labelling/label.html", context)


@_own_labeller_required
@require_POST
def submit_label(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    answer = request.POST.get("said", "")
    if answer not in LABEL_VALUES:
        raise Http404
    if not timed_labels.store_label_if_shown(
        labeller.pk, request.POST.get("article", ""), LABEL_VALUES[answer], timezone.now()
    ):
        messages.warning(
            request, "The article was no longer visible, so the label was not stored; label the current article."
        )
    return redirect("label", labeller.pk)


@_own_labeller_required
@require_POST
def undo_label(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    if not timed_labels.undo_last_label_and_reshow_article(labeller.pk, timezone.now()):
        messages.warning(request, "There is no label to undo.")
    return redirect("label", labeller.pk)


@_own_labeller_required
@require_POST
def pause_labelling(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    timed_labels.stop_clock_and_hide_article(labeller.pk, timezone.now())
    return redirect("label", labeller.pk)


@_own_labeller_required
@require_POST
def resume_labelling(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    timed_labels.clear_paused_flag_of_labeller(labeller.pk)
    return redirect("label", labeller.pk)


@_own_labeller_required
@require_POST
def stop_or_resume_clock_of_latest_showing(request: HttpRequest, labeller: Labeller) -> HttpResponse:
    """The page reports that it is hidden, or visible again."""
    showing = request.POST.get("showing", "")
    if not (showing.isascii() and showing.isdecimal() and len(showing) < 10):
        raise Http404
    change_timer = (
        timed_labels.resume_reading_clock_unless_paused
        if request.POST.get("sight") == "in"
        else timed_labels.stop_reading_clock_without_pausing
    )
    change_timer(labeller.pk, timezone.now(), int(showing))
    return HttpResponse(status=204)
