"""URLs for teams that take part in a challenge, and for their approval."""

from django.urls import path

from evaluation.challenges.participants import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL, PHASE_URL

urlpatterns = [
    path(CHALLENGE_URL + "participants/", views.show_participants_or_change_listing, name="challenge-participants"),
    path(CHALLENGE_URL + "join/", views.accept_terms_and_request_participation, name="challenge-join"),
    path(CHALLENGE_URL + "approve/", views.approve_team, name="challenge-team-approve"),
    path(CHALLENGE_URL + "disapprove/", views.revoke_team_approval, name="challenge-team-disapprove"),
    path(PHASE_URL + "enter/", views.enter_server_in_phase, name="phase-enter"),
    path(PHASE_URL + "load/", views.add_phase_articles_to_queue, name="phase-load"),
    path(PHASE_URL + "articles/", views.show_article_download_page, name="phase-articles"),
    path(PHASE_URL + "articles/<slug:form>/", views.download_phase_articles, name="phase-articles-file"),
]
