"""URLs to publish a phase or one of its tasks."""

from django.urls import path

from evaluation.challenges.publication import views
from evaluation.challenges.url_prefixes import PHASE_URL

urlpatterns = [
    path(PHASE_URL + "publish/", views.publish_phase_or_request_publication, name="phase-publish"),
    path(PHASE_URL + "publish/<slug:task>/", views.publish_task_or_request_publication, name="phase-publish-task"),
]
