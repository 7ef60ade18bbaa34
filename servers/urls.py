from django.urls import path

from servers import buttons, views

urlpatterns = [
    path("servers/", views.server_list, name="server-list"),
    path("servers/register/", views.register, name="server-register"),
    path("servers/<slug:slug>/edit/", views.edit, name="server-edit"),
    path("servers/<slug:slug>/start/", buttons.start, name="server-start"),
    path("servers/<slug:slug>/halt/", buttons.halt, name="server-halt"),
    path("servers/<slug:slug>/halt-hard/", buttons.halt_hard, name="server-halt-hard"),
    path("servers/<slug:slug>/queues/<int:queue_id>/<slug:action>/", buttons.queue_action, name="server-queue"),
    path("teams/<slug:slug>/", views.team, name="team"),
]
