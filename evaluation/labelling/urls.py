"""URLs to organize the labelling of a corpus, and of the labelling sessions of curators."""

from django.urls import path

from evaluation.challenges.url_prefixes import CHALLENGE_URL
from evaluation.labelling.organizing import views as organizing_views
from evaluation.labelling.session import views as session_views

LABELLING_URL = CHALLENGE_URL + "labellings/<slug:corpus>/"
SESSION_URL = "labelling/<int:pk>/"

urlpatterns = [
    path(CHALLENGE_URL + "add-labelling/", organizing_views.create_labelling, name="labelling-new"),
    path(LABELLING_URL, organizing_views.show_labelling, name="labelling"),
    path(LABELLING_URL + "name/", organizing_views.appoint_curator, name="labelling-curator-add"),
    path(LABELLING_URL + "release/", organizing_views.release_curator, name="labelling-curator-remove"),
    path(LABELLING_URL + "rule/", organizing_views.rule_on_article, name="labelling-adjudicate"),
    path(LABELLING_URL + "gold.tsv", organizing_views.download_decided_labels, name="labelling-file"),
    path(LABELLING_URL + "gold/", organizing_views.make_completed_labels_gold, name="labelling-gold"),
    path("labelling/", session_views.show_own_labellings, name="label-list"),
    path(SESSION_URL, session_views.show_article_and_start_reading_clock, name="label"),
    path(SESSION_URL + "answer/", session_views.submit_label, name="label-answer"),
    path(SESSION_URL + "undo/", session_views.undo_label, name="label-undo"),
    path(SESSION_URL + "pause/", session_views.pause_labelling, name="label-pause"),
    path(SESSION_URL + "resume/", session_views.resume_labelling, name="label-resume"),
    path(SESSION_URL + "clock/", session_views.stop_or_resume_clock_of_latest_showing, name="label-clock"),
]
