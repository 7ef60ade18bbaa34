"""URLs to upload runs."""

from django.urls import path

from evaluation.challenges.url_prefixes import LEADERBOARD_URL
from evaluation.runs.uploads import views

urlpatterns = [
    path(LEADERBOARD_URL + "runs/", views.show_or_upload_team_runs, name="challenge-runs"),
    path("uploads/<int:pk>/", views.show_upload, name="upload"),
    path("uploads/<int:pk>/live/", views.poll_upload, name="upload-live"),
]
