from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from bcms.api import articles, availability, calls, challenges, deliveries, docs, measures, servers, teams, uploads

urlpatterns = [
    path("", docs.Root.as_view(), name="api-root"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", docs.docs, name="api-docs"),
    path("articles/", uploads.Articles.as_view(), name="api-articles"),
    path("articles/<slug:identifier>/", articles.ArticleDetail.as_view(), name="api-article"),
    path("articles/<slug:identifier>/annotations/", articles.ArticleAnnotations.as_view(), name="api-annotations"),
    path("corpora/", articles.CorpusList.as_view(), name="api-corpora"),
    path("corpora/<slug:slug>/", articles.CorpusDetail.as_view(), name="api-corpus"),
    path("servers/", servers.ServerList.as_view(), name="api-servers"),
    path("servers/<slug:slug>/", servers.ServerDetail.as_view(), name="api-server"),
    path("servers/<slug:slug>/start/", servers.StartServer.as_view(), name="api-server-start"),
    path("servers/<slug:slug>/halt/", servers.HaltServer.as_view(), name="api-server-halt"),
    path("servers/<slug:slug>/halt-hard/", servers.HaltServerHard.as_view(), name="api-server-halt-hard"),
    path(
        "servers/<slug:slug>/availability/",
        availability.ServerAvailability.as_view(),
        name="api-server-availability",
    ),
    path("servers/<slug:slug>/load/", servers.LoadServer.as_view(), name="api-server-load"),
    path(
        "servers/<slug:slug>/queues/<int:queue>/<slug:action>/",
        servers.ActOnQueue.as_view(),
        name="api-server-queue",
    ),
    path("servers/<slug:slug>/calls/", calls.CallList.as_view(), name="api-calls"),
    path("servers/<slug:slug>/attempts/", calls.AttemptList.as_view(), name="api-attempts"),
    path("servers/<slug:slug>/attempts/<int:pk>/", calls.AttemptDetail.as_view(), name="api-attempt"),
    path("servers/<slug:slug>/deliveries/", deliveries.DeliveryList.as_view(), name="api-deliveries"),
    path("servers/<slug:slug>/deliveries/<uuid:pk>/replay/", deliveries.ReplayDelivery.as_view(), name="api-replay"),
    path("teams/", teams.TeamList.as_view(), name="api-teams"),
    path("measures/", measures.MeasureList.as_view(), name="api-measures"),
    path("challenges/", challenges.ChallengeList.as_view(), name="api-challenges"),
    path("challenges/<slug:slug>/", challenges.ChallengeDetail.as_view(), name="api-challenge"),
    path(
        "challenges/<slug:slug>/<slug:phase>/<slug:task>/",
        challenges.Leaderboard.as_view(),
        name="api-leaderboard",
    ),
    path("<path:rest>/", docs.Unknown.as_view(), name="api-unknown"),
]
