"""The URLs of the messages of webhooks of servers, teams and challenges."""

from django.urls import path

from bcms.challenge_webhooks import api as challenge_webhooks_api
from servers.notifications.webhooks import api as server_webhooks_api
from servers.teams.webhooks import api as team_webhooks_api

SERVER = "servers/<slug:slug>/deliveries/"
TEAM = "teams/<slug:slug>/deliveries/"
CHALLENGE = "challenges/<slug:slug>/deliveries/"
REPLAY = "<uuid:pk>/replay/"

urlpatterns = [
    path(SERVER, server_webhooks_api.DeliveryList.as_view(), name="api-deliveries"),
    path(SERVER + REPLAY, server_webhooks_api.ReplayDelivery.as_view(), name="api-replay"),
    path(TEAM, team_webhooks_api.TeamDeliveryList.as_view(), name="api-team-deliveries"),
    path(TEAM + REPLAY, team_webhooks_api.ReplayTeamDelivery.as_view(), name="api-team-delivery-replay"),
    path(CHALLENGE, challenge_webhooks_api.ChallengeDeliveryList.as_view(), name="api-challenge-deliveries"),
    path(
        CHALLENGE + REPLAY,
        challenge_webhooks_api.ReplayChallengeDelivery.as_view(),
        name="api-challenge-delivery-replay",
    ),
]
