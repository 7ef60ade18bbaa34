"""The pages of data sets: the list, a new one, each with its files, and what its owner and reviewers do with it."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.data_sets.models import DataSet
from annotations.formats.exports import DOWNLOADS, EXPORTS
from bcms.data_sets.boards import list_boards_to_organize, list_boards_to_take_part, list_teams
from bcms.data_sets.creation import create_data_set, update_outdated_data_set
from bcms.data_sets.errors import DataSetError
from bcms.data_sets.files import build_data_set_download
from bcms.data_sets.forms import BoardForm, DataSetForm, DataSetReviewForm
from bcms.data_sets.publication import (
    can_read_annotations,
    check_may_change_data_set,
    decline_proposed_data_set,
    list_visible_data_sets,
    propose_data_set,
    publish_proposed_data_set,
    withdraw_data_set,
)
from bcms.data_sets.queries import build_data_set_view, list_data_sets_newest_first
from bcms.lib.confirmation import UNDONE, ConfirmationQuestion, ask_unless_confirmed
from evaluation.errors import ChallengeError
from evaluation.runs.data_set_runs import store_data_set_as_baseline, upload_data_set_as_run
from servers.review.decisions import check_may_review
from servers.review.states import ReviewState

DataSetView = Callable[[HttpRequest, DataSet], HttpResponse]


@require_safe
def show_data_sets(request: HttpRequest) -> HttpResponse:
    data_sets = list(list_data_sets_newest_first(request.user))
    context = {
        "published": [own for own in data_sets if own.published],
        "unpublished": [own for own in data_sets if not own.published],
    }
    return render(request, "data_sets/data_sets.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def create_data_set_from_form(request: HttpRequest) -> HttpResponse:
    """The form of a recipe, with the search or corpus of the query; POST creates the data set."""
    sent = request.POST if request.method == "POST" else None
    initial = {"corpus": request.GET.get("corpus", ""), "search": request.GET.get("search", "")}
    form = DataSetForm(request.user, sent, initial={name: value for name, value in initial.items() if value})
    if form.is_valid():
        try:
            data_set = create_data_set(cast(AbstractBaseUser, request.user), form.build_recipe())
        except DataSetError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        else:
            return redirect("data-set", data_set.pk)
    return render(request, "data_sets/new.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@require_safe
def show_data_set(request: HttpRequest, pk: int) -> HttpResponse:
    data_set = get_visible_data_set_or_404(request, pk)
    return render(request, "data_sets/data_set.html", _build_page_context(request, data_set))


@never_cache
@require_safe
def poll_data_set(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes while the data set is built; 204 if the reader has the current version."""
    context = _build_page_context(request, get_visible_data_set_or_404(request, pk))
    if request.GET.get("v") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "data_sets/_data_set.html", context)


def get_visible_data_set_or_404(request: HttpRequest, pk: int) -> DataSet:
    """A withdrawn data set is shown to its owner and staff only."""
    visible = list_visible_data_sets(request.user).select_related("owner", "corpus", "producer")
    return get_object_or_404(visible, pk=pk)


def _build_page_context(request: HttpRequest, data_set: DataSet) -> dict[str, object]:
    view = build_data_set_view(data_set, request.user)
    organized = list_boards_to_organize(data_set, request.user) if data_set.published else []
    is_owner = data_set.published and request.user.pk == data_set.owner_id
    entered = list_boards_to_take_part(data_set, request.user) if is_owner else []
    return {
        "view": view,
        "data_set": data_set,
        "version": view.version,
        "exports": EXPORTS.values(),
        "review_form": DataSetReviewForm(label_suffix="") if view.may_review else None,
        "baseline_form": BoardForm(organized, None, auto_id="baseline-%s") if organized else None,
        "run_form": BoardForm(entered, list_teams(request.user), auto_id="run-%s") if entered else None,
    }


@require_safe
def download_data_set(request: HttpRequest, pk: int, slug: str) -> HttpResponseBase:
    """The articles with the annotations of the data set in the format of this slug."""
    data_set = get_visible_data_set_or_404(request, pk)
    if slug not in DOWNLOADS:
        raise Http404
    if not can_read_annotations(request.user, data_set):
        raise PermissionDenied
    return build_data_set_download(request, data_set, DOWNLOADS[slug])


def _data_set_action(view: DataSetView) -> Callable[..., HttpResponse]:
    """A POST on a data set; its errors are shown on the page of the data set."""

    @require_POST
    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("data-set", args=[pk]))
        try:
            return view(request, get_visible_data_set_or_404(request, pk))
        except (DataSetError, ChallengeError) as error:
            messages.error(request, str(error))
            return redirect("data-set", pk)

    return wrapper


@_data_set_action
def update_data_set(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    check_may_change_data_set(request.user, data_set)
    update_outdated_data_set(data_set)
    return redirect("data-set", data_set.pk)


@_data_set_action
def propose_data_set_for_publication(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    check_may_change_data_set(request.user, data_set)
    propose_data_set(data_set)
    messages.success(request, "A reviewer will publish or decline it.")
    return redirect("data-set", data_set.pk)


@_data_set_action
def publish_or_decline_data_set(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    check_may_review(request.user)
    form = DataSetReviewForm(request.POST)
    if not form.is_valid():
        raise DataSetError("Choose whether to publish or decline it; a note has at most 400 characters.")
    if form.cleaned_data["decision"] == ReviewState.ACCEPTED:
        publish_proposed_data_set(data_set, request.user)
        messages.success(request, f"{data_set} is published.")
    else:
        decline_proposed_data_set(data_set, request.user, form.cleaned_data["note"])
        messages.success(request, f"The publication of {data_set} is declined.")
    return redirect("data-sets")


@_data_set_action
def withdraw_data_set_once_confirmed(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    check_may_change_data_set(request.user, data_set)
    question = ConfirmationQuestion(
        f"Withdraw {data_set}?",
        [
            "Nobody sees it any more, and its annotations are deleted. Runs that were made of it stay.",
            UNDONE,
        ],
        "Withdraw",
        reverse("data-set", args=[data_set.pk]),
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    withdraw_data_set(data_set, request.user)
    messages.success(request, f"{data_set} is withdrawn.")
    return redirect("data-sets")


@_data_set_action
def enter_data_set_as_baseline(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    """Enter it on a leaderboard of a challenge that the user organizes."""
    boards = list_boards_to_organize(data_set, request.user)
    if not boards:
        raise PermissionDenied("Only organizers of a challenge enter data sets as baselines.")
    form = BoardForm(boards, None, request.POST)
    if not form.is_valid():
        raise DataSetError("Choose one of the leaderboards in the list.")
    board = form.get_board()
    run = store_data_set_as_baseline(data_set, board.task, board.phase)
    messages.success(request, f"Created: {run}. The scores follow within seconds.")
    return redirect("leaderboard", board.phase.challenge.slug, board.phase.sort, board.task.name)


@_data_set_action
def enter_data_set_as_run(request: HttpRequest, data_set: DataSet) -> HttpResponse:
    """Upload it as a run of a team of its owner."""
    if request.user.pk != data_set.owner_id:
        raise PermissionDenied("Only its owner enters a data set as a run of a team.")
    form = BoardForm(list_boards_to_take_part(data_set, request.user), list_teams(request.user), request.POST)
    if not form.is_valid():
        raise DataSetError("Choose one of the leaderboards and teams in the lists.")
    board = form.get_board()
    upload = upload_data_set_as_run(data_set, board.task, board.phase, form.cleaned_data["team"], request.user)
    return redirect("upload", upload.pk)
