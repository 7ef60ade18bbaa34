"""The pages on what the curators of a project agree on, and what its outcome is."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotations.curation.errors import CurationError, StaleDecisionError
from annotations.formats.errors import RefusedFileError
from bcms.curation.windows import answer_window_report, open_window
from bcms.curation_projects import management
from bcms.curation_projects.access import check_may_decide, check_may_read
from bcms.curation_projects.forms import OutcomeGoldForm
from bcms.curation_projects.outcomes.article_comparison import (
    RecordComparison,
    check_not_curating_article,
    get_project_article_or_404,
    load_article_comparison,
    parse_choices,
)
from bcms.curation_projects.outcomes.gold_choices import list_consequences_of_gold, list_gold_choices
from bcms.curation_projects.queries import load_project_outcome
from bcms.curation_projects.views import OpenProject, get_account, get_open_project_or_404, project_action
from bcms.lib.confirmation import ConfirmationQuestion, ask_unless_confirmed
from evaluation.curation.gold import count_undecided_articles
from evaluation.errors import ChallengeError

CONFLICTS_PER_PAGE = 50


@never_cache
@login_required
@require_safe
def show_outcome(request: HttpRequest, pk: int) -> HttpResponse:
    """Agreement, the articles on which curators differ, and what can become a gold standard."""
    opened = get_open_project_or_404(request, pk)
    check_may_read(opened.rights)
    outcome = load_project_outcome(opened.project, request.user)
    choices = list_gold_choices(opened.project, request.user) if opened.rights.manage else []
    context = {
        "project": opened.project,
        "rights": opened.rights,
        "outcome": outcome,
        "page": Paginator(outcome.conflicts, CONFLICTS_PER_PAGE).get_page(request.GET.get("page")),
        "undecided": count_undecided_articles(opened.project),
        "gold_form": OutcomeGoldForm([(choice.value, choice.label) for choice in choices]) if choices else None,
    }
    return render(request, "curation_projects/outcome.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def adjudicate_article(request: HttpRequest, pk: int, ident: str) -> HttpResponse:
    """The records of an article side by side; POST stores what was chosen."""
    opened = get_open_project_or_404(request, pk)
    check_may_read(opened.rights)
    article = get_project_article_or_404(opened.project, ident)
    try:
        comparison = load_article_comparison(opened.project, article, request.user)
    except CurationError as error:
        messages.error(request, str(error))
        return redirect("curation-project-outcome", pk)
    if request.method != "POST":
        return _render_comparison(request, opened, comparison, ident)
    check_may_decide(opened.rights)
    try:
        choices = parse_choices(comparison.items, request.POST)
        shown, user = request.POST.get("shown", ""), get_account(request)
        management.decide_outcome(opened.project, article.pk, choices, shown, user, timezone.now())
    except CurationError as error:
        status = 409 if isinstance(error, StaleDecisionError) else 422
        return _render_comparison(request, opened, comparison, ident, error, status)
    messages.success(request, "The outcome is stored.")
    return redirect("curation-project-outcome", pk)


def _render_comparison(
    request: HttpRequest,
    opened: OpenProject,
    comparison: RecordComparison,
    ident: str,
    error: CurationError | None = None,
    status: int = 200,
) -> HttpResponse:
    """With what was chosen, if it could not be stored."""
    rows = [(row, request.POST.get(f"item-{row.number}", "")) for row in comparison.differing]
    # Who only reads is no danger to what others decide.
    windows = (
        open_window(
            _name_work(opened, comparison.article.pk),
            reverse("curation-project-article-live", args=[opened.project.pk, ident]),
            get_account(request).get_username(),
            timezone.now(),
        )
        if opened.rights.decide
        else None
    )
    context = {
        "project": opened.project,
        "rights": opened.rights,
        "windows": windows,
        "comparison": comparison,
        "differing": rows,
        "ident": ident,
        "error": error,
    }
    return render(request, "curation_projects/comparison.html", context, status=status)


def _name_work(opened: OpenProject, article_id: int) -> str:
    return f"outcome-{opened.project.pk}-{article_id}"


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def report_open_comparison(request: HttpRequest, pk: int, ident: str) -> HttpResponse:
    """Each window in which an adjudicator has the article open reports here, and learns of the others."""
    opened = get_open_project_or_404(request, pk)
    check_may_decide(opened.rights)
    article = get_project_article_or_404(opened.project, ident)
    check_not_curating_article(opened.project, article, request.user)
    return answer_window_report(request, _name_work(opened, article.pk))


@project_action
def accept_agreed(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    check_may_decide(opened.rights)
    accepted, left = management.accept_agreed(opened.project, get_account(request), timezone.now())
    more = f" {left:,} more can be taken over; repeat this for the next ones." if left else ""
    messages.success(request, f"{accepted:,} article{'s' * (accepted != 1)} taken over.{more}")
    return redirect("curation-project-outcome", opened.project.pk)


@project_action
def make_outcome_gold(request: HttpRequest, opened: OpenProject) -> HttpResponse:
    """Ask once, saying who sees what afterwards, then make the outcome the gold standard."""
    choices = {choice.value: choice for choice in list_gold_choices(opened.project, request.user)}
    if not opened.rights.manage or not choices:
        raise PermissionDenied("Only an owner who organizes a challenge with this corpus makes the outcome its gold.")
    choice = choices.get(request.POST.get("task", ""))
    if choice is None:
        raise CurationError("Choose one of the tasks and phases in the list.")
    question = ConfirmationQuestion(
        f"Make the outcome the gold standard of {choice.label}?",
        list_consequences_of_gold(choice),
        "Make gold standard",
        reverse("curation-project-outcome", args=[opened.project.pk]),
        hidden={"task": choice.value},
    )
    if (page := ask_unless_confirmed(request, question)) is not None:
        return page
    try:
        gold = management.make_gold(opened.project, choice.task, choice.phase)
    except RefusedFileError as error:
        raise ChallengeError(f"The outcome is not a valid gold standard: {error.faults[0]}") from error
    state = "sealed" if gold.producer_id is None else "stored"
    messages.success(request, f"The outcome is the gold standard of {choice.label}; it is {state}.")
    return redirect("curation-project", opened.project.pk)
