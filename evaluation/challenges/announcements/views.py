"""The page of the announcements of a challenge, their feed, and the organizers' form to write one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_http_methods, require_safe

from bcms.lib.confirmation import ConfirmationQuestion
from evaluation.challenges.announcements.feed import (
    ATOM_TYPE,
    format_announcement_feed,
    list_announcements_of_challenge,
)
from evaluation.challenges.announcements.forms import AnnouncementForm
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement, remove_announcement
from evaluation.challenges.followers.list_pages import render_list_beside_mail_choice
from evaluation.challenges.form_pages import (
    apply_or_add_error,
    organizer_confirmed_action,
    organizer_required,
    render_form_page_or_422,
)
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.models import Challenge

ANNOUNCEMENTS_ON_A_PAGE = 20
FEED_SECONDS = 300


@require_safe
def show_announcements(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    announcements = list_announcements_of_challenge(challenge)
    template = "evaluation/challenges/announcements.html"
    return render_list_beside_mail_choice(request, challenge, announcements, ANNOUNCEMENTS_ON_A_PAGE, template)


@require_safe
def download_announcement_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The feed as everybody reads it; that of a draft, which only its organizers read, is kept nowhere."""
    challenge = get_challenge_or_404(request.user, slug)
    response = HttpResponse(format_announcement_feed(challenge), content_type=ATOM_TYPE)
    if not request.user.is_authenticated:
        patch_cache_control(response, max_age=FEED_SECONDS)
    return response


@organizer_required
@require_http_methods(["GET", "HEAD", "POST"])
def write_announcement(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = AnnouncementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        title, text = form.cleaned_data["title"], form.cleaned_data["text"]
        audience = AnnouncementAudience(form.cleaned_data["audience"])
        if apply_or_add_error(
            form, lambda: publish_announcement(challenge, request.user, title=title, text=text, audience=audience)
        ):
            messages.success(request, "Published. The mails are sent now.")
            return redirect("challenge-announcements", challenge.slug)
    return render_form_page_or_422(request, form, "New announcement", does="Publish and send", challenge=challenge)


def _describe_announcement_removal(challenge: Challenge, number: int) -> ConfirmationQuestion:
    announcement = get_object_or_404(challenge.announcements, pk=number)
    consequences = [
        f"“{announcement.title}” is taken from this page, the feed and notifications.",
        "Mails that were sent cannot be taken back.",
    ]
    back = reverse("challenge-announcements", args=[challenge.slug])
    return ConfirmationQuestion("Remove this announcement?", consequences, "Remove announcement", back)


@organizer_confirmed_action(_describe_announcement_removal)
def remove_announcement_once_confirmed(request: HttpRequest, challenge: Challenge, number: int) -> None:
    remove_announcement(get_object_or_404(challenge.announcements, pk=number))
    messages.success(request, "Announcement removed.")
