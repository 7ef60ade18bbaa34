"""The action with which organizers list, close or archive a challenge."""

from django.contrib import messages
from django.http import HttpRequest

from evaluation.challenges.form_pages import check_form_or_add_messages, organizer_post_action
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.states.forms import ChallengeStateForm
from evaluation.challenges.states.transitions import change_challenge_state

_OUTCOMES = {
    ChallengeState.DRAFT: "is a draft again. Only its organizers see it.",
    ChallengeState.LISTED: "is listed. Everybody sees it, and teams can take part.",
    ChallengeState.CLOSED: "is closed. Everybody sees it, and nobody can enter servers or upload runs.",
    ChallengeState.ARCHIVED: "is archived. The list of challenges shows it apart.",
}


@organizer_post_action
def set_challenge_state(request: HttpRequest, challenge: Challenge) -> None:
    form = ChallengeStateForm(request.POST)
    if not check_form_or_add_messages(request, form):
        return
    new_state = form.cleaned_data["state"]
    if change_challenge_state(challenge, new_state):
        messages.success(request, f"{challenge} {_OUTCOMES[new_state]}")
    else:
        messages.info(request, f"{challenge} is already {new_state}.")
