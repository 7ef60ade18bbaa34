"""URLs of the matrix of a phase."""

from django.urls import path

from evaluation.challenges.matrix import views
from evaluation.challenges.url_prefixes import PHASE_URL

urlpatterns = [
    path(PHASE_URL + "matrix/", views.show_server_by_article_matrix, name="phase-matrix"),
    path(PHASE_URL + "matrix/live/", views.poll_matrix, name="phase-matrix-live"),
    path(PHASE_URL + "matrix/resend/", views.resend_unanswered_articles, name="phase-resend"),
]
