"""URLs of the actions of organizers on a phase."""

from django.urls import path

from evaluation.challenges.phases import views
from evaluation.challenges.url_prefixes import PHASE_URL

urlpatterns = [
    path(PHASE_URL + "begin/", views.begin_phase, name="phase-begin"),
    path(PHASE_URL + "end/", views.end_phase, name="phase-end"),
    path(PHASE_URL + "freeze/", views.freeze_phase, name="phase-freeze"),
    path(PHASE_URL + "thaw/", views.unfreeze_phase, name="phase-unfreeze"),
    path(PHASE_URL + "move-end/", views.move_phase_end, name="phase-move-end"),
    path(PHASE_URL + "exclude/", views.exclude_article_rescoring_runs, name="phase-exclude"),
    path(PHASE_URL + "include/", views.include_article_rescoring_runs, name="phase-include"),
    path(PHASE_URL + "rescore/", views.request_phase_rescoring, name="phase-rescore"),
]
