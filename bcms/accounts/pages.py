"""The account page: who one is here, and where each part of it is changed."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from servers import membership
from servers.models import Membership


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    context = {
        "addresses": EmailAddress.objects.filter(user=request.user.pk).order_by("-primary", "email"),
        "second_factor": Authenticator.objects.filter(user=request.user.pk, type=Authenticator.Type.TOTP).exists(),
        "memberships": Membership.objects.filter(user=request.user.pk).select_related("team").order_by("team__name"),
        "invitations": membership.invitations_for(request.user),
    }
    return render(request, "account/account.html", context)
