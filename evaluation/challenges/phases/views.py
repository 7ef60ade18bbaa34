"""The actions of organizers on a phase: begin, end or freeze it, exclude articles, score runs again."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evaluation.challenges.access import get_challenge_phase_or_404
from evaluation.challenges.form_pages import check_form_or_add_messages, organizer_action
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.phases.forms import ExcludedArticleForm, PhaseEndForm, ReasonForm
from evaluation.challenges.phases.scored_articles import (
    exclude_phase_article,
    format_public_article_name,
    get_phase_article,
    include_phase_article,
    request_rescoring,
)
from evaluation.visibility import User


def make_phase_action_with_reason(
    change: Callable[[Phase, User, str], bool], done: str, already: str
) -> Callable[..., HttpResponseBase]:
    """A view that changes a phase for a reason.

    Its message is "The test phase {done}." or, if change returns False, "The test phase is already {already}."
    """

    @organizer_action
    def change_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
        form, changed = ReasonForm(request.POST), get_challenge_phase_or_404(challenge, phase)
        if not check_form_or_add_messages(request, form):
            return
        if change(changed, request.user, form.cleaned_data["reason"]):
            messages.success(request, f"The {phase} phase {done}.")
        else:
            messages.info(request, f"The {phase} phase is already {already}.")

    return change_phase


begin_phase = make_phase_action_with_reason(
    lifecycle.begin_phase_early, "is open. The page of the challenge shows the reason", "open"
)
end_phase = make_phase_action_with_reason(
    lifecycle.end_phase_early, "is over. The page of the challenge shows the reason", "over"
)
freeze_phase = make_phase_action_with_reason(
    lifecycle.set_phase_frozen, "is frozen. No server is called, and nobody can enter or upload", "frozen"
)


@organizer_action
def unfreeze_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    if lifecycle.clear_phase_frozen(get_challenge_phase_or_404(challenge, phase), request.user):
        messages.success(request, f"The {phase} phase continues.")
    else:
        messages.info(request, f"The {phase} phase is not frozen.")


@organizer_action
def move_phase_end(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, changed = PhaseEndForm(request.POST), get_challenge_phase_or_404(challenge, phase)
    if check_form_or_add_messages(request, form):
        lifecycle.change_phase_end(changed, form.cleaned_data["closes"], request.user, form.cleaned_data["reason"])
        messages.success(request, f"New end of the {phase} phase saved. The page of the challenge shows the reason.")


@organizer_action
def exclude_article(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, changed = ExcludedArticleForm(request.POST), get_challenge_phase_or_404(challenge, phase)
    if not check_form_or_add_messages(request, form):
        return
    article = get_phase_article(changed, form.cleaned_data["article"])
    name = format_public_article_name(changed, article)
    if exclude_phase_article(changed, article, request.user, form.cleaned_data["reason"]):
        messages.success(request, f"Article {name} excluded. All runs are scored again.")
    else:
        messages.info(request, f"Article {name} is already excluded.")


@organizer_action
def include_article(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    changed = get_challenge_phase_or_404(challenge, phase)
    article = get_phase_article(changed, request.POST.get("article", ""))
    name = format_public_article_name(changed, article)
    if include_phase_article(changed, article, request.user):
        messages.success(request, f"Article {name} included. All runs are scored again.")
    else:
        messages.info(request, f"Article {name} is not excluded.")


@organizer_action
def rescore_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    request_rescoring(get_challenge_phase_or_404(challenge, phase), request.user)
    messages.success(request, f"The runs of the {phase} phase will be scored again in about a minute.")
