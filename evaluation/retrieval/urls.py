"""URLs of the page for retrieval lists."""

from django.urls import path

from evaluation.retrieval import views

urlpatterns = [path("tapk/", views.score_retrieval_lists, name="tapk")]
