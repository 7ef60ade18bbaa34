"""The URL to upload a gold standard."""

from django.urls import path

from evaluation.challenges.url_prefixes import CHALLENGE_URL
from evaluation.gold import views

urlpatterns = [
    path(CHALLENGE_URL + "gold/", views.upload_gold, name="challenge-gold"),
]
