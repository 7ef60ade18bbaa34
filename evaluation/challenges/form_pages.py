"""What the organizers' pages share: the check that the user organizes the challenge, and pages with one form."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from bcms.lib.confirmation import ConfirmationQuestion, ask_unless_confirmed
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer
from evaluation.challenges.models import Challenge
from evaluation.challenges.permissions import can_organize
from evaluation.errors import ChallengeError, SealError
from evaluation.visibility import list_visible_challenges

P = ParamSpec("P")


def organizer_required(
    view: Callable[Concatenate[HttpRequest, Challenge, P], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """Give the view the challenge in the address. Users who do not organize it get 403, visitors the log-in page."""

    @wraps(view)
    @login_required
    def view_for_organizers(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return view(request, get_challenge_or_403_unless_organizer(request.user, slug), *args, **kwargs)

    return view_for_organizers


def organizer_post_action(
    action: Callable[Concatenate[HttpRequest, Challenge, P], None],
) -> Callable[..., HttpResponseBase]:
    """A POST of an organizer: run the action, show its messages or its error, and return to the organizers' page."""

    @organizer_required
    @require_POST
    @wraps(action)
    def post_action(request: HttpRequest, challenge: Challenge, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return _run_action_and_redirect(request, challenge, lambda: action(request, challenge, *args, **kwargs))

    return post_action


def _run_action_and_redirect(request: HttpRequest, challenge: Challenge, action: Callable[[], None]) -> HttpResponse:
    try:
        action()
    except (ChallengeError, SealError) as error:
        messages.error(request, str(error))
    if not list_visible_challenges(request.user).filter(pk=challenge.pk).exists():
        return redirect("challenge-list")
    # Organizers can release themselves, and then may see the public page only.
    organizes = can_organize(request.user, challenge)
    return redirect("challenge-organize" if organizes else "challenge", challenge.slug)


def organizer_confirmed_action(
    describe: Callable[Concatenate[Challenge, P], ConfirmationQuestion],
) -> Callable[[Callable[Concatenate[HttpRequest, Challenge, P], None]], Callable[..., HttpResponseBase]]:
    """An organizer_post_action that asks a second question first. describe: makes the question, or raises the
    ChallengeError that says why the action is not possible.
    """

    def decorate(
        action: Callable[Concatenate[HttpRequest, Challenge, P], None],
    ) -> Callable[..., HttpResponseBase]:
        @organizer_required
        @require_POST
        @wraps(action)
        def confirmed_action(
            request: HttpRequest, challenge: Challenge, /, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponse:
            try:
                page = ask_unless_confirmed(request, describe(challenge, *args, **kwargs))
            except ChallengeError as error:
                messages.error(request, str(error))
                return redirect("challenge-organize", challenge.slug)
            return page or _run_action_and_redirect(
                request, challenge, lambda: action(request, challenge, *args, **kwargs)
            )

        return confirmed_action

    return decorate


def check_form_or_add_messages(request: HttpRequest, form: BaseForm) -> bool:
    """Whether the form is valid; if not, every error becomes a message for the next page."""
    for field, errors in form.errors.items():
        for error in errors:
            messages.error(request, f"{form.fields[field].label or field.capitalize()}: {error}")
    return not form.errors


def apply_or_add_error(form: BaseForm, change: Callable[[], object]) -> bool:
    """Make a change; False if it raised a ChallengeError, which becomes an error of the form."""
    try:
        change()
    except ChallengeError as error:
        form.add_error(None, str(error))
        return False
    return True


def render_form_page_or_422(
    request: HttpRequest,
    form: BaseForm,
    heading: str,
    template: str = "evaluation/challenges/form.html",
    **context: Any,
) -> HttpResponse:
    """A page with one form, with status 422 if it has errors.

    template: one that extends that of all form pages; context: its further variables; `does` is the text of the button
    if it is not the heading, `faults` are the errors of an uploaded file.
    """
    form.label_suffix = ""
    status = 422 if form.errors or context.get("faults") else 200
    return render(request, template, {"form": form, "heading": heading, **context}, status=status)
