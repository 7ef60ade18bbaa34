"""URLs of challenges as files and as copies."""

from django.urls import path

from bcms.challenge_definitions import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path("challenges/new/from-file/", views.add_challenge_from_file, name="challenge-new-from-file"),
    path(CHALLENGE_URL + "copy/", views.add_copy_of_challenge, name="challenge-copy"),
    path(CHALLENGE_URL + "definition/", views.download_definition, name="challenge-definition"),
]
