from django.urls import path

from evaluation import organizing, views

BOARD = "challenges/<slug:slug>/<slug:phase>/<slug:task>/"

urlpatterns = [
    path("challenges/", views.challenge_list, name="challenge-list"),
    path("challenges/new/", organizing.challenge_new, name="challenge-new"),
    path("challenges/<slug:slug>/", views.challenge, name="challenge"),
    path("challenges/<slug:slug>/add-task/", organizing.task_add, name="challenge-task-add"),
    path("challenges/<slug:slug>/add-corpus/", organizing.corpus_add, name="challenge-corpus-add"),
    path("challenges/<slug:slug>/add-phase/", organizing.phase_add, name="challenge-phase-add"),
    path("challenges/<slug:slug>/gold/", organizing.gold_upload, name="challenge-gold"),
    path("challenges/<slug:slug>/phases/<slug:phase>/publish/", organizing.phase_publish, name="phase-publish"),
    path("challenges/<slug:slug>/phases/<slug:phase>/enter/", organizing.phase_enter, name="phase-enter"),
    path("challenges/<slug:slug>/phases/<slug:phase>/load/", organizing.phase_load, name="phase-load"),
    path(BOARD, views.leaderboard, name="leaderboard"),
    path(BOARD + "live/", views.leaderboard_live, name="leaderboard-live"),
    path(BOARD + "leaderboard.csv", views.leaderboard_csv, name="leaderboard-csv"),
    path(BOARD + "leaderboard.json", views.leaderboard_json, name="leaderboard-json"),
    path(BOARD + "precision-recall.svg", views.leaderboard_svg, name="leaderboard-svg"),
]
