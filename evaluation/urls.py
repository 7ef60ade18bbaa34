from django.urls import path

from evaluation import article_pages, board_pages, organizing, run_pages, views

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
    path(BOARD, board_pages.leaderboard, name="leaderboard"),
    path(BOARD + "live/", board_pages.leaderboard_live, name="leaderboard-live"),
    path(BOARD + "leaderboard.csv", board_pages.leaderboard_csv, name="leaderboard-csv"),
    path(BOARD + "leaderboard.json", board_pages.leaderboard_json, name="leaderboard-json"),
    path(BOARD + "precision-recall.svg", board_pages.leaderboard_svg, name="leaderboard-svg"),
    path(BOARD + "leaderboard.tex", board_pages.leaderboard_latex, name="leaderboard-latex"),
    path(BOARD + "quality-time.svg", board_pages.leaderboard_time, name="leaderboard-time"),
    path(BOARD + "pairs/", board_pages.leaderboard_pairs, name="leaderboard-pairs"),
    path(BOARD + "scores/<int:run>/", board_pages.leaderboard_score, name="leaderboard-score"),
    path(BOARD + "baselines/", board_pages.leaderboard_baselines, name="leaderboard-baselines"),
    path(
        "challenges/<slug:slug>/phases/<slug:phase>/articles/",
        article_pages.phase_articles,
        name="phase-articles",
    ),
    path(
        "challenges/<slug:slug>/phases/<slug:phase>/articles/<slug:form>/",
        article_pages.phase_articles_file,
        name="phase-articles-file",
    ),
    path(BOARD + "runs/", run_pages.team_runs, name="challenge-runs"),
    path("uploads/<int:pk>/", run_pages.upload, name="upload"),
    path("uploads/<int:pk>/live/", run_pages.upload_live, name="upload-live"),
    path("runs/<int:pk>/", run_pages.run, name="run"),
    path("runs/<int:pk>/articles/", run_pages.run_articles, name="run-articles"),
    path("runs/<int:pk>/file/", run_pages.run_file, name="run-file"),
    path("runs/<int:pk>/withdraw/", run_pages.run_withdraw, name="run-withdraw"),
    path("runs/<int:pk>/final/", run_pages.run_final, name="run-final"),
    path("runs/<int:pk>/cut/", run_pages.run_cut, name="run-cut"),
]
