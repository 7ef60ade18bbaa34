"""The pages of reviewers: the servers to review and the evidence about one. And the team's choice of visibility."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from bcms.server_page.review.evidence import load_review_evidence
from bcms.server_page.review.forms import ReviewForm, VisibilityForm
from evaluation.challenges.review.queries import count_challenges_by_review
from servers.calls.secret_masking import mask_secrets
from servers.registry.lookup import get_server_for_manager, require_logged_in_post
from servers.registry.models import Server
from servers.registry.queries import list_servers_with_live_queue_progress
from servers.review.decisions import apply_review_decision, apply_team_choice, check_may_review
from servers.review.states import REVIEW_LABELS, ReviewState
from servers.review.visible_servers import count_servers_by_review


@login_required
@require_safe
def show_servers_by_review(request: HttpRequest) -> HttpResponse:
    """The servers that wait for a review or, with ?state=, those in another review state."""
    check_may_review(request.user)
    state = request.GET.get("state") or ReviewState.UNREVIEWED
    if state not in set(ReviewState):
        raise Http404
    context = {
        "servers": list_servers_with_live_queue_progress(Server.objects.filter(review=state)),
        "state": ReviewState(state),
        "counts": count_servers_by_review(),
        "waiting_challenges": count_challenges_by_review()[ReviewState.UNREVIEWED],
    }
    return render(request, "servers/review/review_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_evidence_or_decide(request: HttpRequest, slug: str) -> HttpResponse:
    """What is known about a server; POST accepts or declines it."""
    check_may_review(request.user)
    server = get_object_or_404(Server.objects.select_related("team"), slug=slug)
    form = ReviewForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        decision = ReviewState(form.cleaned_data["decision"])
        if apply_review_decision(server, decision, form.cleaned_data["note"], request.user):
            messages.success(request, f"{server} is {REVIEW_LABELS[decision]}. Its team is notified.")
        else:
            current = Server.objects.values_list("review", flat=True).get(pk=server.pk)
            messages.warning(request, f"{server} is {current}, so nothing was changed.")
        return redirect("review-list")
    url = mask_secrets(server.url)
    context = {"server": server, "evidence": load_review_evidence(server), "form": form, "url": url}
    return render(request, "servers/review/review.html", context, status=422 if form.errors else 200)


@require_logged_in_post
def change_visibility(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep a server private, or ask for a review of it, as its team chooses."""
    server = get_server_for_manager(request, slug)
    form = VisibilityForm(request.POST)
    if form.is_valid() and apply_team_choice(server, ReviewState(form.cleaned_data["review"]), request.user):
        messages.success(request, f"{server} is {form.cleaned_data['review']} now.")
    else:
        current = Server.objects.values_list("review", flat=True).get(pk=server.pk)
        messages.warning(request, f"{server} is {current}, so nothing was changed.")
    return redirect("server", slug=slug)
