"""URLs of mean ranks."""

from django.urls import path

from evaluation.challenges.url_prefixes import PHASE_URL
from evaluation.leaderboards.mean_ranks import views

urlpatterns = [path(PHASE_URL + "mean-ranks/", views.show_mean_ranks, name="phase-mean-ranks")]
