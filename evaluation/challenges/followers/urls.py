"""URLs to choose mail about a challenge, and to end it."""

from django.urls import path

from evaluation.challenges.followers import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "mail/", views.choose_mail, name="challenge-mail"),
    path(
        "mail/challenges/<str:token>/",
        views.show_or_confirm_end_of_challenge_mail,
        name="challenge-mail-unsubscribe",
    ),
]
