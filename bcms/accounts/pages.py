"""The account page: who one is here, where each part of it is changed, and the tokens of one's programs."""

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.accounts import tokens
from bcms.accounts.scopes import CHOSEN
from bcms.taking_in import may_send_articles
from evaluation.models import Labeller, PoolJudge
from servers import membership
from servers.models import Membership


class TokenForm(forms.Form):
    name = forms.CharField(
        label="What uses it",
        max_length=100,
        error_messages={"required": "Say what will use the token, so that you know later which one to revoke."},
    )
    scopes = forms.MultipleChoiceField(
        label="Besides reading it may",
        choices=[(scope.value, f"{scope.value}: {scope.label}") for scope in CHOSEN],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="A token opens what is ticked, and never more than you may do yourself.",
    )
    days = forms.TypedChoiceField(
        label="It opens that for",
        choices=[(30, "30 days"), (90, "90 days"), (365, "a year"), ("", "ever, until you revoke it")],
        coerce=int,
        empty_value=None,
        required=False,
        initial=365,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": ""} | kwargs)


@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    context = {
        "addresses": EmailAddress.objects.filter(user=request.user.pk).order_by("-primary", "email"),
        "second_factor": Authenticator.objects.filter(user=request.user.pk, type=Authenticator.Type.TOTP).exists(),
        "memberships": Membership.objects.filter(user=request.user.pk).select_related("team").order_by("team__name"),
        "tokens": tokens.tokens_of(request.user),
        "invitations": membership.invitations_for(request.user),
        "sends_articles": may_send_articles(request.user),
        "labels": Labeller.objects.filter(user=request.user.pk, released__isnull=True).exists(),
        "judging": PoolJudge.objects.filter(user=request.user.pk)
        .select_related("pool__task__challenge", "pool__phase")
        .order_by("pk"),
    }
    return render(request, "account/account.html", context)


@reauthentication_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_token(request: HttpRequest) -> HttpResponse:
    """Makes a token and shows it, this once."""
    form = TokenForm(request.POST or None)
    token = tokens.make(request.user, **form.cleaned_data) if form.is_valid() else ""
    return render(request, "account/new_token.html", {"form": form, "token": token}, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: int) -> HttpResponse:
    tokens.tokens_of(request.user).filter(pk=token_id).delete()
    messages.success(request, "The token is revoked: nothing gets in by it any more.")
    return redirect("account")
