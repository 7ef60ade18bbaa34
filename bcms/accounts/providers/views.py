"""Log in, sign up, connect and confirm by a provider: the pages before it, and what happens when people are back.

Every log-in begins with a form of this site. Its answer is a page with a link, because browsers do not let a form lead
to another site (form-action of the content security policy). Nothing of what a provider writes is shown on an error.
"""

# allauth has no type information.
# mypy: disallow-untyped-decorators=False, disallow-subclassing-any=False

import logging
import time
from typing import Any
from urllib.parse import urlencode, urlsplit

from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.reauthentication import resume_request
from allauth.account.utils import get_login_redirect_url, get_next_redirect_url
from allauth.core import ratelimit
from allauth.socialaccount.internal import statekit
from allauth.socialaccount.internal.flows.login import complete_login
from allauth.socialaccount.internal.flows.signup import get_pending_signup
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin
from allauth.socialaccount.views import SignupView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User as Account
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from bcms.accounts.providers.adapter import OpenIDProvider, describe_connection, find_provider
from bcms.accounts.providers.code_flow import (
    LoginSecrets,
    build_authorization_url,
    check_answering_issuer,
    make_login_secrets,
    redeem_code,
    was_asked_again,
)
from bcms.accounts.providers.configuration import LoginProvider
from bcms.accounts.providers.connections import ProviderConnectionError, connect, disconnect, list_connections
from bcms.accounts.providers.errors import ProviderError
from bcms.accounts.providers.processes import ProviderProcess
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import get_logged_in_user_id

log = logging.getLogger(__name__)
# Where allauth keeps in the session who has logged in at a provider and has no account.
PENDING_SIGNUP = "socialaccount_sociallogin"


def _get_provider_or_404(provider_id: str) -> LoginProvider:
    provider = find_provider(provider_id=provider_id)
    if provider is None:
        raise Http404
    return provider


@never_cache
@require_POST
def begin_login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Only the site's own form begins a log-in, so that nobody logs others in by a link."""
    provider = _get_provider_or_404(provider_id)
    if request.user.is_authenticated:
        return redirect(get_login_redirect_url(request))
    return _begin_process(request, provider, ProviderProcess.LOG_IN)


@require_POST
@reauthentication_required
@never_cache
def begin_connection(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _begin_process(request, _get_provider_or_404(provider_id), ProviderProcess.CONNECT)


@require_POST
@login_required
@never_cache
def begin_confirmation(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _begin_process(request, _get_provider_or_404(provider_id), ProviderProcess.CONFIRM)


def _begin_process(request: HttpRequest, provider: LoginProvider, process: ProviderProcess) -> HttpResponse:
    """Keep in the session what the answer is compared with, and show the link to the provider."""
    if not ratelimit.consume(request, action="log_in_by_provider"):
        too_many: HttpResponse = ratelimit.respond_429(request)
        return too_many
    login_secrets = make_login_secrets()
    state = OpenIDProvider.build(request, provider).stash_redirect_state(
        request,
        process.value,
        get_next_redirect_url(request),
        nonce=login_secrets.nonce,
        verifier=login_secrets.verifier,
        account=request.user.pk,
        started=time.time(),
    )
    try:
        asks_again = process == ProviderProcess.CONFIRM
        url = build_authorization_url(provider, state, login_secrets, asks_again=asks_again)
    except ProviderError as error:
        return _show_failure(request, provider, error)
    context = {"provider": provider, "url": url, "host": urlsplit(url).hostname, "process": process.value}
    return render(request, "account/providers/leave.html", context)


def _show_failure(request: HttpRequest, provider: LoginProvider, reason: object) -> HttpResponse:
    log.warning("Log-in by %s failed: %s", provider.id, reason)
    return render(request, "account/providers/failed.html", {"provider": provider}, status=400)


@never_cache
@require_GET
def finish_process(request: HttpRequest, provider_id: str) -> HttpResponse:
    """The address to which the provider sends people back. Each state is good for one answer of one provider."""
    provider = _get_provider_or_404(provider_id)
    state = statekit.unstash_state(request, provider_id=provider.issuer, state_id=request.GET.get("state", ""))
    if state is None or state["account"] != request.user.pk:
        return _show_failure(request, provider, "the answer belongs to no log-in of this session")
    try:
        check_answering_issuer(provider, request.GET)
        if "error" in request.GET:
            return _show_refusal(request, provider)
        claims = redeem_code(provider, request.GET.get("code", ""), LoginSecrets(state["nonce"], state["verifier"]))
    except ProviderError as error:
        return _show_failure(request, provider, error)
    login = OpenIDProvider.build(request, provider).sociallogin_from_response(request, claims)
    return FINISHERS[ProviderProcess(state["process"])](request, provider, state, claims, login)


def _show_refusal(request: HttpRequest, provider: LoginProvider) -> HttpResponse:
    if request.GET["error"] == "access_denied":
        return render(request, "account/providers/cancelled.html", {"provider": provider})
    return _show_failure(request, provider, "the provider answers with an error")


def _finish_login(
    request: HttpRequest, provider: LoginProvider, state: dict[str, Any], claims: dict[str, Any], login: SocialLogin
) -> HttpResponse:
    login.state = {"process": "login", "next": state.get("next")}
    response: HttpResponse = complete_login(request, login)
    return response


def _finish_connection(
    request: HttpRequest, provider: LoginProvider, state: dict[str, Any], claims: dict[str, Any], login: SocialLogin
) -> HttpResponse:
    try:
        connect(get_logged_in_user_id(request.user), login)
    except ProviderConnectionError as fault:
        messages.error(request, str(fault))
    else:
        messages.success(request, f"Connected. You can now log in with {provider.name}.")
    return redirect("socialaccount_connections")


def _finish_confirmation(
    request: HttpRequest, provider: LoginProvider, state: dict[str, Any], claims: dict[str, Any], login: SocialLogin
) -> HttpResponse:
    """Go on with what the person had to confirm for, if they have just logged in there as who is connected."""
    connections = list_connections(get_logged_in_user_id(request.user))
    if not connections.filter(provider=provider.issuer, uid=login.account.uid).exists():
        return _refuse_confirmation(request, provider, "somebody else has confirmed")
    if not was_asked_again(claims, state["started"], time.time()):
        return _refuse_confirmation(request, provider, "the provider has not asked again")
    record_authentication(
        request, request.user, "socialaccount", provider=provider.issuer, uid=login.account.uid, reauthenticated=True
    )
    next_url = state.get("next") or get_login_redirect_url(request)
    # allauth looks there for the page to go on with.
    request.GET = QueryDict(urlencode({"next": next_url}))
    return resume_request(request) or redirect(next_url)


def _refuse_confirmation(request: HttpRequest, provider: LoginProvider, reason: str) -> HttpResponse:
    """Record it, as a wrong password: somebody may have found an open session."""
    account = Account.objects.get(pk=get_logged_in_user_id(request.user))
    record_audit_event(AuditAction.ACCOUNT_LOGIN_FAILED, f"{provider.name} to confirm", reason=reason, person=account)
    return _show_failure(request, provider, reason)


FINISHERS = {
    ProviderProcess.LOG_IN: _finish_login,
    ProviderProcess.CONNECT: _finish_connection,
    ProviderProcess.CONFIRM: _finish_confirmation,
}


@login_required
@never_cache
@require_safe
def choose_confirmation(request: HttpRequest) -> HttpResponse:
    """The providers by which an account without password and second factor confirms who they are."""
    issuers = set(list_connections(get_logged_in_user_id(request.user)).values_list("provider", flat=True))
    shown = [provider for provider in settings.LOGIN_PROVIDERS if provider.issuer in issuers]
    context = {"shown": shown, "next": get_next_redirect_url(request)}
    return render(request, "account/providers/confirm.html", context)


@login_required
@require_safe
def show_connections(request: HttpRequest) -> HttpResponse:
    connections = list(list_connections(get_logged_in_user_id(request.user)))
    for connection in connections:
        connection.provider_name = describe_connection(connection)
    context = {"connections": connections, "connected_issuers": {each.provider for each in connections}}
    return render(request, "account/providers/connections.html", context)


@require_POST
@reauthentication_required
def remove_connection(request: HttpRequest, connection_id: int) -> HttpResponse:
    try:
        name = disconnect(get_logged_in_user_id(request.user), connection_id)
    except ProviderConnectionError as fault:
        messages.error(request, str(fault))
    except SocialAccount.DoesNotExist:
        raise Http404 from None
    else:
        messages.success(request, f"{name} is disconnected. You can no longer log in with it.")
    return redirect("socialaccount_connections")


class ProviderSignupView(SignupView):
    """The form of a new account after a log-in at a provider with which no account is connected."""

    template_name = "account/providers/signup.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form; the other one for who has logged in at no provider, or at one that the site has no more."""
        try:
            has_logged_in = get_pending_signup(request) is not None
        except SocialApp.DoesNotExist:
            has_logged_in = False
        if not has_logged_in:
            return redirect("account_signup")
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        """The new account, unless the person was connected meanwhile, in another browser, or the name taken."""
        pending = self.request.session[PENDING_SIGNUP]
        try:
            with transaction.atomic():
                response: HttpResponse = super().form_valid(form)
        except IntegrityError:
            person = self.sociallogin.account
            if SocialAccount.objects.filter(provider=person.provider, uid=person.uid).exists():
                messages.error(self.request, "There is an account for you already. Log in.")
                return redirect("login")
            self.request.session[PENDING_SIGNUP] = pending
            form.add_error("username", get_adapter().validation_error("username_taken"))
            return self.form_invalid(form)
        return response

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = 422
        return response
