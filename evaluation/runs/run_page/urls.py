"""URLs of the page of a run."""

from django.urls import path

from evaluation.runs.run_page import views

urlpatterns = [
    path("runs/<int:pk>/", views.show_run, name="run"),
    path("runs/<int:pk>/live/", views.poll_awaited_scores, name="run-live"),
    path("runs/<int:pk>/articles/", views.show_run_compared_with_gold, name="run-articles"),
    path("runs/<int:pk>/file/", views.download_uploaded_run, name="run-file"),
    path("runs/<int:pk>/withdraw/", views.withdraw_run, name="run-withdraw"),
    path("runs/<int:pk>/final/", views.set_or_remove_final_tag, name="run-final"),
    path("runs/<int:pk>/baseline/", views.set_or_remove_baseline_mark, name="run-baseline"),
    path("runs/<int:pk>/cut/", views.create_cut_run, name="run-cut"),
]
