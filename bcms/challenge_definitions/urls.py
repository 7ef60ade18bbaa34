"""URLs of challenges as files and as copies."""

from django.urls import path

from bcms.challenge_definitions import views
from bcms.draft_archives import views as archive_views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path("challenges/new/from-file/", views.add_challenge_from_file, name="challenge-new-from-file"),
    path("challenges/new/from-file/<int:pk>/", archive_views.show_draft_archive, name="challenge-draft-archive"),
    path(
        "challenges/new/from-file/<int:pk>/live/", archive_views.poll_draft_archive, name="challenge-draft-archive-live"
    ),
    path(CHALLENGE_URL + "copy/", views.add_copy_of_challenge, name="challenge-copy"),
    path(CHALLENGE_URL + "definition/", views.download_definition, name="challenge-definition"),
]
