"""URLs of the announcements of a challenge."""

from django.urls import path

from evaluation.challenges.announcements import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

ANNOUNCEMENTS_URL = CHALLENGE_URL + "announcements/"

urlpatterns = [
    path(ANNOUNCEMENTS_URL, views.show_announcements, name="challenge-announcements"),
    path(ANNOUNCEMENTS_URL + "atom.xml", views.download_announcement_feed, name="challenge-announcements-feed"),
    path(ANNOUNCEMENTS_URL + "new/", views.write_announcement, name="challenge-announce"),
    path(
        ANNOUNCEMENTS_URL + "<int:number>/remove/",
        views.remove_announcement_once_confirmed,
        name="challenge-announcement-remove",
    ),
]
