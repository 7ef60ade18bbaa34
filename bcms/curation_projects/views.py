"""The pages of curation projects for their owners and curators, and the worklist of a curator."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.curation.errors import CurationError
from annotations.curation.projects.assignment import assign_article, list_active_curators
from annotations.curation.projects.models import CurationProject, ProjectHelp
from bcms.curation.access import get_own_curation_or_404
from bcms.curation.bulk.acceptance import accept_consensus
from bcms.curation_projects import management
from bcms.curation_projects.access import (
    ProjectRights,
    check_may_curate,
    check_may_manage,
    get_curation_to_hand_over_or_404,
    get_visible_project_or_404,
    list_visible_projects,
    load_project_rights,
)
from bcms.curation_projects.forms import (
    AcceptanceForm,
    AssignmentForm,
    HandOverForm,
    ProjectForm,
    ProjectHandOverForm,
    ProjectPersonForm,
    SplitForm,
)
from bcms.curation_projects.outcomes.article_comparison import get_project_article_or_404
from bcms.curation_projects.queries import list_projects_newest_first, load_project_progress
from bcms.curation_projects.worklist import ORDER_LABELS, WorklistOrder, load_worklist
from bcms.lib.rest.numbers import parse_positive_int32
from evaluation.errors import ChallengeError


@dataclass(frozen=True, slots=True)
class OpenProject:
    """A project with what the reader may do in it."""

    project: CurationProject
    rights: ProjectRights


ProjectView = Callable[[HttpRequest, OpenProject], HttpResponse]


def get_open_project_or_404(request: HttpRequest, pk: int) -> OpenProject:
    project = get_visible_project_or_404(request.user, pk)
    return OpenProject(project, load_project_rights(request.user, project))


def get_account(request: HttpRequest) -> AbstractBaseUser:
    """The account of a request that needs one."""
    return cast(AbstractBaseUser, request.user)


def project_action(view: ProjectView) -> Callable[..., HttpResponse]:
    """A POST on a project; its errors are shown on the page of the project."""

    @wraps(view)
    @login_required
    @require_POST
    def guarded(request: HttpRequest, pk: int) -> HttpResponse:
        opened = get_open_project_or_404(request, pk)
        try:
            return view(request, opened)
        except (CurationError, ChallengeError) as error:
            messages.error(request, str(error))
            return redirect("curation-project", pk)

    return guarded


@never_cache
@login_required
@require_safe
def show_worklist(request: HttpRequest) -> HttpResponse:
    order = request.GET.get("order", "")
    chosen = WorklistOrder(order) if order in list(WorklistOrder) else WorklistOrder.GIVEN
    pk = parse_positive_int32(request.GET.get("project", ""))
    project = get_visible_project_or_404(request.user, pk) if pk else None
    rights = load_project_rights(request.user, project) if project else None
    if rights is not None and rights.curator is None:
        raise Http404
    worklist = load_worklist(request.user, chosen, project)
    projects = list(list_projects_newest_first(list_visible_projects(request.user)))
    context = {
        "worklist": worklist,
        "projects": projects,
        "project": project,
        "is_new": not (projects or worklist.unfinished or worklist.finished),
        "order": chosen,
        "orders": ORDER_LABELS.items(),
    }
    return render(request, "curation_projects/worklist.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def create_project_from_form(request: HttpRequest) -> HttpResponse:
    initial = {"corpus": request.GET.get("corpus", "")}
    form = ProjectForm(request.user, request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        values = form.cleaned_data
        values["help"] = ProjectHelp(values["help"])
        try:
            project = management.create_project(get_account(request), **values)
        except CurationError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        else:
            return redirect("curation-project", project.pk)
    return render(request, "curation_projects/new.html", {"form": form}, status=422 if form.errors else 200)


@never_cache
@login_required
@require_safe
def show_project(request: HttpRequest, pk: int) -> HttpResponse:
    """For its curators the guideline and their work; for others how far everybody is, and what to do next."""
    opened = get_open_project_or_404(request, pk)
    project, rights = opened.project, opened.rights
    context: dict[str, object] = {"project": project, "rights": rights}
    if rights.manage or rights.read:
        context["progress"] = load_project_progress(project)
    if rights.manage:
        curators = list_active_curators(project)
        context |= {
            "person_form": ProjectPersonForm(label_suffix="", auto_id="curator-%s"),
            "adjudicator_form": ProjectPersonForm(label_suffix="", auto_id="adjudicator-%s"),
            "adjudicators": list(project.adjudicators.order_by("username").values_list("username", flat=True)),
            "split_form": SplitForm(label_suffix=""),
            "assignment_form": AssignmentForm(curators, auto_id="assignment-%s"),
            "hand_over_form": ProjectHandOverForm(project.curators.order_by("pk"), curators, auto_id="hand-over-%s"),
        }
    return render(request, "curation_projects/project.html", context)


def get_valid_form_data(form: BaseForm) -> dict[str, object]:
    """The data of a form on a page with several; CurationError with its first fault."""
    if not form.is_valid():
        name, faults = next(iter(form.errors.items()))
        label = form.fields[name].label if name in form.fields else None
        raise CurationError(f"{label or name.capitalize()}: {faults[0]}", name)
    return dict(form.cleaned_data)


@project_action
def add_project_curator(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    person = cast(AbstractBaseUser, get_valid_form_data(ProjectPersonForm(request.POST))["person"])
    curator = management.add_curator(opened.project, person)
    messages.success(request, f"{curator.user} can now curate in this project, and has been notified by mail.")
    return redirect("curation-project", opened.project.pk)


@project_action
def remove_project_curator(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    curator = management.remove_curator(
        opened.project, parse_positive_int32(request.POST.get("curator", "")) or 0, timezone.now()
    )
    messages.success(request, f"{curator.user} no longer curates in this project. What they began or finished stays.")
    return redirect("curation-project", opened.project.pk)


@project_action
def leave_project(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    management.leave_project(opened.project, opened.rights.curator, timezone.now())
    messages.success(request, f"You have left {opened.project}. What you finished stays there.")
    return redirect("curation-worklist")


@project_action
def add_project_adjudicator(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    person = cast(AbstractBaseUser, get_valid_form_data(ProjectPersonForm(request.POST))["person"])
    management.add_adjudicator(opened.project, person)
    messages.success(request, f"{person.get_username()} can now decide on the outcome of this project.")
    return redirect("curation-project", opened.project.pk)


@project_action
def split_project_corpus(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    form = SplitForm(request.POST)
    get_valid_form_data(form)
    number = management.split_corpus(opened.project, form.cleaned_data["overlap"], form.cleaned_data["seed"])
    messages.success(request, f"{number:,} article{'s are' if number != 1 else ' is'} assigned.")
    return redirect("curation-project", opened.project.pk)


@project_action
def assign_project_article(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    form = AssignmentForm(list_active_curators(opened.project), request.POST)
    get_valid_form_data(form)
    article = get_project_article_or_404(opened.project, form.cleaned_data["article"])
    curation = assign_article(opened.project, article, form.cleaned_data["curator"].pk)
    messages.success(request, f"Assigned to {curation.curator.user}.")
    return redirect("curation-project", opened.project.pk)


@project_action
def hand_over_project_article(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    """The owner gives an unfinished article of one curator to another, in experiments too."""
    check_may_manage(opened.rights)
    curators = opened.project.curators.order_by("pk")
    form = ProjectHandOverForm(curators, list_active_curators(opened.project), request.POST)
    get_valid_form_data(form)
    article = get_project_article_or_404(opened.project, form.cleaned_data["article"])
    curation = management.find_curation_to_hand_over(form.cleaned_data["curator"], article)
    handed = management.hand_over(curation.pk, form.cleaned_data["colleague"].pk, timezone.now())
    messages.success(request, f"Handed over to {handed.curator.user}.")
    return redirect("curation-project", opened.project.pk)


@project_action
def take_project_article(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    """A curator takes an article that nobody curates, and begins."""
    check_may_curate(opened.rights)
    article = get_project_article_or_404(opened.project, request.POST.get("article", ""))
    return redirect("curation", management.take_article(opened.project, opened.rights.curator, article).pk)


@project_action
def close_or_open_project(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_manage(opened.rights)
    management.set_closed(opened.project, timezone.now(), closed=request.POST.get("closed") == "1")
    return redirect("curation-project", opened.project.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def hand_over_curation(request: HttpRequest, pk: int) -> HttpResponse:
    """The curator of an unfinished curation, or who manages its project, gives it to a colleague."""
    curation = get_curation_to_hand_over_or_404(request.user, pk)
    colleagues = list_active_curators(cast(CurationProject, curation.curator.project)).exclude(pk=curation.curator_id)
    form = HandOverForm(colleagues, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            handed = management.hand_over(curation.pk, form.cleaned_data["curator"].pk, timezone.now())
        except CurationError as error:
            form.add_error("curator", str(error))
        else:
            messages.success(request, f"{handed.curator.user} goes on with it; your decisions stay yours.")
            return redirect("curation-worklist")
    context = {"form": form, "curation": curation, "has_colleagues": colleagues.exists()}
    return render(request, "curation_projects/hand_over.html", context, status=422 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def accept_consensus_by_rule(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept everything that a rule keeps, as one decision."""
    curation = get_own_curation_or_404(request.user, pk)
    form = AcceptanceForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        token = request.POST.get("token", "")[:36] or secrets.token_hex(8)
        seen = parse_positive_int32(request.POST.get("seen", "")) or 0
        user_id = get_account(request).pk
        try:
            decision = accept_consensus(curation, form.build_rule(), seen, token, user_id, timezone.now())
        except CurationError as error:
            form.add_error(error.field if error.field in form.fields else None, str(error))
        else:
            number = decision.items.count()
            messages.success(request, f"{number:,} item{'s' * (number != 1)} accepted. Undo takes all of them back.")
            return redirect("curation", curation.pk)
    context = {"form": form, "curation": curation, "token": secrets.token_hex(8)}
    return render(request, "curation_projects/accept.html", context, status=422 if form.errors else 200)
