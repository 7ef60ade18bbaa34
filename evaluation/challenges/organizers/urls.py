"""URLs of the organizers' page of a challenge, and to add and remove organizers."""

from django.urls import path

from evaluation.challenges.organizers import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL, PHASE_URL

urlpatterns = [
    path(CHALLENGE_URL + "organize/", views.show_organizer_dashboard, name="challenge-organize"),
    path(CHALLENGE_URL + "appoint/", views.appoint_organizer, name="challenge-organizer-add"),
    path(CHALLENGE_URL + "release/", views.release_organizer, name="challenge-organizer-remove"),
    path(PHASE_URL + "mapping/", views.download_opaque_id_table, name="phase-mapping"),
]
