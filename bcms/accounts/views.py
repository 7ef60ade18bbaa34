"""Sign-up, the account page with its tokens, the confirmation of addresses, and invitations to teams."""

# allauth has no type information.
# mypy: disallow-untyped-decorators=False, disallow-subclassing-any=False

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.models import EmailAddress
from allauth.account.views import ConfirmEmailView, PasswordResetFromKeyView
from allauth.account.views import SignupView as AllauthSignupView
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User as Account
from django.contrib.auth.views import redirect_to_login
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bcms.accounts import tokens
from bcms.accounts.address_confirmation import (
    ConfirmationStep,
    begin_password_reset,
    discard_password,
    get_confirmation_step,
)
from bcms.accounts.closing import ClosingError, close_account, list_closing_obstacles
from bcms.accounts.curator_profile import build_profile_form, store_profile_if_valid
from bcms.accounts.forms import ClosingForm, TokenForm
from bcms.accounts.providers.adapter import describe_connection
from bcms.accounts.providers.connections import list_connections
from bcms.accounts.second_factors import has_second_factor
from bcms.article_uploads.article_import import can_upload_as_staff_or_organizer
from evaluation.challenges.participants.admission import check_user_organizes_no_challenge_of_team
from evaluation.errors import ChallengeError
from evaluation.labelling.lookup import list_open_labellers
from evaluation.pooling.judges import list_open_judge_roles
from servers.teams.invitations import (
    accept_invitation_and_add_or_promote,
    get_valid_invitation,
    is_invited_at_confirmed_address,
    list_acceptable_invitations_with_tokens,
)
from servers.teams.membership import MembershipError
from servers.teams.models import Membership
from servers.teams.permissions import get_logged_in_user_id


class SignupView(AllauthSignupView):
    def form_valid(self, form: Any) -> HttpResponse:
        """The new account, unless somebody has taken its name since the form was checked."""
        try:
            with transaction.atomic():
                response: HttpResponse = super().form_valid(form)
        except IntegrityError:
            form.add_error("username", get_adapter().validation_error("username_taken"))
            invalid: HttpResponse = self.form_invalid(form)
            return invalid
        return response


@login_required
@require_safe
def show_account(request: HttpRequest) -> HttpResponse:
    """The user's addresses, second factor, teams, invitations, roles and tokens."""
    context = {
        "addresses": EmailAddress.objects.filter(user=request.user.pk).order_by("-primary", "email"),
        "second_factor": has_second_factor(request.user),
        "connections": [describe_connection(each) for each in list_connections(get_logged_in_user_id(request.user))],
        "memberships": Membership.objects.filter(user=request.user.pk).select_related("team").order_by("team__name"),
        "tokens": tokens.list_tokens(request.user),
        "invitations": list_acceptable_invitations_with_tokens(request.user),
        "sends_articles": can_upload_as_staff_or_organizer(request.user),
        "labels": list_open_labellers(request.user).exists(),
        "judging": list_open_judge_roles(request.user)
        .select_related("pool__task__challenge", "pool__phase")
        .order_by("pk"),
    }
    return render(request, "account/account.html", context)


@reauthentication_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def create_api_token_or_show_form(request: HttpRequest) -> HttpResponse:
    """The form for a new token, and the new token itself, which is shown only once."""
    form = TokenForm(request.POST or None)
    token = tokens.create_api_token_including_read_scope(request.user, **form.cleaned_data) if form.is_valid() else ""
    return render(request, "account/new_token.html", {"form": form, "token": token}, status=422 if form.errors else 200)


@login_required
@require_POST
def revoke_own_token_if_present(request: HttpRequest, token_id: int) -> HttpResponse:
    tokens.delete_own_token(request.user, token_id)
    messages.success(request, "The token was revoked. Programs can no longer use it.")
    return redirect("account")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_curator_profile(request: HttpRequest) -> HttpResponse:
    user_id = get_logged_in_user_id(request.user)
    if request.method != "POST":
        return render(request, "account/profile.html", {"form": build_profile_form(user_id)})
    form = store_profile_if_valid(user_id, request.POST)
    if form.is_valid():
        messages.success(request, "Saved.")
        return redirect("account-curator")
    return render(request, "account/profile.html", {"form": form}, status=422)


@reauthentication_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def close_own_account(request: HttpRequest) -> HttpResponse:
    """The page that says what closing the account does, or what to do first; POST with the user name closes it."""
    account = Account.objects.get(pk=get_logged_in_user_id(request.user))
    form = ClosingForm(account.username, request.POST or None)
    obstacles = list_closing_obstacles(account)
    if form.is_valid():
        try:
            close_account(account)
        except ClosingError as error:
            obstacles = error.obstacles
        else:
            logout(request)
            messages.success(request, "Your account is closed.")
            return redirect("home")
    context = {"form": form, "obstacles": obstacles}
    return render(request, "account/close.html", context, status=422 if form.is_bound else 200)


class AddressConfirmation(ConfirmEmailView):
    """The page of the link in a confirmation message, which never makes a stranger's password valid."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        step = get_confirmation_step(self.request, self.object.email_address) if self.object else None
        return context | {"step": step, "log_in_url": redirect_to_login(self.request.path).url}

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        address = self.get_object().email_address
        step = get_confirmation_step(self.request, address)
        if step == ConfirmationStep.LOG_IN:
            return redirect_to_login(self.request.path)
        if step == ConfirmationStep.CONFIRM or not address.can_set_verified():
            confirmed: HttpResponse = super().post(*args, **kwargs)
            return confirmed
        discard_password(address.user)
        super().post(*args, **kwargs)
        uid = begin_password_reset(self.request, address.user)
        return redirect("account_reset_password_from_key", uid, PasswordResetFromKeyView.reset_url_key)


@require_http_methods(["GET", "HEAD", "POST"])
def show_or_accept_invitation_verifying_address(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the link in an invitation, which proves that its reader owns the address."""
    try:
        invitation = get_valid_invitation(token)
        if request.method == "POST" and request.user.is_authenticated:
            check_user_organizes_no_challenge_of_team(invitation.team, request.user)
            accept_invitation_and_add_or_promote(invitation, request.user)
            messages.success(request, f"You are now on {invitation.team}.")
            return redirect("team", slug=invitation.team.slug)
    except (ChallengeError, MembershipError) as error:
        return render(request, "servers/teams/invitation.html", {"error": str(error)}, status=403)
    if not request.user.is_authenticated:
        get_adapter().stash_verified_email(request, invitation.email)
    mine = request.user.is_authenticated and is_invited_at_confirmed_address(invitation, request.user)
    return render(request, "servers/teams/invitation.html", {"invitation": invitation, "mine": mine})
