"""URLs that delete a challenge or a corpus of it."""

from django.urls import path

from evaluation.challenges.deletion import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "delete/", views.delete_challenge, name="challenge-delete"),
    path(CHALLENGE_URL + "corpora/<slug:corpus>/delete/", views.delete_corpus, name="challenge-corpus-delete"),
]
