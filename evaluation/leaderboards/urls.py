"""URLs of leaderboards, with their downloads and plots."""

from django.urls import path

from evaluation.challenges.url_prefixes import LEADERBOARD_URL
from evaluation.leaderboards import views

urlpatterns = [
    path(LEADERBOARD_URL, views.show_leaderboard_page, name="leaderboard"),
    path(LEADERBOARD_URL + "live/", views.poll_leaderboard, name="leaderboard-live"),
    path(LEADERBOARD_URL + "leaderboard.csv", views.download_leaderboard_csv, name="leaderboard-csv"),
    path(LEADERBOARD_URL + "leaderboard.json", views.serve_leaderboard_json, name="leaderboard-json"),
    path(LEADERBOARD_URL + "leaderboard.tex", views.download_leaderboard_latex, name="leaderboard-latex"),
    path(LEADERBOARD_URL + "precision-recall.svg", views.serve_precision_recall_svg, name="leaderboard-svg"),
    path(LEADERBOARD_URL + "quality-time.svg", views.serve_figure_against_time_svg, name="leaderboard-time"),
    path(LEADERBOARD_URL + "pairs/", views.show_pairwise_comparison, name="leaderboard-pairs"),
    path(LEADERBOARD_URL + "scores/<int:run>/", views.show_run_scores, name="leaderboard-score"),
    path(LEADERBOARD_URL + "files/run-<int:run>.tsv", views.download_run_file, name="leaderboard-run"),
    path(LEADERBOARD_URL + "files/<str:file>", views.download_gold_file, name="leaderboard-file"),
    path(
        LEADERBOARD_URL + "baselines/", views.store_baselines_from_form_replacing_earlier, name="leaderboard-baselines"
    ),
]
