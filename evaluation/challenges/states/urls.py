"""The URL that changes the state of a challenge."""

from django.urls import path

from evaluation.challenges.states import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "state/", views.set_challenge_state, name="challenge-state"),
]
