"""URLs of the pool of passages of a task, and of its judges."""

from django.urls import path

from evaluation.challenges.url_prefixes import LEADERBOARD_URL
from evaluation.pooling import views

POOL_URL = LEADERBOARD_URL + "pool/"

urlpatterns = [
    path(POOL_URL, views.show_pool_status_to_organizers, name="pool"),
    path(POOL_URL + "collect/", views.collect_pool, name="pool-collect"),
    path(POOL_URL + "judges/", views.edit_pool_judges, name="pool-judges"),
    path(POOL_URL + "close/", views.close_pool_judging, name="pool-close"),
    path(POOL_URL + "reopen/", views.reopen_pool_judging, name="pool-reopen"),
    path(POOL_URL + "judge/", views.show_or_judge_pair, name="pool-judge"),
    path(POOL_URL + "adjudicate/", views.show_pair_or_store_adjudication, name="pool-adjudicate"),
    path(POOL_URL + "judgements.tsv", views.download_final_verdicts, name="pool-judgements"),
    path(POOL_URL + "decisions.tsv", views.download_judgement_history, name="pool-decisions"),
]
