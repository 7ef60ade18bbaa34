"""allauth's pages of passkeys, where they have to answer otherwise: allauth tells of faults on the page for log-in."""

# allauth has no type information.
# mypy: disallow-subclassing-any=False

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.utils import get_next_redirect_url
from allauth.mfa.webauthn.views import (
    AddWebAuthnView,
    LoginWebAuthnView,
    ReauthenticateWebAuthnView,
    RemoveWebAuthnView,
)
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from bcms.accounts.providers.connections import (
    ProviderConnectionError,
    check_other_way_than_passkey,
    lock_login_methods,
)
from servers.teams.permissions import get_logged_in_user_id


class PasskeyLoginView(LoginWebAuthnView):
    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """For the script, what to ask a passkey; else a page."""
        if get_adapter().is_ajax(request):
            options: HttpResponse = super().get(request, *args, **kwargs)
            return options
        return self._show()

    def form_invalid(self, form: Any) -> HttpResponse:
        return self._show(form, status=422)

    def _show(self, form: Any = None, status: int = 200) -> HttpResponse:
        context = {"form": form, "next": get_next_redirect_url(self.request, REDIRECT_FIELD_NAME)}
        return render(self.request, "mfa/webauthn/login.html", context, status=status)


class PasskeyAgainView(ReauthenticateWebAuthnView):
    def form_invalid(self, form: Any) -> HttpResponse:
        return render(self.request, self.template_name, self.get_context_data(form=form) | {"form": form}, status=422)


class NewPasskeyView(AddWebAuthnView):
    @transaction.atomic
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The form counts the passkeys of the account, so two requests at once would add one too many."""
        lock_login_methods(get_logged_in_user_id(request.user))
        answer: HttpResponse = super().post(request, *args, **kwargs)
        return answer


class RemovePasskeyView(RemoveWebAuthnView):
    def form_valid(self, form: Any) -> HttpResponse:
        try:
            with transaction.atomic():
                check_other_way_than_passkey(self.request.user.pk, self.object.pk)
                removed: HttpResponse = super().form_valid(form)
        except ProviderConnectionError as fault:
            messages.error(self.request, str(fault))
            return redirect("mfa_index")
        return removed
