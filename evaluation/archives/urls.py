"""URLs of the archive of a challenge."""

from django.urls import path

from evaluation.archives import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "archive/", views.show_archive_or_enqueue_discarding_finished_one, name="challenge-archive"),
    path(CHALLENGE_URL + "archive/live/", views.poll_archive, name="challenge-archive-live"),
    path(CHALLENGE_URL + "archive/file/", views.download_archive, name="challenge-archive-file"),
]
