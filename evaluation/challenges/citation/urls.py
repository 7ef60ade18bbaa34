"""URL of the files that say how to cite a challenge."""

from django.urls import path

from evaluation.challenges.citation import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL

urlpatterns = [
    path(CHALLENGE_URL + "cite/<slug:form>/", views.download_citation, name="challenge-citation"),
]
