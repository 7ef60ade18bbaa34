"""The URL of the dry run of a challenge."""

from django.urls import path

from evaluation.challenges.dry_run import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "dry-run/", views.show_dry_run, name="challenge-dry-run"),
]
