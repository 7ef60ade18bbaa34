from django.urls import path

from servers import buttons, views

urlpatterns = [
    path("servers/", views.server_list, name="server-list"),
    path("servers/register/", views.register, name="server-register"),
    path("servers/<slug:slug>/edit/", views.edit, name="server-edit"),
    path("servers/<slug:slug>/start/", buttons.start, name="server-start"),
    path("servers/<slug:slug>/halt/", buttons.halt, name="server-halt"),
    path("servers/<slug:slug>/halt-hard/", buttons.halt_hard, name="server-halt-hard"),
    path("servers/<slug:slug>/retry/<int:queue_id>/", buttons.retry_failed, name="server-retry"),
    path("teams/<slug:slug>/", views.team, name="team"),
]
