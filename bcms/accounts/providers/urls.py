"""URLs of log-in by providers; the names with an underscore are those that allauth looks up."""

from django.urls import path

from bcms.accounts.providers import views

urlpatterns = [
    path("login/with/<slug:provider_id>/", views.begin_login, name="provider-login"),
    path("login/with/<slug:provider_id>/callback/", views.finish_process, name="provider-callback"),
    path("signup/with/", views.ProviderSignupView.as_view(), name="socialaccount_signup"),
    path("account/connections/", views.show_connections, name="socialaccount_connections"),
    path("account/connections/<int:connection_id>/remove/", views.remove_connection, name="connection-remove"),
    path("account/connections/with/<slug:provider_id>/", views.begin_connection, name="provider-connect"),
    path("account/again/with/", views.choose_confirmation, name="provider-confirm-choice"),
    path("account/again/with/<slug:provider_id>/", views.begin_confirmation, name="provider-confirm"),
]
