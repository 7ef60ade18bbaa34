"""URLs of the list of challenges and of the pages of each."""

from django.urls import path

from evaluation.challenges.challenge_page import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path("challenges/", views.show_challenge_list, name="challenge-list"),
    path(CHALLENGE_URL, views.show_challenge, name="challenge"),
    path(CHALLENGE_URL + "data/", views.show_challenge_data, name="challenge-data"),
    path(CHALLENGE_URL + "rules/", views.show_challenge_rules, name="challenge-rules"),
    path(CHALLENGE_URL + "leaderboards/", views.show_challenge_leaderboards, name="challenge-leaderboards"),
]
