from django.urls import path

from evaluation import article_pages, board_pages, organizing, run_pages, views
from evaluation.labelling import organizing as labelling_pages
from evaluation.labelling import views as label_pages
from evaluation.organizers import matrix_pages, pages, steering

PHASE = "challenges/<slug:slug>/phases/<slug:phase>/"
BOARD = "challenges/<slug:slug>/<slug:phase>/<slug:task>/"
LABELLING = "challenges/<slug:slug>/labellings/<slug:corpus>/"
LABEL = "labelling/<int:pk>/"

urlpatterns = [
    path("challenges/", views.challenge_list, name="challenge-list"),
    path("challenges/new/", organizing.challenge_new, name="challenge-new"),
    path("challenges/<slug:slug>/", views.challenge, name="challenge"),
    path("challenges/<slug:slug>/add-task/", organizing.task_add, name="challenge-task-add"),
    path("challenges/<slug:slug>/add-corpus/", organizing.corpus_add, name="challenge-corpus-add"),
    path("challenges/<slug:slug>/add-phase/", organizing.phase_add, name="challenge-phase-add"),
    path("challenges/<slug:slug>/gold/", organizing.gold_upload, name="challenge-gold"),
    path("challenges/<slug:slug>/join/", organizing.challenge_join, name="challenge-join"),
    path("challenges/<slug:slug>/organize/", pages.organize, name="challenge-organize"),
    path("challenges/<slug:slug>/rules/", pages.rules, name="challenge-rules"),
    path("challenges/<slug:slug>/dry-run/", pages.dry_run_page, name="challenge-dry-run"),
    path("challenges/<slug:slug>/approve/", steering.approve, name="challenge-approve"),
    path("challenges/<slug:slug>/disapprove/", steering.disapprove, name="challenge-disapprove"),
    path("challenges/<slug:slug>/add-labelling/", labelling_pages.labelling_new, name="labelling-new"),
    path(LABELLING, labelling_pages.labelling, name="labelling"),
    path(LABELLING + "name/", labelling_pages.name_curator, name="labelling-name"),
    path(LABELLING + "release/", labelling_pages.release_curator, name="labelling-release"),
    path(LABELLING + "rule/", labelling_pages.rule, name="labelling-rule"),
    path(LABELLING + "gold.tsv", labelling_pages.gold_file, name="labelling-file"),
    path(LABELLING + "gold/", labelling_pages.make_gold, name="labelling-gold"),
    path("labelling/", label_pages.label_list, name="label-list"),
    path(LABEL, label_pages.label, name="label"),
    path(LABEL + "answer/", label_pages.label_answer, name="label-answer"),
    path(LABEL + "undo/", label_pages.label_undo, name="label-undo"),
    path(LABEL + "pause/", label_pages.label_pause, name="label-pause"),
    path(LABEL + "resume/", label_pages.label_resume, name="label-resume"),
    path(LABEL + "clock/", label_pages.label_clock, name="label-clock"),
    path(PHASE + "rules/", pages.phase_rules, name="phase-rules"),
    path(PHASE + "mapping/", pages.mapping, name="phase-mapping"),
    path(PHASE + "matrix/", matrix_pages.page, name="phase-matrix"),
    path(PHASE + "matrix/live/", matrix_pages.live, name="phase-matrix-live"),
    path(PHASE + "freeze/", steering.freeze, name="phase-freeze"),
    path(PHASE + "thaw/", steering.thaw, name="phase-thaw"),
    path(PHASE + "move-end/", steering.move_end, name="phase-move-end"),
    path(PHASE + "exclude/", steering.exclude, name="phase-exclude"),
    path(PHASE + "include/", steering.include, name="phase-include"),
    path(PHASE + "rescore/", steering.rescore, name="phase-rescore"),
    path(PHASE + "publish/", steering.publish, name="phase-publish"),
    path(PHASE + "publish/<slug:task>/", steering.publish_task, name="phase-publish-task"),
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
