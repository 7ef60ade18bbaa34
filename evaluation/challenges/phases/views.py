"""The actions of organizers on a phase: begin, end or freeze it, exclude articles, score runs again."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evaluation.challenges.form_pages import check_form_or_add_messages, organizer_post_action
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.forms import ExcludedArticleForm, PhaseEndForm, ReasonForm
from evaluation.challenges.phases.scored_articles import (
    exclude_article_and_request_rescoring,
    format_public_article_name,
    get_phase_article,
    include_article_and_request_rescoring,
    mark_phase_scores_stale,
)
from servers.teams.permissions import User


def _make_phase_action_with_reason(
    change: Callable[[Phase, User, str], bool], done: str, already: str
) -> Callable[..., HttpResponseBase]:
    """A view that changes a phase for a reason.

    Its message is "The test phase {done}." or, if change returns False, "The test phase is already {already}."
    """

    @organizer_post_action
    def change_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
        form, changed = ReasonForm(request.POST), get_challenge_phase_or_404(challenge, phase)
        if not check_form_or_add_messages(request, form):
            return
        if change(changed, request.user, form.cleaned_data["reason"]):
            messages.success(request, f"The {phase} phase {done}.")
        else:
            messages.info(request, f"The {phase} phase is already {already}.")

    return change_phase


begin_phase = _make_phase_action_with_reason(
    lifecycle.begin_unpublished_phase_early, "is open. The page of the challenge shows the reason", "open"
)
end_phase = _make_phase_action_with_reason(
    lifecycle.end_begun_phase_early, "is over. The page of the challenge shows the reason", "over"
)
freeze_phase = _make_phase_action_with_reason(
    lifecycle.freeze_phase_and_hold_queues, "is frozen. No server is called, and nobody can enter or upload", "frozen"
)


@organizer_post_action
def unfreeze_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    if lifecycle.unfreeze_phase_and_update_queues(get_challenge_phase_or_404(challenge, phase), request.user):
        messages.success(request, f"The {phase} phase continues.")
    else:
        messages.info(request, f"The {phase} phase is not frozen.")


@organizer_post_action
def move_phase_end(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, changed = PhaseEndForm(request.POST), get_challenge_phase_or_404(challenge, phase)
    if check_form_or_add_messages(request, form):
        lifecycle.change_end_of_unpublished_phase(
            changed, form.cleaned_data["closes"], request.user, form.cleaned_data["reason"]
        )
        messages.success(request, f"New end of the {phase} phase saved. The page of the challenge shows the reason.")


@organizer_post_action
def exclude_article_rescoring_runs(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, changed = ExcludedArticleForm(request.POST), get_challenge_phase_or_404(challenge, phase)
    if not check_form_or_add_messages(request, form):
        return
    article = get_phase_article(changed, form.cleaned_data["article"])
    name = format_public_article_name(changed, article)
    if exclude_article_and_request_rescoring(changed, article, request.user, form.cleaned_data["reason"]):
        messages.success(request, f"Article {name} excluded. All runs are scored again.")
    else:
        messages.info(request, f"Article {name} is already excluded.")


@organizer_post_action
def include_article_rescoring_runs(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    changed = get_challenge_phase_or_404(challenge, phase)
    article = get_phase_article(changed, request.POST.get("article", ""))
    name = format_public_article_name(changed, article)
    if include_article_and_request_rescoring(changed, article, request.user):
        messages.success(request, f"Article {name} included. All runs are scored again.")
    else:
        messages.info(request, f"Article {name} is not excluded.")


@organizer_post_action
def request_phase_rescoring(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    mark_phase_scores_stale(get_challenge_phase_or_404(challenge, phase), request.user)
    messages.success(request, f"The runs of the {phase} phase will be scored again in about a minute.")
