"""URLs of the list of challenges and of the page of each."""

from django.urls import path

from evaluation.challenges.challenge_page import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path("challenges/", views.show_challenge_list, name="challenge-list"),
    path(CHALLENGE_URL, views.show_challenge, name="challenge"),
]
