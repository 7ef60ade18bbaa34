"""Choose what mail to get about a challenge, and the page of the link in mails that ends it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.followers.unsubscribe_links import (
    UnknownChallengeLinkError,
    get_challenge_and_account_to_unsubscribe,
)
from evaluation.challenges.lookup import get_challenge_or_404

UNSUBSCRIBE_TEMPLATE = "evaluation/challenges/unsubscribe.html"


@login_required
@require_POST
def choose_mail(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    choice = MailChoice("announcements" in request.POST, "discussion" in request.POST)
    store_mail_choice(challenge, request.user, choice)
    messages.success(request, _describe_mail_choice(choice))
    return redirect("challenge-discussion" if "from-discussion" in request.POST else "challenge-announcements", slug)


def _describe_mail_choice(choice: MailChoice) -> str:
    kinds = [
        *(["every announcement"] if choice.announcements else []),
        *(["new posts, once a day"] if choice.discussion else []),
    ]
    return f"You get mail about {' and '.join(kinds)}." if kinds else "You get no mail about this challenge."


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_confirm_end_of_challenge_mail(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the unsubscribe link in a mail. GET changes nothing, because virus scanners follow links.

    CSRF-exempt because mail programs send the POST themselves (RFC 8058); the signed token grants the permission.
    """
    try:
        challenge, account = get_challenge_and_account_to_unsubscribe(token)
    except UnknownChallengeLinkError as error:
        return render(request, UNSUBSCRIBE_TEMPLATE, {"error": str(error)}, status=404)
    if request.method == "POST":
        store_mail_choice(challenge, account, MailChoice(announcements=False, discussion=False))
    context = {"challenge": challenge, "account": account, "stopped": request.method == "POST"}
    return render(request, UNSUBSCRIBE_TEMPLATE, context)
