"""URLs to set up a challenge."""

from django.urls import path

from evaluation.challenges.setup import views
from evaluation.challenges.url_prefixes import CHALLENGE_URL, PHASE_URL

urlpatterns = [
    path("challenges/new/", views.add_challenge, name="challenge-new"),
    path(
        CHALLENGE_URL + "description/", views.edit_challenge_description_and_entry_rules, name="challenge-description"
    ),
    path(CHALLENGE_URL + "add-task/", views.add_task, name="challenge-task-add"),
    path(CHALLENGE_URL + "tasks/<slug:task>/", views.edit_task, name="challenge-task"),
    path(CHALLENGE_URL + "tasks/<slug:task>/remove/", views.remove_unused_task_and_gold, name="challenge-task-remove"),
    path(CHALLENGE_URL + "add-corpus/", views.add_corpus, name="challenge-corpus-add"),
    path(CHALLENGE_URL + "add-phase/", views.add_phase, name="challenge-phase-add"),
    path(PHASE_URL + "rules/", views.edit_phase_rules, name="phase-rules"),
    path(PHASE_URL + "remove/", views.remove_unused_phase_and_gold, name="phase-remove"),
]
