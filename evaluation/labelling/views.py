"""Where curators label: one article in sight, two keys, and a clock that the server keeps."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from evaluation.errors import ChallengeError
from evaluation.labelling import reading
from evaluation.labelling.curators import refuse_competitors
from evaluation.labelling.models import Labeller
from evaluation.labelling.progress import progress_of

P = ParamSpec("P")
SAID = {"yes": True, "no": False, "skip": None}


def labeller_for(user: Any, pk: int) -> Labeller:
    """404 for everybody but that curator, and 403 for one who came to be on a team that may not know blind articles."""
    rows = Labeller.objects.filter(user=user.pk, released__isnull=True)
    own = get_object_or_404(rows.select_related("labelling__corpus", "labelling__challenge", "article"), pk=pk)
    try:
        refuse_competitors(own.labelling, user)
    except ChallengeError:
        raise PermissionDenied(
            "You are on a team that takes part by now, and these articles are blind, so you label them no more: tell "
            "the organizers."
        ) from None
    return own


def own_labelling(
    view: Callable[Concatenate[HttpRequest, Labeller, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, int, P], HttpResponse]:
    """The view gets the labeller of the address; to everybody but that curator there is nothing there."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return view(request, labeller_for(request.user, pk), *args, **kwargs)

    return guarded


@login_required
@require_safe
def label_list(request: HttpRequest) -> HttpResponse:
    rows = Labeller.objects.filter(user=request.user.pk, released__isnull=True).order_by("pk")
    own = rows.select_related("labelling__corpus", "labelling__challenge")
    return render(request, "evaluation/label_list.html", {"labellers": own})


@never_cache
@own_labelling
@require_GET
def label(request: HttpRequest, own: Labeller) -> HttpResponse:
    shown = reading.show(own.pk, timezone.now())
    context = {
        "own": shown,
        "labelling": own.labelling,
        "article": None if shown.paused else shown.article,
        "progress": progress_of(own),
        "most": int(reading.MOST.total_seconds() // 60),
    }
    return render(request, "evaluation/label.html", context)


@own_labelling
@require_POST
def label_answer(request: HttpRequest, own: Labeller) -> HttpResponse:
    said = request.POST.get("said", "")
    if said not in SAID:
        raise Http404
    if not reading.answer(own.pk, request.POST.get("article", ""), SAID[said], timezone.now()):
        messages.warning(request, "That article was not in sight any more, so nothing was stored; label the one here.")
    return redirect("label", own.pk)


@own_labelling
@require_POST
def label_undo(request: HttpRequest, own: Labeller) -> HttpResponse:
    if not reading.undo(own.pk, timezone.now()):
        messages.warning(request, "There is no label to take back.")
    return redirect("label", own.pk)


@own_labelling
@require_POST
def label_pause(request: HttpRequest, own: Labeller) -> HttpResponse:
    reading.pause(own.pk, timezone.now())
    return redirect("label", own.pk)


@own_labelling
@require_POST
def label_resume(request: HttpRequest, own: Labeller) -> HttpResponse:
    reading.end_pause(own.pk)
    return redirect("label", own.pk)


@own_labelling
@require_POST
def label_clock(request: HttpRequest, own: Labeller) -> HttpResponse:
    """The page tells that it is out of sight, or in sight again."""
    number = request.POST.get("showing", "")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise Http404
    change = reading.go_on if request.POST.get("sight") == "in" else reading.stop
    change(own.pk, timezone.now(), int(number))
    return HttpResponse(status=204)
