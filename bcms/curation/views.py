"""The pages of a curation: begin it, decide on items step by step, finish it."""

import secrets
from collections.abc import Callable
from functools import partial, wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.curation import publishing, session
from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.curation.manuscripts.errors import LinkError
from annotations.curation.models import Curation, Decision
from annotations.curation.states import CurationState, DecisionAction, ItemKind
from bcms.curation.access import get_article_to_curate_or_404, get_own_curation_or_404
from bcms.curation.continuation.known_records import take_over_found_record
from bcms.curation.decision_form import store_decision_of_form
from bcms.curation.interaction_form import cut_passage
from bcms.curation.item_context import build_item_context
from bcms.curation.open_model.annotation_items import OPEN_ITEM_KINDS
from bcms.curation.proposals import load_or_build_candidate_list
from bcms.curation.steps import find_step
from bcms.curation.windows import answer_window_report, open_window
from bcms.curation.workspace import Workspace
from bcms.curation_projects.questionnaires.queries import find_reply
from bcms.curation_projects.recipes import find_recipe_of_curation
from bcms.lib.forms.typed_forms import TypedForm, show_typed_form
from bcms.lib.rest.numbers import parse_positive_int32
from bcms.lib.text import join_line_breaks
from bcms.manuscripts.access import find_curation_of_author, render_link_error
from bcms.manuscripts.news import find_news_for_workspace
from evaluation.curation.sealing import check_record_not_sealed
from evaluation.errors import ChallengeError

# Requests of the script get the changed parts of the page; those of forms are redirected to it.
FRAGMENT_HEADER = "X-Fragment"
# Its value if the decision on an item can be shown by replacing that item alone.
ITEM_FRAGMENT = "item"
# What these actions do changes no other item, and not the order of the list.
ACTIONS_ON_ONE_ITEM = (DecisionAction.ACCEPT, DecisionAction.REJECT, DecisionAction.SKIP)
# Those with a page to add one on.
ITEM_KINDS_ADDED_BY_FORM = (ItemKind.INTERACTION, *OPEN_ITEM_KINDS)
FINISHED = "Finished. Your record is stored; only you see it until it is published."
FINISHED_BLIND = (
    "Finished. Your record is stored, and those who asked for it see that. You can open it again to change it."
)
CurationView = Callable[[HttpRequest, Curation], HttpResponse]


def own_curation_required(view: CurationView) -> Callable[..., HttpResponse]:
    """Pass the curation to the view; 404 for everybody but its curator, or the author who has opened a link to it."""

    @login_required
    def require_curator(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_own_curation_or_404(request.user, pk))

    @wraps(view)
    def guarded(request: HttpRequest, pk: int) -> HttpResponse:
        try:
            curation = find_curation_of_author(request, pk)
        except LinkError as error:
            return render_link_error(request, error)
        return view(request, curation) if curation else require_curator(request, pk)

    return guarded


@require_POST
@login_required
def begin_curation(request: HttpRequest, ident: str) -> HttpResponse:
    """Begin to curate a public article, or go on with it; with continue=1, take over its published record."""
    article = get_article_to_curate_or_404(request.user, ident)
    user = cast(AbstractBaseUser, request.user)
    curator = session.get_or_create_curator(user.pk, user.get_username())
    curation = session.get_or_begin_curation(curator, article)
    return _take_over_record(request, curation) if request.POST.get("continue") else redirect("curation", curation.pk)


def _take_over_record(request: HttpRequest, curation: Curation) -> HttpResponse:
    try:
        take_over_found_record(curation, secrets.token_hex(8), cast(int, request.user.pk), timezone.now())
    except CurationError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('curation', args=[curation.pk])}?step=check")


@require_POST
@login_required
def continue_record(request: HttpRequest, pk: int) -> HttpResponse:
    """Take over the record of the author or colleague that the curation continues, or the published one."""
    return _take_over_record(request, get_own_curation_or_404(request.user, pk))


@never_cache
@require_safe
@own_curation_required
def show_curation(request: HttpRequest, curation: Curation) -> HttpResponse:
    """The page; the script asks for its list alone when servers have answered since."""
    recipe = find_recipe_of_curation(curation)
    candidates = load_or_build_candidate_list(curation.article, recipe) if recipe else None
    if request.headers.get(FRAGMENT_HEADER) and candidates and curation.state == CurationState.OPEN:
        shown = session.show_candidates(curation.pk, candidates, timezone.now())
        return render(request, "curation/_list.html", _build_context(request, shown))
    opened = session.open_curation(curation.pk, candidates, timezone.now())
    context = _build_context(request, opened)
    context |= find_news_for_workspace(opened, find_step(request.GET.get("step", "")).slug)
    if opened.state != CurationState.FINISHED:
        url, user_name = reverse("curation-live", args=[opened.pk]), request.user.get_username()
        context["windows"] = open_window(f"curation-{opened.pk}", url, user_name, timezone.now())
    return render(request, "curation/curation.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@own_curation_required
def report_open_window(request: HttpRequest, curation: Curation) -> HttpResponse:
    """Each window with the curation reports here, and learns of the others."""
    return answer_window_report(request, f"curation-{curation.pk}")


def _build_context(request: HttpRequest, curation: Curation) -> dict[str, object]:
    query = request.GET
    page = parse_positive_int32(query.get("page", "")) or 1
    workspace = Workspace(curation, query.get("step", ""), query.get("kind", ""), page)
    return {"workspace": workspace, "curation": curation, "token": secrets.token_hex(8)}


@require_POST
@own_curation_required
def decide(request: HttpRequest, curation: Curation) -> HttpResponse:
    """Store a decision; the script gets the open list as it is now, a form the page."""
    try:
        decision = store_decision_of_form(curation, request.POST, request.user.pk, timezone.now())
    except CurationError as error:
        curation.refresh_from_db()
        return _show_typed_item(request, curation, error) or _answer_refused(request, curation, error)
    curation.refresh_from_db()
    if _shows_all_but_decision(request, curation, decision):
        return _answer_changed_item(request, curation)
    return _answer_changed(request, curation)


def _shows_all_but_decision(request: HttpRequest, curation: Curation, decision: Decision) -> bool:
    """Whether the page that sent the decision is as the list is now, except for the item that was decided."""
    return (
        request.headers.get(FRAGMENT_HEADER) == ITEM_FRAGMENT
        and decision.action in ACTIONS_ON_ONE_ITEM
        and curation.revision == decision.number == int(request.POST["seen"]) + 1
        and request.GET.get("list", "") == str(curation.candidates_id or "")
        and request.GET.get("kind", "") == request.POST["kind"]
        and len(request.POST.getlist("key")) + len(request.POST.getlist("group")) == 1
    )


def _answer_changed_item(request: HttpRequest, curation: Curation) -> HttpResponse:
    """The head of the list, and the item that was decided."""
    context = _build_context(request, curation)
    key = request.POST.get("group") or request.POST.get("key", "")
    rows = cast(Workspace, context["workspace"]).load_rows_of_item(key)
    return render(request, "curation/_changed_item.html", context | {"rows": rows})


def _answer_changed(request: HttpRequest, curation: Curation) -> HttpResponse:
    if request.headers.get(FRAGMENT_HEADER):
        return render(request, "curation/_list.html", _build_context(request, curation))
    return redirect(f"{reverse('curation', args=[curation.pk])}?{request.GET.urlencode()}")


def _answer_refused(request: HttpRequest, curation: Curation, error: CurationError) -> HttpResponse:
    if not request.headers.get(FRAGMENT_HEADER):
        messages.error(request, str(error))
        return redirect(f"{reverse('curation', args=[curation.pk])}?{request.GET.urlencode()}")
    context = _build_context(request, curation) | {"error": error}
    return render(request, "curation/_list.html", context, status=_choose_status(error))


def _choose_status(error: CurationError) -> int:
    return 409 if isinstance(error, StaleDecisionError) else 422


def _show_typed_item(request: HttpRequest, curation: Curation, error: CurationError) -> HttpResponse | None:
    """Without scripts, the form of an item as it was sent, with its fault; None for what has no page of its own."""
    kind, form = request.POST.get("kind", ""), request.POST
    has_page = kind in ITEM_KINDS_ADDED_BY_FORM or form.get("action") == DecisionAction.EDIT
    is_typed = form.get("action") in (DecisionAction.ADD, DecisionAction.EDIT) and curation.state == CurationState.OPEN
    if request.headers.get(FRAGMENT_HEADER) or not (is_typed and has_page):
        return None
    try:
        context = _build_item_page(request, curation, kind, form.get("group") or form.get("key", ""))
    except CurationError:
        return None
    if not isinstance(error, StaleDecisionError):
        # The next decision is still on what was on screen when this one was typed.
        context |= {"seen": form.get("seen", "")}
    page = render_to_string("curation/item.html", context, request)
    typed = TypedForm(dict(form.lists()), error.field, str(error), partial(cut_passage, curation.article.text))
    filled = show_typed_form(page, "//form[@data-decide]", typed)
    return HttpResponse(filled, status=_choose_status(error))


def _build_item_page(request: HttpRequest, curation: Curation, kind: str, key: str) -> dict[str, object]:
    """The context of an item with its form; CurationError if there is no such item."""
    context = build_item_context(curation, kind, key)
    context |= {"curation": curation, "workspace": Workspace(curation, request.GET.get("step", ""), kind)}
    return context | {"token": secrets.token_hex(8)}


@never_cache
@require_safe
@own_curation_required
def show_item(request: HttpRequest, curation: Curation) -> HttpResponse:
    """The details of an item, with the form to correct it: a part of the page, or a page of its own without scripts."""
    kind, key = request.GET.get("kind", ""), request.GET.get("key", "")
    try:
        context = _build_item_page(request, curation, kind, key)
    except CurationError as error:
        return HttpResponse(str(error), status=404, content_type="text/plain; charset=utf-8")
    is_fragment = bool(request.headers.get(FRAGMENT_HEADER))
    return render(request, "curation/_item.html" if is_fragment else "curation/item.html", context)


@require_POST
@own_curation_required
def finish(request: HttpRequest, curation: Curation) -> HttpResponse:
    seen = parse_positive_int32(request.POST.get("seen", "")) or 0
    nothing_found = bool(request.POST.get("nothing_found"))
    try:
        finished = session.finish_curation(curation.pk, seen, timezone.now(), nothing_found=nothing_found)
    except CurationError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, FINISHED_BLIND if curation.article.blind else FINISHED)
        if finished.arm:
            return redirect("curation-questionnaire", curation.pk)
        if curation.curator.user_id is None and find_reply(curation) is None:
            return redirect(f"{reverse('manuscript', args=[curation.manuscript.pk])}#questionnaire")
    return redirect(f"{reverse('curation', args=[curation.pk])}?step=check")


@require_POST
@own_curation_required
def reopen(request: HttpRequest, curation: Curation) -> HttpResponse:
    try:
        session.reopen_curation(curation.pk, timezone.now())
    except CurationError as error:
        messages.error(request, str(error))
    return redirect("curation", curation.pk)


@require_POST
@own_curation_required
def propose(request: HttpRequest, curation: Curation) -> HttpResponse:
    try:
        check_record_not_sealed(curation)
        publishing.propose_curation(curation.pk, timezone.now())
    except (CurationError, ChallengeError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Proposed. Reviewers see the record now, and you get a mail when they decide.")
    return redirect(f"{reverse('curation', args=[curation.pk])}?step=check")


@require_POST
@own_curation_required
def save_notes(request: HttpRequest, curation: Curation) -> HttpResponse:
    try:
        session.save_notes(curation.pk, join_line_breaks(request.POST.get("notes", "")))
    except CurationError as error:
        if request.headers.get(FRAGMENT_HEADER):
            return HttpResponse(str(error), status=422, content_type="text/plain; charset=utf-8")
        messages.error(request, str(error))
    if request.headers.get(FRAGMENT_HEADER):
        return HttpResponse(status=204)
    return redirect("curation", curation.pk)


@require_POST
@own_curation_required
def report_sight(request: HttpRequest, curation: Curation) -> HttpResponse:
    """The page reports that it is hidden, or visible again."""
    showing = parse_positive_int32(request.POST.get("showing", ""))
    if showing is None:
        raise Http404
    in_sight = request.POST.get("sight") == "in"
    session.set_sight(curation.pk, showing, timezone.now(), in_sight=in_sight)
    return HttpResponse(status=204)
