"""The pages behind the links of a manuscript: for its author, and for reviewers. They need no account."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.curation.errors import CurationError
from annotations.curation.manuscripts.errors import LinkError, ManuscriptError
from annotations.curation.manuscripts.models import ManuscriptLink
from annotations.curation.manuscripts.progress import (
    add_comment,
    describe_state,
    mark_comment,
    refuse_manuscript,
)
from annotations.curation.manuscripts.states import LinkRole, ManuscriptState
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.session import load_digital_abstract
from bcms.curation.record_view import build_record_view
from bcms.curation.steps import find_step
from bcms.curation_projects.questionnaires.forms import QuestionnaireForm
from bcms.lib.text import join_line_breaks
from bcms.manuscripts.access import get_opened_link_or_404, open_link, render_link_error
from bcms.manuscripts.news import build_news_context
from bcms.manuscripts.questionnaire import NO_ARM, build_questionnaire_context
from bcms.manuscripts.suggestions import read_suggested_entity

LinkView = Callable[..., HttpResponse]


@never_cache
@require_safe
def open_manuscript_link(request: HttpRequest, token: str) -> HttpResponse:
    """Open the manuscript of a link; the token is not in the address of the page that follows."""
    try:
        link = open_link(request, token)
    except LinkError as error:
        return render_link_error(request, error)
    return redirect("manuscript", link.manuscript_id)


def _opened_link_required(view: LinkView) -> Callable[..., HttpResponse]:
    """Pass the link to the view; 404 for everybody who has not opened one of this manuscript."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int, **others: int) -> HttpResponse:
        try:
            return view(request, get_opened_link_or_404(request, pk), **others)
        except LinkError as error:
            return render_link_error(request, error)

    return guarded


@never_cache
@require_safe
@_opened_link_required
def show_manuscript(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    """The author finds the way to the workspace here, reviewers the record; both the comments."""
    return _render_manuscript(request, link)


def _render_manuscript(
    request: HttpRequest,
    link: ManuscriptLink,
    error: ManuscriptError | None = None,
    questionnaire: QuestionnaireForm | None = None,
) -> HttpResponse:
    """The page. error: why a form was refused, whose fields are shown as they were sent. questionnaire: as it was sent,
    with its faults."""
    manuscript = link.manuscript
    abstract = load_digital_abstract(manuscript.curation)
    context = build_news_context(manuscript, LinkRole(link.role)) | {
        "link": link,
        "is_refused": manuscript.state == ManuscriptState.REFUSED,
        "state": describe_state(manuscript, manuscript.curation),
        "record": build_record_view(manuscript.article, abstract, reverse("manuscript", args=[manuscript.pk])),
        "error": error,
        "typed": request.POST if error else {},
    }
    if link.role == LinkRole.AUTHOR:
        context |= build_questionnaire_context(manuscript, questionnaire)
    status = 422 if error or questionnaire else 200
    return render(request, "manuscripts/manuscript.html", context, status=status)


@never_cache
@require_safe
@_opened_link_required
def poll_manuscript(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    """Which servers have answered, keywords and comments; 204 if the page shows them already."""
    in_workspace, step = request.GET.get("in") == "workspace", find_step(request.GET.get("step", "")).slug
    context = build_news_context(link.manuscript, LinkRole(link.role), in_workspace=in_workspace, step=step)
    if request.GET.get("v") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "manuscripts/_news.html", context)


@require_POST
@_opened_link_required
def comment_on_manuscript(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    try:
        is_reviewer = link.role == LinkRole.REVIEWER
        suggested = read_suggested_entity(request.POST.get("identifier", "")) if is_reviewer else None
        text = join_line_breaks(request.POST.get("text", ""))
        add_comment(link, request.POST.get("name", ""), text, suggested)
    except ManuscriptError as error:
        return _render_manuscript(request, link, error)
    return _return_to_page(request, link)


def _return_to_page(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    """Authors also write in the workspace, and go on there."""
    if link.role == LinkRole.AUTHOR and request.POST.get("page") == "workspace":
        return redirect(f"{reverse('curation', args=[link.manuscript.curation_id])}?{request.GET.urlencode()}")
    return redirect("manuscript", link.manuscript_id)


@require_POST
@_opened_link_required
def mark_comment_of_manuscript(request: HttpRequest, link: ManuscriptLink, comment: int) -> HttpResponse:
    """The author marks a comment as done, or as not done."""
    if link.role != LinkRole.AUTHOR:
        return render_link_error(request, LinkError("Only the author marks comments as done."))
    if not mark_comment(link.manuscript, comment, timezone.now(), is_done=request.POST.get("done") == "1"):
        raise Http404
    return _return_to_page(request, link)


@require_POST
@_opened_link_required
def refuse_to_take_part(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    """The author takes no part; reviewers have no such button."""
    if link.role != LinkRole.AUTHOR:
        return render_link_error(request, LinkError("Only the author decides whether to take part."))
    try:
        refuse_manuscript(link.manuscript_id, join_line_breaks(request.POST.get("reason", "")))
    except ManuscriptError as error:
        return _render_manuscript(request, link, error)
    return redirect("manuscript", link.manuscript_id)


@require_POST
@_opened_link_required
def answer_questionnaire_of_author(request: HttpRequest, link: ManuscriptLink) -> HttpResponse:
    """The author answers or skips the questionnaire once, after finishing; reviewers have none."""
    if link.role != LinkRole.AUTHOR:
        return render_link_error(request, LinkError("Only the author answers the questionnaire."))
    form = QuestionnaireForm(NO_ARM, {} if request.POST.get("skip") else request.POST)
    if form.is_valid():
        comment = form.cleaned_data["comment"]
        try:
            store_questionnaire_reply(link.manuscript.curation_id, form.list_answers(), comment, timezone.now())
        except CurationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Skipped." if request.POST.get("skip") else "Thank you for your answers.")
            return redirect("manuscript", link.manuscript_id)
    return _render_manuscript(request, link, questionnaire=form)
