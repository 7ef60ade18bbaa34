"""URLs of accounts: allauth's views under the names that allauth looks up, and ours."""

from allauth.account import views as account
from allauth.account.decorators import reauthentication_required
from allauth.mfa.base import views as factor
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from django.urls import include, path, re_path, reverse_lazy

from bcms.accounts import views as accounts_views
from bcms.accounts.passkeys.views import NewPasskeyView, PasskeyAgainView, PasskeyLoginView, RemovePasskeyView
from bcms.accounts.views import show_or_accept_invitation_verifying_address

urlpatterns = [
    path("login/", account.login, name="account_login"),
    path("login/", account.login, name="login"),
    path("logout/", account.logout, name="account_logout"),
    path("logout/", account.logout, name="logout"),
    path("signup/", accounts_views.SignupView.as_view(), name="account_signup"),
    path("account/", accounts_views.show_account, name="account"),
    path("account/curator/", accounts_views.edit_curator_profile, name="account-curator"),
    path("account/close/", accounts_views.close_own_account, name="account-close"),
    path("account/tokens/new/", accounts_views.create_api_token_or_show_form, name="token-new"),
    path("account/tokens/<int:token_id>/revoke/", accounts_views.revoke_own_token_if_present, name="token-revoke"),
    path("invitations/<str:token>/", show_or_accept_invitation_verifying_address, name="invitation"),
    path("account/inactive/", account.account_inactive, name="account_inactive"),
    path("account/again/", account.reauthenticate, name="account_reauthenticate"),
    path("account/addresses/", account.email, name="account_email"),
    path("account/confirm/", account.email_verification_sent, name="account_email_verification_sent"),
    re_path(
        r"^account/confirm/(?P<key>[-:\w]+)/$",
        accounts_views.AddressConfirmation.as_view(),
        name="account_confirm_email",
    ),
    path("account/password/", account.password_change, name="account_change_password"),
    path("account/password/set/", reauthentication_required(account.password_set), name="account_set_password"),
    path("account/reset/", account.password_reset, name="account_reset_password"),
    path("account/reset/sent/", account.password_reset_done, name="account_reset_password_done"),
    re_path(
        r"^account/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        account.password_reset_from_key,
        name="account_reset_password_from_key",
    ),
    path("account/reset/done/", account.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("", include("bcms.accounts.providers.urls")),
    path("account/factor/", factor.index, name="mfa_index"),
    path("account/factor/log-in/", factor.authenticate, name="mfa_authenticate"),
    path("account/factor/again/", factor.reauthenticate, name="mfa_reauthenticate"),
    path("account/factor/app/", totp.activate_totp, name="mfa_activate_totp"),
    path("account/factor/app/remove/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path("login/passkey/", PasskeyLoginView.as_view(), name="mfa_login_webauthn"),
    path("account/factor/passkeys/again/", PasskeyAgainView.as_view(), name="mfa_reauthenticate_webauthn"),
    path("account/factor/passkeys/new/", NewPasskeyView.as_view(), name="mfa_add_webauthn"),
    path(
        "account/factor/passkeys/<int:pk>/name/",
        passkeys.EditWebAuthnView.as_view(success_url=reverse_lazy("mfa_index")),
        name="mfa_edit_webauthn",
    ),
    path(
        "account/factor/passkeys/<int:pk>/remove/",
        RemovePasskeyView.as_view(success_url=reverse_lazy("mfa_index")),
        name="mfa_remove_webauthn",
    ),
    path("account/factor/codes/", recovery.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/factor/codes/new/", recovery.generate_recovery_codes, name="mfa_generate_recovery_codes"),
    path("account/factor/codes/file/", recovery.download_recovery_codes, name="mfa_download_recovery_codes"),
]
