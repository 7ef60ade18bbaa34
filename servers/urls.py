from django.urls import include, path

from servers import buttons, notifications, teams
from servers.availability import views as availability

WEBHOOK = [
    path("", notifications.webhook, name="server-webhook"),
    path("live/", notifications.webhook_live, name="server-webhook-live"),
    path("change/", notifications.change_webhook, name="server-webhook-change"),
    path("switch/", notifications.switch_webhook, name="server-webhook-switch"),
    path("new-secret/", notifications.new_secret, name="server-webhook-secret"),
    path("remove/", notifications.remove_webhook, name="server-webhook-remove"),
    path("test/", notifications.test_webhook, name="server-webhook-test"),
    path("deliveries/<uuid:delivery_id>/replay/", notifications.replay, name="server-webhook-replay"),
]
urlpatterns = [
    path("servers/", availability.server_list, name="server-list"),
    path("servers/<slug:slug>/start/", buttons.start, name="server-start"),
    path("servers/<slug:slug>/new-keys/", buttons.new_keys, name="server-new-keys"),
    path("servers/<slug:slug>/halt/", buttons.halt, name="server-halt"),
    path("servers/<slug:slug>/halt-hard/", buttons.halt_hard, name="server-halt-hard"),
    path("servers/<slug:slug>/queues/<int:queue_id>/<slug:action>/", buttons.queue_action, name="server-queue"),
    path("servers/<slug:slug>/availability/", availability.availability, name="server-availability"),
    path("servers/<slug:slug>/badge.svg", availability.badge, name="server-badge"),
    path("servers/<slug:slug>/maintenance/", availability.plan, name="server-maintenance"),
    path(
        "servers/<slug:slug>/maintenance/<int:maintenance_id>/end/",
        availability.end_maintenance,
        name="server-maintenance-end",
    ),
    path("servers/<slug:slug>/remove/", buttons.remove, name="server-remove"),
    path("servers/<slug:slug>/notifications/", notifications.notifications, name="server-notifications"),
    path("servers/<slug:slug>/notifications/mail/", notifications.choose, name="server-mail"),
    path("servers/<slug:slug>/notifications/me/", notifications.my_mail, name="server-my-mail"),
    path("servers/<slug:slug>/webhooks/new/", notifications.add_webhook, name="server-webhook-add"),
    path("servers/<slug:slug>/webhooks/<int:webhook_id>/", include(WEBHOOK)),
    path("mail/stop/<str:token>/", notifications.mail_stop, name="mail-stop"),
    path("teams/new/", teams.new, name="team-new"),
    path("teams/<slug:slug>/", teams.team, name="team"),
    path("teams/<slug:slug>/invite/", teams.invite, name="team-invite"),
    path("teams/<slug:slug>/withdraw/<int:invitation_id>/", teams.withdraw, name="team-withdraw"),
    path("teams/<slug:slug>/role/<int:user_id>/", teams.change_role, name="team-role"),
    path("teams/<slug:slug>/remove/<int:user_id>/", teams.remove, name="team-remove"),
    path("teams/<slug:slug>/leave/", teams.leave, name="team-leave"),
    path("teams/<slug:slug>/dissolve/", teams.dissolve, name="team-dissolve"),
]
