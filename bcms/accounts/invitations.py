"""Invitations to a team, as those whom they are sent to accept them."""

from allauth.account.adapter import get_adapter
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evaluation.entrants import refuse_as_member
from evaluation.errors import ChallengeError
from servers import membership
from servers.membership import MembershipError


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Where the link in the mail leads: whoever reads it there has shown that the address is theirs."""
    try:
        found = membership.invitation_of(token)
        if request.method == "POST" and request.user.is_authenticated:
            refuse_as_member(found.team, request.user)
            membership.accept(found, request.user)
            messages.success(request, f"You are on {found.team} now.")
            return redirect("team", slug=found.team.slug)
    except (ChallengeError, MembershipError) as error:
        return render(request, "servers/invitation.html", {"error": str(error)}, status=403)
    if not request.user.is_authenticated:
        get_adapter().stash_verified_email(request, found.email)
    mine = request.user.is_authenticated and membership.is_for(found, request.user)
    return render(request, "servers/invitation.html", {"invitation": found, "mine": mine})
