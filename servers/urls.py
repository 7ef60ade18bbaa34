"""URLs of the pages about servers and teams."""

from django.urls import path

from servers.availability import views as availability_views
from servers.calls.queues.views import run_queue_action
from servers.credentials import views as credentials_views
from servers.inbox import views as inbox_views
from servers.notifications import views as notifications_views
from servers.registry import views as registry_views
from servers.teams import views as teams_views
from servers.teams.webhooks import views as team_webhooks_views

urlpatterns = [
    path("notifications/", inbox_views.show_inbox, name="inbox"),
    path("notifications/read/", inbox_views.mark_inbox_read, name="inbox-read"),
    path("servers/", availability_views.show_server_list, name="server-list"),
    path("servers/<slug:slug>/start/", registry_views.start_server, name="server-start"),
    path("servers/<slug:slug>/new-keys/", registry_views.renew_server_keys, name="server-new-keys"),
    path("servers/<slug:slug>/credentials/", credentials_views.edit_call_credentials, name="server-credentials"),
    path(
        "servers/<slug:slug>/credentials/remove/",
        credentials_views.remove_call_credentials,
        name="server-credentials-remove",
    ),
    path(
        "servers/<slug:slug>/credentials/signing-secret/",
        credentials_views.create_signing_secret_and_show_once,
        name="server-signing-secret",
    ),
    path(
        "servers/<slug:slug>/credentials/signing-secret/remove/",
        credentials_views.remove_signing_secret_of_server,
        name="server-signing-secret-remove",
    ),
    path("servers/<slug:slug>/halt/", registry_views.stop_server_after_call, name="server-stop"),
    path("servers/<slug:slug>/halt-hard/", registry_views.stop_server_now, name="server-stop-now"),
    path("servers/<slug:slug>/queues/<int:queue_id>/<slug:action>/", run_queue_action, name="server-queue"),
    path("servers/<slug:slug>/availability/", availability_views.show_availability, name="server-availability"),
    path("servers/<slug:slug>/badge.svg", availability_views.show_badge, name="server-badge"),
    path("servers/<slug:slug>/maintenance/", availability_views.plan_maintenance, name="server-maintenance"),
    path(
        "servers/<slug:slug>/maintenance/<int:maintenance_id>/end/",
        availability_views.cancel_planned_or_end_running_maintenance,
        name="server-maintenance-end",
    ),
    path("servers/<slug:slug>/remove/", registry_views.remove_unused_stopped_server, name="server-remove"),
    path("servers/<slug:slug>/notifications/", notifications_views.show_notifications, name="server-notifications"),
    path(
        "servers/<slug:slug>/notifications/mail/",
        notifications_views.edit_mail_settings,
        name="server-mail-preferences",
    ),
    path(
        "servers/<slug:slug>/notifications/me/",
        notifications_views.change_own_mail_preference,
        name="server-mail-own-preferences",
    ),
    *notifications_views.server_webhook_pages.make_urls("servers/<slug:slug>/"),
    path("mail/stop/<str:token>/", notifications_views.show_or_confirm_unsubscription, name="mail-unsubscribe"),
    path("teams/new/", teams_views.show_form_or_create_team, name="team-new"),
    path("teams/<slug:slug>/", teams_views.show_team, name="team"),
    path("teams/<slug:slug>/webhooks/", team_webhooks_views.show_team_webhooks, name="team-webhooks"),
    *team_webhooks_views.team_webhook_pages.make_urls("teams/<slug:slug>/"),
    path("teams/<slug:slug>/invite/", teams_views.invite_member, name="team-invite"),
    path("teams/<slug:slug>/withdraw/<int:invitation_id>/", teams_views.withdraw_invitation, name="team-withdraw"),
    path("teams/<slug:slug>/role/<int:user_id>/", teams_views.edit_member_role_unless_last_manager, name="team-role"),
    path("teams/<slug:slug>/remove/<int:user_id>/", teams_views.expel_member_unless_last_manager, name="team-remove"),
    path("teams/<slug:slug>/leave/", teams_views.leave_team_unless_last_manager, name="team-leave"),
    path("teams/<slug:slug>/dissolve/", teams_views.dissolve_team_without_servers_or_runs, name="team-dissolve"),
]
