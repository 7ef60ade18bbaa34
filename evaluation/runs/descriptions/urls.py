"""URLs of the description of a run."""

from django.urls import path

from evaluation.runs.descriptions import views

urlpatterns = [
    path("runs/<int:pk>/description/", views.describe_run, name="run-description"),
    path("runs/<int:pk>/description/remove/", views.remove_description_of_run, name="run-description-remove"),
]
