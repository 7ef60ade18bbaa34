"""URLs of the imported annotations of authors and curators."""

from django.urls import path

from evaluation.challenges.url_prefixes import CHALLENGE_URL
from evaluation.manual_annotations import views

urlpatterns = [
    path(CHALLENGE_URL + "by-hand/", views.import_and_list_manual_annotations, name="challenge-manual-annotations"),
    path(
        CHALLENGE_URL + "by-hand/<int:pk>/remove/",
        views.remove_manual_annotation_set,
        name="challenge-manual-annotations-remove",
    ),
]
