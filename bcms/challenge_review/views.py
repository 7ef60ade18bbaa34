"""The pages of reviewers for challenges: those with published results by review state, and the evidence about one."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from bcms.challenge_review.evidence import load_challenge_evidence
from bcms.challenge_review.forms import ChallengeReviewForm
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.models import Challenge
from evaluation.challenges.review.decisions import apply_challenge_decision
from evaluation.challenges.review.queries import count_challenges_by_review, list_challenges_to_review
from servers.review.decisions import check_may_review
from servers.review.states import REVIEW_LABELS, ReviewState


@login_required
@require_safe
def show_challenges_by_review(request: HttpRequest) -> HttpResponse:
    """The challenges that have published something and wait for a review or, with ?state=, those in another state."""
    check_may_review(request.user)
    counts = count_challenges_by_review()
    state = request.GET.get("state") or ReviewState.UNREVIEWED
    if state not in counts:
        raise Http404
    context = {
        "challenges": list_challenges_to_review(ReviewState(state)),
        "state": ReviewState(state),
        "counts": counts,
    }
    return render(request, "evaluation/review/review_list.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_challenge_evidence_or_decide(request: HttpRequest, slug: str) -> HttpResponse:
    """What is known about what a challenge has published; POST accepts or declines it."""
    check_may_review(request.user)
    challenge = get_challenge_or_404(request.user, slug)
    form = ChallengeReviewForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        decision = ReviewState(form.cleaned_data["decision"])
        if apply_challenge_decision(challenge, decision, form.cleaned_data["note"], request.user):
            messages.success(request, f"{challenge} is {REVIEW_LABELS[decision]}. Its organizers are notified.")
        else:
            current = Challenge.objects.values_list("review", flat=True).get(pk=challenge.pk)
            messages.warning(request, f"{challenge} is {current}, so nothing was changed.")
        return redirect("challenge-review-list")
    context = {"challenge": challenge, "evidence": load_challenge_evidence(challenge), "form": form}
    return render(request, "evaluation/review/review.html", context, status=422 if form.errors else 200)
